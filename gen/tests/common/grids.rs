//! Grids of cells that hold or meet arrays whose elements feed each other.

use heddle_kernel::prelude::*;

/// What comes of three operands one after the other, stored.
#[module(no_reset)]
pub struct Running<const W: usize> {
    /// Operands.
    pub x_i: [Signal<In, Bits<W>>; 3],
    /// Result, one cycle later.
    pub sum_o: Signal<Out, Bits<W>>,
    sum: [Signal<Local, Bits<W>>; 4],
    last: Delay<Bits<W>>,
}

impl<const W: usize> Logic for Running<W> {
    #[kernel]
    fn update(&mut self) {
        self.sum[0].next = 0.into();
        for i in 0..3 {
            self.sum[i + 1].next = self.sum[i].val();
            if self.x_i[i].val().any() {
                self.sum[i + 1].next = (self.sum[i].val() ^ self.x_i[i].val()) + 1;
            }
        }
        self.last.d_i.next = self.sum[3].val();
        self.sum_o.next = self.last.q_o.val();
    }
    describe!(|_this| Meta::module("running").param("width", "w", W, "bits"));
}

/// Two arrays of cells of different widths, each cell with a chain of the same name.
#[module(no_reset)]
pub struct TwoWidths {
    /// Operands of the narrow cells, one for all.
    pub x_i: [Signal<In, Bits<8>>; 3],
    /// Operands of the wide cells, one for all.
    pub y_i: [Signal<In, Bits<12>>; 3],
    /// Sums of the narrow cells.
    pub sum_o: [Signal<Out, Bits<8>>; 2],
    /// Sums of the wide cells.
    pub wide_o: [Signal<Out, Bits<12>>; 4],
    narrow: [Running<8>; 2],
    wide: [Running<12>; 4],
}

impl Logic for TwoWidths {
    #[kernel]
    fn update(&mut self) {
        for i in 0..2 {
            self.narrow[i].x_i.follow(&self.x_i);
            self.sum_o[i].next = self.narrow[i].sum_o.val();
        }
        for i in 0..4 {
            self.wide[i].x_i.follow(&self.y_i);
            self.wide_o[i].next = self.wide[i].sum_o.val();
        }
    }
    describe!(|_this| Meta::module("two_widths").grid());
}

/// 2 x 3 cells; the columns take the elements of a chain.
#[module(no_reset)]
pub struct Columns {
    /// Operands.
    pub x_i: [Signal<In, Bits<8>>; 3],
    /// Sums of the cells.
    pub sum_o: [[Signal<Out, Bits<8>>; 3]; 2],
    sum: [Signal<Local, Bits<8>>; 3],
    cell: [[Running<8>; 3]; 2],
}

impl Logic for Columns {
    #[kernel]
    fn update(&mut self) {
        self.sum[0].next = self.x_i[0].val();
        for i in 1..3 {
            self.sum[i].next = self.sum[i - 1].val() + self.x_i[i].val();
        }
        for i in 0..2 {
            for j in 0..3 {
                for k in 0..3 {
                    self.cell[i][j].x_i[k].next = self.sum[j].val();
                }
                self.sum_o[i][j].next = self.cell[i][j].sum_o.val();
            }
        }
    }
    describe!(|_this| Meta::module("columns").grid());
}

/// One bit of a byte.
#[module(combinational)]
pub struct Picker {
    /// Byte.
    pub x_i: Signal<In, Bits<8>>,
    /// Position.
    pub at_i: Signal<In, Bits<3>>,
    /// Bit.
    pub y_o: Signal<Out, Bit>,
}

impl Logic for Picker {
    #[kernel]
    fn update(&mut self) {
        self.y_o.next = self.x_i.val().get_bit(self.at_i.val().index());
    }
    describe!(|_this| Meta::module("picker").grid());
}

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
    /// Bits.
    _width: Generic<'w', W>,
}

#[kernel]
impl<const W: usize> Running<W> {
    fn update(&mut self) {
        self.sum[0] = 0.into();
        for i in 0..3 {
            self.sum[i + 1] = self.sum[i];
            if self.x_i[i].any() {
                self.sum[i + 1] = (self.sum[i] ^ self.x_i[i]) + 1;
            }
        }
        self.last = self.sum[3];
        self.sum_o = self.last;
    }
}

/// Two arrays of cells of different widths, each cell with a chain of the same name.
#[module(no_reset, grid)]
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

#[kernel]
impl TwoWidths {
    fn update(&mut self) {
        for i in 0..2 {
            self.narrow[i].x_i.follow(&self.x_i);
            self.sum_o[i] = self.narrow[i].sum_o;
        }
        for i in 0..4 {
            self.wide[i].x_i.follow(&self.y_i);
            self.wide_o[i] = self.wide[i].sum_o;
        }
    }
}

/// 2 x 3 cells; the columns take the elements of a chain.
#[module(no_reset, grid)]
pub struct Columns {
    /// Operands.
    pub x_i: [Signal<In, Bits<8>>; 3],
    /// Sums of the cells.
    pub sum_o: [[Signal<Out, Bits<8>>; 3]; 2],
    sum: [Signal<Local, Bits<8>>; 3],
    cell: [[Running<8>; 3]; 2],
}

#[kernel]
impl Columns {
    fn update(&mut self) {
        self.sum[0] = self.x_i[0];
        for i in 1..3 {
            self.sum[i] = self.sum[i - 1] + self.x_i[i];
        }
        for i in 0..2 {
            for j in 0..3 {
                for k in 0..3 {
                    self.cell[i][j].x_i[k] = self.sum[j];
                }
                self.sum_o[i][j] = self.cell[i][j].sum_o;
            }
        }
    }
}

/// One bit of a byte.
#[module(combinational, grid)]
pub struct Picker {
    /// Byte.
    pub x_i: Signal<In, Bits<8>>,
    /// Position.
    pub at_i: Signal<In, Bits<3>>,
    /// Bit.
    pub y_o: Signal<Out, Bit>,
}

#[kernel]
impl Picker {
    fn update(&mut self) {
        self.y_o = self.x_i.get_bit(self.at_i.index());
    }
}

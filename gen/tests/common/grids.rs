//! Grids of cells that hold or meet arrays whose elements feed each other.

use heddle_hdl::prelude::*;

/// What comes of three operands one after the other, stored.
#[derive(LogicBlock)]
pub struct Running<const W: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Operands.
    pub x_i: Vec<Signal<In, Bits<W>>>,
    /// Result, one cycle later.
    pub sum_o: Signal<Out, Bits<W>>,
    sum: Vec<Signal<Local, Bits<W>>>,
    last: Delay<Bits<W>>,
}

impl<const W: usize> Default for Running<W> {
    fn default() -> Self {
        Self {
            clk: Default::default(),
            x_i: v(3),
            sum_o: Default::default(),
            sum: v(4),
            last: Default::default(),
        }
    }
}

impl<const W: usize> Logic for Running<W> {
    #[hdl_gen]
    fn update(&mut self) {
        self.last.clk.next = self.clk.val();
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
    module!(|_this| Meta::module("running").param("width", "w", W, "bits"));
}

/// Two arrays of cells of different widths, each cell with a chain of the same name.
#[derive(LogicBlock)]
pub struct TwoWidths {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Operands of the narrow cells, one for all.
    pub x_i: Vec<Signal<In, Bits<8>>>,
    /// Operands of the wide cells, one for all.
    pub y_i: Vec<Signal<In, Bits<12>>>,
    /// Sums of the narrow cells.
    pub sum_o: Vec<Signal<Out, Bits<8>>>,
    /// Sums of the wide cells.
    pub wide_o: Vec<Signal<Out, Bits<12>>>,
    narrow: Vec<Running<8>>,
    wide: Vec<Running<12>>,
}

impl Default for TwoWidths {
    fn default() -> Self {
        Self {
            clk: Default::default(),
            x_i: v(3),
            y_i: v(3),
            sum_o: v(2),
            wide_o: v(4),
            narrow: v(2),
            wide: v(4),
        }
    }
}

impl Logic for TwoWidths {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..2 {
            self.narrow[i].clk.next = self.clk.val();
            for k in 0..3 {
                self.narrow[i].x_i[k].next = self.x_i[k].val();
            }
            self.sum_o[i].next = self.narrow[i].sum_o.val();
        }
        for i in 0..4 {
            self.wide[i].clk.next = self.clk.val();
            for k in 0..3 {
                self.wide[i].x_i[k].next = self.y_i[k].val();
            }
            self.wide_o[i].next = self.wide[i].sum_o.val();
        }
    }
    module!(|_this| Meta::module("two_widths").grid());
}

/// 2 x 3 cells; the columns take the elements of a chain.
#[derive(LogicBlock)]
pub struct Columns {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Operands.
    pub x_i: Vec<Signal<In, Bits<8>>>,
    /// Sums of the cells.
    pub sum_o: Vec<Vec<Signal<Out, Bits<8>>>>,
    sum: Vec<Signal<Local, Bits<8>>>,
    cell: Vec<Vec<Running<8>>>,
}

impl Default for Columns {
    fn default() -> Self {
        Self {
            clk: Default::default(),
            x_i: v(3),
            sum_o: (0..2).map(|_| v(3)).collect(),
            sum: v(3),
            cell: (0..2).map(|_| v(3)).collect(),
        }
    }
}

impl Logic for Columns {
    #[hdl_gen]
    fn update(&mut self) {
        self.sum[0].next = self.x_i[0].val();
        for i in 1..3 {
            self.sum[i].next = self.sum[i - 1].val() + self.x_i[i].val();
        }
        for i in 0..2 {
            for j in 0..3 {
                self.cell[i][j].clk.next = self.clk.val();
                for k in 0..3 {
                    self.cell[i][j].x_i[k].next = self.sum[j].val();
                }
                self.sum_o[i][j].next = self.cell[i][j].sum_o.val();
            }
        }
    }
    module!(|_this| Meta::module("columns").grid());
}

/// One bit of a byte.
#[derive(LogicBlock, Default)]
pub struct Picker {
    /// Byte.
    pub x_i: Signal<In, Bits<8>>,
    /// Position.
    pub at_i: Signal<In, Bits<3>>,
    /// Bit.
    pub y_o: Signal<Out, Bit>,
}

impl Logic for Picker {
    #[hdl_gen]
    fn update(&mut self) {
        self.y_o.next = self.x_i.val().get_bit(self.at_i.val().index());
    }
    module!(|_this| Meta::module("picker").grid());
}

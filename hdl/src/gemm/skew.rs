//! Delay that turns operands of one cycle into a wave.

use crate::prelude::*;

/// Delays what row r has read by r cycles, so that operands that rows have read at once enter the
/// array as those of rows that read one after another.
///
/// # Timing
/// The outputs of row r are its inputs of r cycles before. A zero operand moves no operand register.
#[derive(LogicBlock)]
pub struct OperandSkew {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
    /// One per row: operand.
    pub x_i: Vec<Signal<In, Bits<8>>>,
    /// One per row: the operand is not zero.
    pub nz_i: Vec<Signal<In, Bit>>,
    /// One per row: an operand was read.
    pub read_i: Vec<Signal<In, Bit>>,
    /// One per row: operand.
    pub x_o: Vec<Signal<Out, Bits<8>>>,
    /// One per row: the operand is not zero.
    pub nz_o: Vec<Signal<Out, Bit>>,
    /// One per row: an operand was read.
    pub read_o: Vec<Signal<Out, Bit>>,
    /// Stage s of row r at r (r - 1) / 2 + s.
    x: Vec<RegData<Bits<8>>>,
    nz: Vec<Reg<Bit>>,
    read: Vec<Reg<Bit>>,
    /// Between the stages: r of row r lie behind those of the rows before.
    x_at: Vec<Signal<Local, Bits<8>>>,
    nz_at: Vec<Signal<Local, Bit>>,
    read_at: Vec<Signal<Local, Bit>>,
    _rows: usize,
}

impl OperandSkew {
    /// A wave of `rows` rows.
    pub fn new(rows: usize) -> Self {
        let stages = (rows * rows - rows) / 2;
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            x_i: v(rows),
            nz_i: v(rows),
            read_i: v(rows),
            x_o: v(rows),
            nz_o: v(rows),
            read_o: v(rows),
            x: v(stages),
            nz: v(stages),
            read: v(stages),
            x_at: v(stages + rows),
            nz_at: v(stages + rows),
            read_at: v(stages + rows),
            _rows: rows,
        }
    }
}

impl Logic for OperandSkew {
    #[hdl_gen]
    fn update(&mut self) {
        for r in 0..self._rows {
            self.x_at[(r * r + r) / 2].next = self.x_i[r].val();
            self.nz_at[(r * r + r) / 2].next = self.nz_i[r].val();
            self.read_at[(r * r + r) / 2].next = self.read_i[r].val();
            for s in 0..self._rows {
                if s < r {
                    self.x[(r * r - r) / 2 + s].clk.next = self.clk.val();
                    self.x[(r * r - r) / 2 + s].en_i.next = self.nz_at[(r * r + r) / 2 + s].val();
                    self.x[(r * r - r) / 2 + s].d_i.next = self.x_at[(r * r + r) / 2 + s].val();
                    self.x_at[(r * r + r) / 2 + s + 1].next = self.x[(r * r - r) / 2 + s].q_o.val();
                    self.nz[(r * r - r) / 2 + s].clk.next = self.clk.val();
                    self.nz[(r * r - r) / 2 + s].rst_n.next = self.rst_n.val();
                    self.nz[(r * r - r) / 2 + s].d_i.next = self.nz_at[(r * r + r) / 2 + s].val();
                    self.nz_at[(r * r + r) / 2 + s + 1].next =
                        self.nz[(r * r - r) / 2 + s].q_o.val();
                    self.read[(r * r - r) / 2 + s].clk.next = self.clk.val();
                    self.read[(r * r - r) / 2 + s].rst_n.next = self.rst_n.val();
                    self.read[(r * r - r) / 2 + s].d_i.next =
                        self.read_at[(r * r + r) / 2 + s].val();
                    self.read_at[(r * r + r) / 2 + s + 1].next =
                        self.read[(r * r - r) / 2 + s].q_o.val();
                }
            }
            self.x_o[r].next = self.x_at[(r * r + r) / 2 + r].val();
            self.nz_o[r].next = self.nz_at[(r * r + r) / 2 + r].val();
            self.read_o[r].next = self.read_at[(r * r + r) / 2 + r].val();
        }
    }
    module!(|this| Meta::module("operand_skew").param("rows", "r", this._rows, "rows"));
}

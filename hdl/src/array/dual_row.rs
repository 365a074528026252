//! One row of the array that keeps weights or sums.

use super::DualPe;
use crate::prelude::*;

/// One row of cells with the control of its slots. Operands move to the right, weights and sums
/// move down, the control of a slot moves from row to row on the left edge.
///
/// # Timing
/// Control of a slot on the inputs in cycle T: on the outputs, for the row below, in T+1; its
/// operand is on `x_i` in T+1, its weight on `w_i` of column c in T+c+1. `psum_i` of column c is
/// used in T+c+3, `psum_o` shows the sum in T+c+4.
#[derive(LogicBlock)]
pub struct DualRow {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
    /// The slot is a step: it has an operand.
    pub step_i: Signal<In, Bit>,
    /// The step uses the weights that stay, and sums move down; else sums stay.
    pub stay_i: Signal<In, Bit>,
    /// First step of sums that stay.
    pub first_i: Signal<In, Bit>,
    /// A row takes the weights of this slot for its own.
    pub load_i: Signal<In, Bit>,
    /// Rows between this one and that one.
    pub row_i: Signal<In, Bits<9>>,
    /// Sums that stayed move down, except in rows that wait.
    pub drain_i: Signal<In, Bit>,
    /// Rows from this one on that wait.
    pub wait_i: Signal<In, Bits<9>>,
    /// Carried along.
    pub tag_i: Signal<In, Bits<4>>,
    /// Step, to the row below.
    pub step_o: Signal<Out, Bit>,
    /// Weights stay, to the row below.
    pub stay_o: Signal<Out, Bit>,
    /// First step, to the row below.
    pub first_o: Signal<Out, Bit>,
    /// Weights for a row below.
    pub load_o: Signal<Out, Bit>,
    /// Rows between the row below and the one that takes the weights.
    pub row_o: Signal<Out, Bits<9>>,
    /// Draining slot, to the row below.
    pub drain_o: Signal<Out, Bit>,
    /// Rows from the row below on that wait.
    pub wait_o: Signal<Out, Bits<9>>,
    /// Tag, to the row below.
    pub tag_o: Signal<Out, Bits<4>>,
    /// Operand, two's complement.
    pub x_i: Signal<In, Bits<8>>,
    /// The operand is not zero; if low, `x_i` is ignored.
    pub nz_i: Signal<In, Bit>,
    /// Weights from above, one per column.
    pub w_i: Vec<Signal<In, Bits<8>>>,
    /// Weights to the row below.
    pub w_o: Vec<Signal<Out, Bits<8>>>,
    /// Sums from above, one per column.
    pub psum_i: Vec<Signal<In, Bits<32>>>,
    /// Sums to the row below.
    pub psum_o: Vec<Signal<Out, Bits<32>>>,
    step: Reg<Bit>,
    stay: Delay<Bit>,
    first: Delay<Bit>,
    load: Reg<Bit>,
    row: Delay<Bits<9>>,
    drain: Reg<Bit>,
    waiting: Delay<Bits<9>>,
    tag: Reg<Bits<4>>,
    /// This row takes the weights.
    keep: Reg<Bit>,
    /// This row moves its sums.
    shift: Reg<Bit>,
    above: Delay<Bit>,
    zero: Delay<Bit>,
    pe: Vec<DualPe>,
    here: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    /// Operand entering each column, last: leaving the row.
    x: Vec<Signal<Local, Bits<8>>>,
    /// The operand entering each column is not zero.
    nz: Vec<Signal<Local, Bit>>,
    /// Weight flag entering each column.
    take: Vec<Signal<Local, Bit>>,
    /// Flag of the sum from above entering each column.
    from_above: Vec<Signal<Local, Bit>>,
    /// Flag of the sum from 0 entering each column.
    from_zero: Vec<Signal<Local, Bit>>,
    _cols: usize,
}

impl DualRow {
    /// A row of `cols` cells.
    pub fn new(cols: usize) -> Self {
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            step_i: Default::default(),
            stay_i: Default::default(),
            first_i: Default::default(),
            load_i: Default::default(),
            row_i: Default::default(),
            drain_i: Default::default(),
            wait_i: Default::default(),
            tag_i: Default::default(),
            step_o: Default::default(),
            stay_o: Default::default(),
            first_o: Default::default(),
            load_o: Default::default(),
            row_o: Default::default(),
            drain_o: Default::default(),
            wait_o: Default::default(),
            tag_o: Default::default(),
            x_i: Default::default(),
            nz_i: Default::default(),
            w_i: v(cols),
            w_o: v(cols),
            psum_i: v(cols),
            psum_o: v(cols),
            step: Default::default(),
            stay: Default::default(),
            first: Default::default(),
            load: Default::default(),
            row: Default::default(),
            drain: Default::default(),
            waiting: Default::default(),
            tag: Default::default(),
            keep: Default::default(),
            shift: Default::default(),
            above: Default::default(),
            zero: Default::default(),
            pe: v(cols),
            here: Default::default(),
            moves: Default::default(),
            x: v(cols + 1),
            nz: v(cols + 1),
            take: v(cols + 1),
            from_above: v(cols + 1),
            from_zero: v(cols + 1),
            _cols: cols,
        }
    }
}

impl Logic for DualRow {
    #[hdl_gen]
    fn update(&mut self) {
        // Control, to the row below
        self.step.clk.next = self.clk.val();
        self.step.rst_n.next = self.rst_n.val();
        self.step.d_i.next = self.step_i.val();
        self.step_o.next = self.step.q_o.val();
        self.stay.clk.next = self.clk.val();
        self.stay.d_i.next = self.stay_i.val();
        self.stay_o.next = self.stay.q_o.val();
        self.first.clk.next = self.clk.val();
        self.first.d_i.next = self.first_i.val();
        self.first_o.next = self.first.q_o.val();
        self.here.next = self.row_i.val() == 0;
        self.load.clk.next = self.clk.val();
        self.load.rst_n.next = self.rst_n.val();
        self.load.d_i.next = self.load_i.val() & !self.here.val();
        self.load_o.next = self.load.q_o.val();
        self.row.clk.next = self.clk.val();
        self.row.d_i.next = self.row_i.val() - 1;
        self.row_o.next = self.row.q_o.val();
        self.drain.clk.next = self.clk.val();
        self.drain.rst_n.next = self.rst_n.val();
        self.drain.d_i.next = self.drain_i.val();
        self.drain_o.next = self.drain.q_o.val();
        self.moves.next = self.wait_i.val() == 0;
        self.waiting.clk.next = self.clk.val();
        self.waiting.d_i.next = 0.into();
        if !self.moves.val() {
            self.waiting.d_i.next = self.wait_i.val() - 1;
        }
        self.wait_o.next = self.waiting.q_o.val();
        self.tag.clk.next = self.clk.val();
        self.tag.rst_n.next = self.rst_n.val();
        self.tag.d_i.next = self.tag_i.val();
        self.tag_o.next = self.tag.q_o.val();

        // Control of this row
        self.keep.clk.next = self.clk.val();
        self.keep.rst_n.next = self.rst_n.val();
        self.keep.d_i.next = self.load_i.val() & self.here.val();
        self.shift.clk.next = self.clk.val();
        self.shift.rst_n.next = self.rst_n.val();
        self.shift.d_i.next = self.drain_i.val() & self.moves.val();
        self.above.clk.next = self.clk.val();
        self.above.d_i.next = (self.step.q_o.val() & self.stay.q_o.val()) | self.shift.q_o.val();
        self.zero.clk.next = self.clk.val();
        self.zero.d_i.next = self.step.q_o.val() & !self.stay.q_o.val() & self.first.q_o.val();

        // Cells
        self.x[0].next = self.x_i.val();
        self.nz[0].next = self.nz_i.val() & self.step.q_o.val();
        self.take[0].next =
            (self.nz_i.val() & self.step.q_o.val() & !self.stay.q_o.val()) | self.keep.q_o.val();
        self.from_above[0].next = self.above.q_o.val();
        self.from_zero[0].next = self.zero.q_o.val();
        for i in 0..self._cols {
            self.pe[i].clk.next = self.clk.val();
            self.pe[i].rst_n.next = self.rst_n.val();
            self.pe[i].x_i.next = self.x[i].val();
            self.pe[i].nz_i.next = self.nz[i].val();
            self.pe[i].take_i.next = self.take[i].val();
            self.pe[i].above_i.next = self.from_above[i].val();
            self.pe[i].zero_i.next = self.from_zero[i].val();
            self.pe[i].w_i.next = self.w_i[i].val();
            self.pe[i].psum_i.next = self.psum_i[i].val();
            self.x[i + 1].next = self.pe[i].x_o.val();
            self.nz[i + 1].next = self.pe[i].nz_o.val();
            self.take[i + 1].next = self.pe[i].take_o.val();
            self.from_above[i + 1].next = self.pe[i].above_o.val();
            self.from_zero[i + 1].next = self.pe[i].zero_o.val();
            self.w_o[i].next = self.pe[i].w_o.val();
            self.psum_o[i].next = self.pe[i].psum_o.val();
        }
    }
    module!(|this| Meta::module("dual_row").param("cols", "c", this._cols, "columns"));
}

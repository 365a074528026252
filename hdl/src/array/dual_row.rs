//! One row of the array that keeps weights or sums.

use super::DualPe;
use heddle_kernel::prelude::*;

/// One row of cells with the control of its slots. Operands move to the right, weights and sums
/// move down, the control of a slot moves from row to row on the left edge.
///
/// # Timing
/// Control of a slot on the inputs in cycle T: on the outputs, for the row below, in T+1; its
/// operand is on `x_i` in T+1, its weight on `w_i` of column c in T+c+1. `psum_i` of column c is
/// used in T+c+3, `psum_o` shows the sum in T+c+4.
#[module]
pub struct DualRow {
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
    pub step: OutReg<Bit>,
    /// Weights stay, to the row below.
    pub stay: OutDelay<Bit>,
    /// First step, to the row below.
    pub first: OutDelay<Bit>,
    /// Weights for a row below.
    pub load: OutReg<Bit>,
    /// Rows between the row below and the one that takes the weights.
    pub row: OutDelay<Bits<9>>,
    /// Draining slot, to the row below.
    pub drain: OutReg<Bit>,
    /// Rows from the row below on that wait.
    pub wait_o: Signal<Out, Bits<9>>,
    waiting: Delay<Bits<9>>,
    /// Tag, to the row below.
    pub tag: OutReg<Bits<4>>,
    /// Operand, two's complement.
    pub x_i: Signal<In, Bits<8>>,
    /// The operand is not zero; if low, `x_i` is ignored.
    pub nz_i: Signal<In, Bit>,
    /// Weights from above, one per column.
    pub w_i: [Signal<In, Bits<8>>; cols],
    /// Weights to the row below.
    pub w_o: [Signal<Out, Bits<8>>; cols],
    /// Sums from above, one per column.
    pub psum_i: [Signal<In, Bits<32>>; cols],
    /// Sums to the row below.
    pub psum_o: [Signal<Out, Bits<32>>; cols],
    /// This row takes the weights.
    keep: Reg<Bit>,
    /// This row moves its sums.
    shift: Reg<Bit>,
    above: Delay<Bit>,
    zero: Delay<Bit>,
    pe: [DualPe; cols],
    here: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    /// Operand entering each column, last: leaving the row.
    x: [Signal<Local, Bits<8>>; cols + 1],
    /// The operand entering each column is not zero.
    nz: [Signal<Local, Bit>; cols + 1],
    /// Weight flag entering each column.
    take: [Signal<Local, Bit>; cols + 1],
    /// Flag of the sum from above entering each column.
    from_above: [Signal<Local, Bit>; cols + 1],
    /// Flag of the sum from 0 entering each column.
    from_zero: [Signal<Local, Bit>; cols + 1],
    /// Columns.
    _cols: Param<'c'>,
}

#[kernel]
impl DualRow {
    fn update(&mut self) {
        // Control, to the row below
        self.step = self.step_i;
        self.stay = self.stay_i;
        self.first = self.first_i;
        self.here = self.row_i == 0;
        self.load = self.load_i & !self.here;
        self.row = self.row_i - 1;
        self.drain = self.drain_i;
        self.moves = self.wait_i == 0;
        self.waiting = mux(!self.moves, self.wait_i - 1, 0.into());
        self.wait_o = self.waiting;
        self.tag = self.tag_i;

        // Control of this row
        self.keep = self.load_i & self.here;
        self.shift = self.drain_i & self.moves;
        self.above = (self.step & self.stay) | self.shift;
        self.zero = self.step & !self.stay & self.first;

        // Cells
        self.x[0] = self.x_i;
        self.nz[0] = self.nz_i & self.step;
        self.take[0] = (self.nz_i & self.step & !self.stay) | self.keep;
        self.from_above[0] = self.above;
        self.from_zero[0] = self.zero;
        for i in 0..self._cols {
            self.pe[i].x_i = self.x[i];
            self.pe[i].nz_i = self.nz[i];
            self.pe[i].take_i = self.take[i];
            self.pe[i].above_i = self.from_above[i];
            self.pe[i].zero_i = self.from_zero[i];
            self.pe[i].w_i = self.w_i[i];
            self.pe[i].psum_i = self.psum_i[i];
            self.x[i + 1] = self.pe[i].x_o;
            self.nz[i + 1] = self.pe[i].nz_o;
            self.take[i + 1] = self.pe[i].take_o;
            self.from_above[i + 1] = self.pe[i].above_o;
            self.from_zero[i + 1] = self.pe[i].zero_o;
            self.w_o[i] = self.pe[i].w_o;
            self.psum_o[i] = self.pe[i].psum_o;
        }
    }
}

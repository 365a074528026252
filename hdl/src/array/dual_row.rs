//! One row of the array that keeps weights or sums.

use super::DualPe;
use heddle_kernel::prelude::*;

/// Control of a slot.
#[bundle]
pub struct DualSlot {
    /// The slot is a step: it has an operand.
    #[reset]
    pub step: Bit,
    /// The step uses the weights that stay, and sums move down; else sums stay.
    pub stay: Bit,
    /// First step of sums that stay: they begin from 0.
    pub first: Bit,
    /// A row takes the weights of this slot for its own.
    #[reset]
    pub load: Bit,
    /// Rows between the one that the slot reaches and that one.
    pub row: Bits<9>,
    /// Sums that stayed move down, except in rows that wait.
    #[reset]
    pub drain: Bit,
    /// Rows that wait, from the one on that the slot reaches.
    pub wait: Bits<9>,
    /// Carried along with the slot.
    #[reset]
    pub tag: Bits<4>,
}

/// One row of cells with the control of its slots. Operands move to the right, weights and sums
/// move down, the control of a slot moves from row to row on the left edge.
///
/// # Timing
/// Control of a slot on the inputs in cycle T: on the outputs, for the row below, in T+1; its
/// operand is on `x_i` in T+1, its weight on `w_i` of column c in T+c+1. `psum_i` of column c is
/// used in T+c+3, `psum_o` shows the sum in T+c+4.
#[module]
pub struct DualRow {
    /// Control of a slot, and for the row below.
    pub wave: Wave<DualSlot>,
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
        self.here = self.wave_i.row == 0;
        self.moves = self.wave_i.wait == 0;
        self.wave.pass_on(
            load = self.wave_i.load & !self.here,
            row = self.wave_i.row - 1,
            wait = 0.into(),
        );
        if !self.moves {
            self.wave.wait = self.wave_i.wait - 1;
        }

        // Control of this row
        self.keep = self.wave_i.load & self.here;
        self.shift = self.wave_i.drain & self.moves;
        self.above = (self.wave.step & self.wave.stay) | self.shift;
        self.zero = self.wave.step & !self.wave.stay & self.wave.first;

        // Cells
        self.x[0] = self.x_i;
        self.nz[0] = self.nz_i & self.wave.step;
        self.take[0] = (self.nz_i & self.wave.step & !self.wave.stay) | self.keep;
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

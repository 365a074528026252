//! Delay that turns operands of one cycle into a wave.

use heddle_kernel::prelude::*;

/// Delays what row r has read by r cycles, so that operands that rows have read at once enter the
/// array as those of rows that read one after another.
///
/// # Timing
/// The outputs of row r are its inputs of r cycles before. A zero operand moves no operand register.
#[module]
pub struct OperandSkew {
    /// One per row: operand.
    pub x_i: [Signal<In, Bits<8>>; rows],
    /// One per row: the operand is not zero.
    pub nz_i: [Signal<In, Bit>; rows],
    /// One per row: an operand was read.
    pub read_i: [Signal<In, Bit>; rows],
    /// One per row: operand.
    pub x_o: [Signal<Out, Bits<8>>; rows],
    /// One per row: the operand is not zero.
    pub nz_o: [Signal<Out, Bit>; rows],
    /// One per row: an operand was read.
    pub read_o: [Signal<Out, Bit>; rows],
    /// Stage s of row r at r (r - 1) / 2 + s.
    x: [RegData<Bits<8>>; stages],
    nz: [Reg<Bit>; stages],
    read: [Reg<Bit>; stages],
    /// Between the stages: r of row r lie behind those of the rows before.
    x_at: [Signal<Local, Bits<8>>; stages + rows],
    nz_at: [Signal<Local, Bit>; stages + rows],
    read_at: [Signal<Local, Bit>; stages + rows],
    /// Rows.
    _rows: Param<'r'>,
    #[new((rows * rows - rows) / 2)]
    _stages: usize,
}

#[kernel]
impl OperandSkew {
    fn update(&mut self) {
        for r in 0..self._rows {
            let first = (r * r + r) / 2;
            self.x_at[first].follow(&self.x_i[r]);
            self.nz_at[first].follow(&self.nz_i[r]);
            self.read_at[first].follow(&self.read_i[r]);
            for at in first..first + r {
                let stage = at - r;
                self.x[stage].load(self.nz_at[at], self.x_at[at]);
                self.x_at[at + 1].follow(&self.x[stage]);
                self.nz[stage].follow(&self.nz_at[at]);
                self.nz_at[at + 1].follow(&self.nz[stage]);
                self.read[stage].follow(&self.read_at[at]);
                self.read_at[at + 1].follow(&self.read[stage]);
            }
            self.x_o[r].follow(&self.x_at[first + r]);
            self.nz_o[r].follow(&self.nz_at[first + r]);
            self.read_o[r].follow(&self.read_at[first + r]);
        }
    }
}

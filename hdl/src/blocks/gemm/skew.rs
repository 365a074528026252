//! Delay that turns operands of one cycle into a wave.

use super::waves::*;
use heddle_kernel::prelude::*;

/// Delays what row r has read by r cycles, so that operands that rows have read at once enter the
/// array as those of rows that read one after another.
///
/// # Timing
/// The outputs of row r are its inputs of r cycles before. A zero operand moves no operand register.
#[module]
pub struct OperandSkew {
    /// One per row: operand, zero if it is not read.
    pub ports_i: [Operand<In>; rows],
    /// One per row: operand.
    pub ports_o: [Operand<Out>; rows],
    /// Stage s of row r at r (r - 1) / 2 + s.
    x: [RegData<Bits<8>>; stages],
    nz: [Reg<Bit>; stages],
    read: [Reg<Bit>; stages],
    /// Between the stages: r of row r lie behind those of the rows before.
    at: [Operand<Local>; stages + rows],
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
            self.at[first].follow(&self.ports_i[r]);
            for at in first..first + r {
                let stage = at - r;
                self.x[stage].load(self.at[at].nz, self.at[at].x);
                self.nz[stage] = self.at[at].nz;
                self.read[stage] = self.at[at].read;
                self.at[at + 1].x = self.x[stage];
                self.at[at + 1].nz = self.nz[stage];
                self.at[at + 1].read = self.read[stage];
            }
            self.ports_o[r].follow(&self.at[first + r]);
        }
    }
}

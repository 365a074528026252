//! Selecting the bank that a word comes from.

use heddle_kernel::prelude::*;

/// The word, or the mask, of the selected bank, or zero. At most one bank is selected.
///
/// # Timing
/// Combinational.
#[module(combinational)]
pub struct WordMux<const UB: usize> {
    /// The word comes from this bank.
    pub select_i: [Signal<In, Bit>; banks],
    /// Words of all banks, eight units each.
    pub word_i: [[Signal<In, Bits<UB>>; 8]; banks],
    /// Selected word.
    pub word_o: [Signal<Out, Bits<UB>>; 8],
    /// Unit of the banks below each bank, last: of all banks.
    merged: [[Signal<Local, Bits<UB>>; 8]; banks + 1],
    /// All ones for the selected bank.
    gate: [Signal<Local, Bits<UB>>; banks],
    /// Banks.
    _banks: Param<'b'>,
    /// Bits of a unit.
    _unit_bits: Generic<'u', UB, 8>,
    #[new((1 << UB) - 1)]
    _ones: u64,
}

#[kernel]
impl<const UB: usize> WordMux<UB> {
    fn update(&mut self) {
        for k in 0..8 {
            self.merged[0][k] = 0.into();
        }
        for b in 0..self._banks {
            self.gate[b] = mux(self.select_i[b], self._ones.into(), 0.into());
            for k in 0..8 {
                self.merged[b + 1][k] = self.merged[b][k] | (self.word_i[b][k] & self.gate[b]);
            }
        }
        self.word_o.follow(&self.merged[self._banks]);
    }
}

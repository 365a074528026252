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
    /// Word of each bank, zero where it is not selected.
    gated: [[Signal<Local, Bits<UB>>; 8]; banks],
    /// Banks.
    _banks: Param<'b'>,
    /// Bits of a unit.
    _unit_bits: Generic<'u', UB, 8>,
}

#[kernel]
impl<const UB: usize> WordMux<UB> {
    fn update(&mut self) {
        for k in 0..8 {
            self.word_o[k] = 0.into();
            for b in 0..self._banks {
                self.gated[b][k] = mux(self.select_i[b], self.word_i[b][k], 0.into());
                self.word_o[k] = self.word_o[k] | self.gated[b][k];
            }
        }
    }
}

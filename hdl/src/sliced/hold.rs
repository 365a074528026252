//! Inputs of a packing network that stand still.

use heddle_kernel::prelude::*;

/// Hands on a word and its mask while they are to be packed, and the last ones of these otherwise: what
/// lies behind moves only for words with units to store (operand isolation).
///
/// # Timing
/// Combinational.
#[module(name = "sliced_hold", no_reset)]
pub struct Hold<const UB: usize> {
    /// The word is to be packed.
    pub take_i: Signal<In, Bit>,
    /// Word, by position.
    pub word_i: [Signal<In, Bits<UB>>; units],
    /// Its mask.
    pub mask_i: [Signal<In, Bits<1>>; units],
    /// The word that was to be packed last.
    pub word_o: [Signal<Out, Bits<UB>>; units],
    /// Its mask.
    pub mask_o: [Signal<Out, Bits<1>>; units],
    word: [RegData<Bits<UB>>; units],
    mask: [RegData<Bits<1>>; units],
    /// Units in a word.
    _units: Param<'w'>,
    /// Bits of a unit.
    _unit_bits: Generic<'b', UB>,
}

#[kernel]
impl<const UB: usize> Hold<UB> {
    fn update(&mut self) {
        for p in 0..self._units {
            self.word[p].load(self.take_i, self.word_i[p]);
            self.mask[p].load(self.take_i, self.mask_i[p]);
            self.word_o[p] = self.word[p];
            self.mask_o[p] = self.mask[p];
            if self.take_i {
                self.word_o[p] = self.word_i[p];
                self.mask_o[p] = self.mask_i[p];
            }
        }
    }
}

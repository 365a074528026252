//! Words on their way out.

use super::SlicedShape;
use super::shape::place;
use heddle_kernel::prelude::*;

/// Gives the units of a word read and the bits of its mask their places, and says when they
/// are valid.
///
/// # Timing
/// `valid_i` comes one cycle before the word. The word leaves at once, or one cycle later with
/// the register at the output.
#[module(name = "sliced_reply")]
pub struct Reply<const UB: usize> {
    /// The word follows in the next cycle.
    pub valid_i: Signal<In, Bit>,
    /// Units by position.
    pub word_i: [Signal<In, Bits<UB>>; units],
    /// Mask by position.
    pub mask_i: [Signal<In, Bits<1>>; units],
    /// The word is valid.
    pub rvalid_o: Signal<Out, Bit>,
    /// Word, unit 0 in the low bits.
    pub rdata_o: [Signal<Out, Bits<UB>>; units],
    /// Mask, unit 0 in the low bit.
    pub rmask_o: [Signal<Out, Bits<1>>; units],
    valid: [Reg<Bit>; 1 + stages],
    word: [RegData<Bits<UB>>; stages * units],
    mask: [RegData<Bits<1>>; stages * units],
    unit: [Signal<Local, Bits<UB>>; units],
    non_zero: [Signal<Local, Bits<1>>; units],
    /// What the memory is built from.
    #[argument]
    _shape: &SlicedShape,
    /// Units in a word.
    #[new(shape.units)]
    _units: Param<'w'>,
    /// Bits of a unit.
    _unit_bits: Generic<'u', UB, 8>,
    /// 1: the first position is the least significant unit.
    #[new(shape.right)]
    _right: Optional<'r', bool>,
    /// Registers at the output.
    #[new(shape.output_stages())]
    _stages: Optional<'s'>,
}

#[kernel]
impl<const UB: usize> Reply<UB> {
    fn update(&mut self) {
        self.valid.shift_in(self.valid_i);
        if self._stages > 0 {
            for p in 0..self._units {
                self.word[p].load(self.valid[0], self.word_i[p]);
                self.mask[p].load(self.valid[0], self.mask_i[p]);
            }
            self.unit.follow(&self.word);
            self.non_zero.follow(&self.mask);
        } else {
            self.unit.follow(&self.word_i);
            self.non_zero.follow(&self.mask_i);
        }
        for k in 0..self._units {
            let p = place(self._right, self._units, k);
            self.rdata_o[k].follow(&self.unit[p]);
            self.rmask_o[k].follow(&self.non_zero[p]);
        }
        self.rvalid_o.follow(&self.valid[self._stages]);
    }
}

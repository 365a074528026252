//! Words on their way out.

use super::shape::place;
use super::{SlicedShape, ports::*};
use heddle_kernel::prelude::*;

/// Gives the units of a word read and the bits of its mask their places, and says when they
/// are valid.
///
/// # Timing
/// `valid_i` comes one cycle before the word. The word leaves at once, or one cycle later with
/// the register at the output.
#[module(name = "sliced_reply")]
pub struct Reply<const UB: usize> {
    /// The word by position.
    #[new(RestoredWord::new(units))]
    pub ports_i: RestoredWord<In, UB>,
    /// The word as it leaves.
    #[new(MemoryAnswer::new(shape))]
    pub ports_o: MemoryAnswer<Out, UB>,
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
        self.valid.shift_in(self.ports_i.valid);
        if self._stages > 0 {
            for p in 0..self._units {
                self.word[p].load(self.valid[0], self.ports_i.word[p]);
                self.mask[p].load(self.valid[0], self.ports_i.mask[p]);
            }
            self.unit.follow(&self.word);
            self.non_zero.follow(&self.mask);
        } else {
            self.unit.follow(&self.ports_i.word);
            self.non_zero.follow(&self.ports_i.mask);
        }
        for k in 0..self._units {
            let p = place(self._right, self._units, k);
            self.ports_o.rdata[k].follow(&self.unit[p]);
            self.ports_o.rmask[k].follow(&self.non_zero[p]);
        }
        self.ports_o.rvalid.follow(&self.valid[self._stages]);
    }
}

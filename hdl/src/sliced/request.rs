//! Words on their way in.

use super::SlicedShape;
use super::shape::place;
use heddle_kernel::prelude::*;

/// Puts the units of a word to write in the order of packing and finds those that are not zero.
///
/// # Timing
/// Combinational.
#[module(name = "sliced_request", combinational)]
pub struct SlicedRequest<const UB: usize> {
    /// Word to write, unit 0 in the low bits.
    pub wdata_i: [Signal<In, Bits<UB>>; units],
    /// Its units by position.
    pub word_o: [Signal<Out, Bits<UB>>; units],
    /// One bit per position: the unit is not zero.
    pub mask_o: [Signal<Out, Bits<1>>; units],
    /// What the memory is built from.
    #[argument]
    _shape: &SlicedShape,
    /// Units in a word.
    #[new(shape.units)]
    _units: Param<'w'>,
    /// Bits of a unit.
    _unit_bits: Generic<UB>,
    /// 1: the first position is the least significant unit.
    #[new(shape.right)]
    _right: Optional<'r', bool>,
}

#[kernel]
impl<const UB: usize> SlicedRequest<UB> {
    fn update(&mut self) {
        for p in 0..self._units {
            let unit = self.wdata_i[place(self._right, self._units, p)];
            self.word_o[p] = unit;
            self.mask_o[p] = unit.any().into();
        }
    }
}

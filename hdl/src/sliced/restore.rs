//! From packed units to the word.

use super::describe::NETWORKS;
use super::{Network, Route, SlicedShape, Unpack, moves, ports::*};
use heddle_kernel::prelude::*;

/// Puts the units of a word back to their positions. The mask arrives first and waits for the
/// data slices; every zero comes from it, so that what a slice holds beyond the packed units
/// never reaches the word.
///
/// # Timing
/// The word belongs to the units at the input. Its mask was taken with `valid_i` `waits` + 1
/// cycles before, and `valid_o` was high in the cycle before.
#[module(name = "sliced_restore", describe)]
pub struct Restore<const UB: usize> {
    /// Takes a mask.
    pub valid_i: Signal<In, Bit>,
    /// One bit per position: the unit is not zero.
    pub mask_i: [Signal<In, Bits<1>>; units],
    /// Packed units, when the mask has waited.
    pub packed_i: [Signal<In, Bits<UB>>; units],
    /// The word by position.
    #[new(RestoredWord::new(units))]
    pub ports_o: RestoredWord<Out, UB>,
    #[new(Route::new(units, shape.network))]
    route: Route,
    #[new(Unpack::new(units, shape.network))]
    unpack: Unpack<UB>,
    waited: [Reg<Bit>; waits],
    waiting: [RegData<Bits<1>>; waits * units],
    mask: [RegData<Bits<1>>; units],
    moved: [RegData<Bits<1>>; moves(units, shape.network)],
    valid: [Signal<Local, Bit>; waits + 1],
    mask_now: [Signal<Local, Bits<1>>; (waits + 1) * units],
    /// What the memory is built from.
    #[argument]
    _shape: &SlicedShape,
    /// Units in a word.
    #[new(shape.units)]
    _units: Param<'w'>,
    #[new(shape.network)]
    _network: Network,
    #[new(shape.mask_to_data() - 1)]
    _waits: usize,
    /// Bits of a unit.
    _unit_bits: Generic<'u', UB, 8>,
}

impl<const UB: usize> Restore<UB> {
    fn describe(&self, meta: Meta) -> Meta {
        meta.option("network", "n", self._network as usize, NETWORKS)
            .option("waits", "t", self._waits, "registers in front of the mask")
    }
}

#[kernel]
impl<const UB: usize> Restore<UB> {
    fn update(&mut self) {
        self.valid[0].follow(&self.valid_i);
        for p in 0..self._units {
            self.mask_now[p].follow(&self.mask_i[p]);
        }
        for s in 0..self._waits {
            self.waited[s].follow(&self.valid[s]);
            self.valid[s + 1].follow(&self.waited[s]);
            for i in s * self._units..(s + 1) * self._units {
                self.waiting[i].load(self.valid[s], self.mask_now[i]);
                self.mask_now[i + self._units].follow(&self.waiting[i]);
            }
        }
        let valid = self.valid[self._waits];
        self.ports_o.valid = valid;
        for p in 0..self._units {
            let mask = self.mask_now[self._waits * self._units + p];
            self.route.mask_i[p] = mask;
            self.mask[p].load(valid, mask);
        }
        self.unpack.mask_i.follow(&self.mask);
        self.unpack.packed_i.follow(&self.packed_i);
        self.ports_o.word.follow(&self.unpack.word_o);
        self.ports_o.mask.follow(&self.mask);
        for k in 0..self.moved.len() {
            self.moved[k].load(valid, self.route.move_o[k]);
        }
        self.unpack.move_i.follow(&self.moved);
    }
}

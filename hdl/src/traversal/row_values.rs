//! Base and end test of the rows in use.

use super::TraversalShape;
use heddle_kernel::prelude::*;

/// What a traversal uses of the rows beside the values of their loops: base and end test. With two
/// sets of registers they are copied from the waiting set, with one set they are what is written.
///
/// # Timing
/// With two sets a load shows in the next cycle. With one set there are no registers.
#[module(name = "traversal_rows", no_reset, shape: TraversalShape)]
pub struct RowValues<const A: usize> {
    /// The waiting set becomes active.
    pub load_i: Signal<In, Bit>,
    /// With a load (two sets) or always (one set): bases count as 0.
    pub bare_i: Signal<In, Bit>,
    /// Base of every row, as written.
    pub base_i: [Signal<In, Bits<A>>; rows],
    /// The row counts iterations, as written.
    pub trips_i: [Signal<In, Bit>; rows],
    /// The end test of the row is equality, as written.
    pub equal_i: [Signal<In, Bit>; rows],
    /// Base of every row.
    pub base_o: [Signal<Out, Bits<A>>; rows],
    /// The row counts iterations.
    pub trips_o: [Signal<Out, Bit>; rows],
    /// The end test of the row is equality.
    pub equal_o: [Signal<Out, Bit>; rows],
    wanted: [Signal<Local, Bits<A>>; rows],
    active_base: [RegData<Bits<A>>; rows * double],
    active_trips: [RegData<Bit>; rows * double * trips],
    active_equal: [RegData<Bit>; rows * double * equality],
    /// Rows.
    _rows: Param<'m'>,
    /// Bits of an address.
    _address_bits: Generic<'a', A>,
    /// 1: two sets of registers.
    _double: Optional<'x'>,
    /// 1: the end test may be equality.
    _equality: Optional<'q'>,
    /// 1: a row may count iterations.
    _trips: Optional<'t'>,
}

#[kernel]
impl<const A: usize> RowValues<A> {
    fn update(&mut self) {
        for r in 0..self._rows {
            self.wanted[r] = mux(self.bare_i, 0.into(), self.base_i[r]);
        }
        if self._double > 0 {
            for r in 0..self._rows {
                self.active_base[r].load(self.load_i, self.wanted[r]);
                self.base_o[r] = self.active_base[r];
                if self._trips > 0 {
                    self.active_trips[r].load(self.load_i, self.trips_i[r]);
                    self.trips_o[r] = self.active_trips[r];
                } else {
                    self.trips_o[r] = false;
                }
                if self._equality > 0 {
                    self.active_equal[r].load(self.load_i, self.equal_i[r]);
                    self.equal_o[r] = self.active_equal[r];
                } else {
                    self.equal_o[r] = false;
                }
            }
        } else {
            self.base_o.follow(&self.wanted);
            self.trips_o.follow(&self.trips_i);
            self.equal_o.follow(&self.equal_i);
        }
    }
}

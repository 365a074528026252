//! Delay of what is read before the data slices.

use heddle_kernel::prelude::*;

/// Delays values that come with a valid bit. Registers change only with a value.
///
/// # Timing
/// `unit_o` is what `unit_i` was `waits` cycles ago.
#[module(name = "sliced_wait")]
pub struct Wait<const UB: usize> {
    /// There are values.
    pub valid_i: Signal<In, Bit>,
    /// Values.
    pub unit_i: [Signal<In, Bits<UB>>; units],
    /// The values, later.
    pub unit_o: [Signal<Out, Bits<UB>>; units],
    waited: [Reg<Bit>; waits - 1],
    waiting: [RegData<Bits<UB>>; waits * units],
    valid: [Signal<Local, Bit>; waits],
    unit: [Signal<Local, Bits<UB>>; (waits + 1) * units],
    /// Values.
    _units: Param<'w'>,
    /// Bits of a value.
    _unit_bits: Generic<'u', UB, 8>,
    /// Cycles.
    _waits: Param<'t'>,
}

#[kernel]
impl<const UB: usize> Wait<UB> {
    fn update(&mut self) {
        self.valid[0].follow(&self.valid_i);
        for s in 0..self._waits - 1 {
            self.waited[s].follow(&self.valid[s]);
            self.valid[s + 1].follow(&self.waited[s]);
        }
        for i in 0..self._units {
            self.unit[i].follow(&self.unit_i[i]);
            self.unit_o[i].follow(&self.unit[self._waits * self._units + i]);
        }
        for i in 0..self._waits * self._units {
            self.waiting[i].load(self.valid[i / self._units], self.unit[i]);
            self.unit[i + self._units].follow(&self.waiting[i]);
        }
    }
}

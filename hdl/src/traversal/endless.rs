//! Loops that never end.

use heddle_kernel::prelude::*;

/// Finds a loop that would never reach its end, from what is written into its registers.
///
/// The end test *at least* never holds with step 0 and an initial offset below the end, *equal* when
/// the way to the end is no multiple of the largest power of two in the step, *trips* with 0.
///
/// # Timing
/// `endless_o` speaks of the loop written two cycles before.
#[module(name = "traversal_endless")]
pub struct EndlessCheck<const W: usize, const D: usize> {
    /// Forgets the loops that were written.
    pub clear_i: Signal<In, Bit>,
    /// A loop is written.
    pub write_i: Signal<In, Bit>,
    /// Its first distance to the end.
    pub distance_i: Signal<In, Bits<D>>,
    /// Its step.
    pub step_i: Signal<In, Bits<W>>,
    /// Its end test is equality.
    pub equal_i: Signal<In, Bit>,
    /// Its end is a number of iterations.
    pub trips_i: Signal<In, Bit>,
    /// The loop never ends.
    pub endless_o: Signal<Out, Bit>,
    written: Reg<Bit>,
    distance: Delay<Bits<D>>,
    step: Delay<Bits<W>>,
    equal: Delay<Bit>,
    trips: Delay<Bit>,
    /// Ones below the lowest one of the step.
    below: Delay<Bits<W>>,
    step_is_zero: Delay<Bit>,
    written_before: Reg<Bit>,
    distance_before: Delay<Bits<D>>,
    equal_before: Delay<Bit>,
    trips_before: Delay<Bit>,
    endless: Signal<Local, Bit>,
    /// Bits of an offset.
    _offset_bits: Generic<'w', W>,
}

#[kernel]
impl<const W: usize, const D: usize> EndlessCheck<W, D> {
    fn update(&mut self) {
        self.written = self.write_i & !self.clear_i;
        self.distance = self.distance_i;
        self.step = self.step_i;
        self.equal = self.equal_i;
        self.trips = self.trips_i;

        self.written_before = self.written & !self.clear_i;
        self.below = (self.step - 1) & !self.step;
        self.step_is_zero = self.step == 0;
        self.distance_before = self.distance;
        self.equal_before = self.equal;
        self.trips_before = self.trips;

        if self.trips_before {
            // 1 - 0 is the only positive distance.
            self.endless = !self.distance_before.get_bit(W) & self.distance_before.get_bit(0);
        } else if self.equal_before {
            self.endless = (self.distance_before.get_bits::<W>(0) & self.below) != 0;
        } else {
            self.endless = self.distance_before.get_bit(W) & self.step_is_zero;
        }
        self.endless_o = self.written_before & self.endless;
    }
}

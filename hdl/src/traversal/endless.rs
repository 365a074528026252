//! Loops that never end.

use heddle_kernel::prelude::*;

/// Finds a loop that would never reach its end, from what is written into its registers.
///
/// The end test *at least* never holds with step 0 and an initial offset below the end, *equal* when
/// the way to the end is no multiple of the largest power of two in the step, *trips* with 0.
///
/// # Timing
/// `endless_o` speaks of the loop written two cycles before.
#[module(name = "traversal_endless", describe)]
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

impl<const W: usize, const D: usize> EndlessCheck<W, D> {
    fn describe(&self, meta: Meta) -> Meta {
        meta.hidden("D", D, "bits of a distance, W + 1")
    }
}

#[kernel]
impl<const W: usize, const D: usize> EndlessCheck<W, D> {
    fn update(&mut self) {
        self.written.d_i.next = self.write_i.val() & !self.clear_i.val();
        self.distance.d_i.next = self.distance_i.val();
        self.step.d_i.next = self.step_i.val();
        self.equal.d_i.next = self.equal_i.val();
        self.trips.d_i.next = self.trips_i.val();

        self.written_before.d_i.next = self.written.q_o.val() & !self.clear_i.val();
        self.below.d_i.next = (self.step.q_o.val() - 1) & !self.step.q_o.val();
        self.step_is_zero.d_i.next = self.step.q_o.val() == 0;
        self.distance_before.d_i.next = self.distance.q_o.val();
        self.equal_before.d_i.next = self.equal.q_o.val();
        self.trips_before.d_i.next = self.trips.q_o.val();

        if self.trips_before.q_o.val() {
            // 1 - 0 is the only positive distance.
            self.endless.next = !self.distance_before.q_o.val().get_bit(W)
                & self.distance_before.q_o.val().get_bit(0);
        } else if self.equal_before.q_o.val() {
            self.endless.next =
                (self.distance_before.q_o.val().get_bits::<W>(0) & self.below.q_o.val()) != 0;
        } else {
            self.endless.next =
                self.distance_before.q_o.val().get_bit(W) & self.step_is_zero.q_o.val();
        }
        self.endless_o.next = self.written_before.q_o.val() & self.endless.val();
    }
}

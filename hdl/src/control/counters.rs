//! The machine's event counters.

use heddle_kernel::prelude::*;

/// Slices that a memory has unless it is configured otherwise.
const USUAL_SLICES: usize = 2;

/// Number of counters of a machine with so many data slices: ZERO_OPERANDS, those of the units,
/// reads and writes of the mask slice and of each data slice.
pub const fn counters(slices: usize) -> usize {
    9 + 2 * slices
}

/// Adds the number of counters; in the module name only if it is not the usual one.
pub(super) fn describe(meta: Meta, counts: usize) -> Meta {
    meta.choice("counts", "n", counts, counters(USUAL_SLICES), "counters")
}

/// Counters of 32 bits, each with its own increment per clock; they wrap.
///
/// # Timing
/// An increment of cycle t is counted in t + 2. `clear_i` in t forgets those of t and before.
#[module(describe)]
pub struct Counters {
    /// Sets all counters to 0.
    pub clear_i: Signal<In, Bit>,
    /// Increment of each counter in this cycle.
    pub increment_i: [Signal<In, Bits<17>>; counts],
    /// Value of each counter.
    pub count_o: [Signal<Out, Bits<32>>; counts],
    increment: [Reg<Bits<17>>; counts],
    count: [Reg<Bits<32>>; counts],
    _counts: usize,
}

impl Counters {
    fn describe(&self, meta: Meta) -> Meta {
        describe(meta, self._counts)
    }
}

#[kernel]
impl Counters {
    fn update(&mut self) {
        for i in 0..self._counts {
            self.increment[i] = self.increment_i[i];
            self.count[i] = self.count[i] + self.increment[i].get_bits::<32>(0);
            if self.clear_i {
                self.increment[i] = 0.into();
                self.count[i] = 0.into();
            }
            self.count_o[i] = self.count[i];
        }
    }
}

//! The machine's event counters.

use heddle_arch::host::Counter;
use heddle_arch::params::CounterSet;
use heddle_kernel::prelude::*;

/// Slices that a memory has unless it is configured otherwise.
const USUAL_SLICES: usize = 2;

/// The counters of a machine with so many data slices in the order of their registers: ZERO_OPERANDS, those of the units,
/// reads and writes of the mask slice and of each data slice. STALL_SUMS, which few machines have, is not among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CounterList {
    set: CounterSet,
    slices: usize,
}

impl CounterList {
    /// The counters of a set.
    pub const fn new(set: CounterSet, slices: usize) -> Self {
        Self { set, slices }
    }

    fn all(self) -> impl Iterator<Item = Counter> {
        let end = Counter::SliceReads(0).index() as usize + 2 * self.slices;
        let all = Counter::ALL.into_iter();
        all.filter(move |&counter| {
            counter != Counter::StallSums
                && (counter.index() as usize) < end
                && self.set.has(counter)
        })
    }

    /// How many there are.
    pub fn len(self) -> usize {
        self.all().count()
    }

    /// Are there none?
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Are vectors, instructions and what the partitions tell among them?
    pub fn is_full(self) -> bool {
        self.set == CounterSet::Full
    }

    /// Register of the counter at a place.
    pub fn register(self, place: usize) -> usize {
        let mut all = self.all();
        all.nth(place).expect("a place of the list").index() as usize
    }

    /// Place of a counter.
    ///
    /// # Panics
    /// If it is not in the list.
    pub fn place(self, counter: Counter) -> usize {
        let mut all = self.all();
        let place = all.position(|other| other == counter);
        place.expect("a counter of the list")
    }
}

/// Adds the number of counters; in the module name only if it is not the usual one.
pub(super) fn describe(meta: Meta, counts: usize) -> Meta {
    let usual = CounterList::new(CounterSet::Full, USUAL_SLICES).len();
    meta.choice("counts", "n", counts, usual, "counters")
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

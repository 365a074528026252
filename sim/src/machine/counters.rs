//! The hardware counters as the model predicts them.

use heddle_arch::host::Counter;

use super::memory::Accesses;
use super::sequencer::Missing;

/// Things that ISSUE can wait for.
const MISSING: usize = std::mem::size_of::<Missing>();

/// Counts of the units; slice accesses and zero operands are counted by the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Tally {
    pub cycles: u32,
    pub vectors: u32,
    pub macs: u32,
    pub stall_weights: u32,
    pub stall_wait: u32,
    pub stall_sums: u32,
    pub instructions: u32,
    /// Of `stall_wait` the cycles in which one thing alone was missing.
    waited_for: [u32; MISSING],
}

impl Tally {
    pub fn add_wait(&mut self, missing: &Missing) {
        let mut all = (0..).zip(missing).filter(|(_, is_missing)| **is_missing);
        if let (Some((which, _)), None) = (all.next(), all.next()) {
            let count: &mut u32 = &mut self.waited_for[which];
            *count = count.wrapping_add(1);
        }
    }
}

/// Values of all counters after a run; 32 bits, they wrap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    tally: Tally,
    accesses: Accesses,
}

impl Counters {
    pub(crate) fn new(tally: Tally, accesses: Accesses) -> Self {
        Self { tally, accesses }
    }

    /// The value of one counter.
    #[must_use]
    pub fn get(&self, counter: Counter) -> u32 {
        match counter {
            Counter::Cycles => self.tally.cycles,
            Counter::Vectors => self.tally.vectors,
            Counter::Macs => self.tally.macs,
            Counter::StallWeights => self.tally.stall_weights,
            Counter::StallWait => self.tally.stall_wait,
            Counter::StallSums => self.tally.stall_sums,
            Counter::Instructions => self.tally.instructions,
            Counter::MaskReads => self.accesses.mask_reads,
            Counter::MaskWrites => self.accesses.mask_writes,
            Counter::SliceReads(slice) => self.accesses.slice_reads[usize::from(slice)],
            Counter::SliceWrites(slice) => self.accesses.slice_writes[usize::from(slice)],
            Counter::ZeroOperands => self.accesses.zero_operands,
        }
    }

    /// Cycles in which ISSUE waited for one alone: weight, stream and drain unit, the sparse cluster, room for a command of it, loads, stores. The hardware
    /// counts them together.
    #[must_use]
    pub fn waited_for(&self) -> [u32; MISSING] {
        self.tally.waited_for
    }

    /// All counters in the order of their registers.
    pub fn iter(&self) -> impl Iterator<Item = (Counter, u32)> {
        let counters = *self;
        Counter::ALL
            .into_iter()
            .map(move |counter| (counter, counters.get(counter)))
    }
}

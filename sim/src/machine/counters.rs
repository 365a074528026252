//! The hardware counters as the model predicts them.

use heddle_arch::host::Counter;

use super::memory::Accesses;

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

    /// All counters in the order of their registers.
    pub fn iter(&self) -> impl Iterator<Item = (Counter, u32)> {
        let counters = *self;
        Counter::ALL
            .into_iter()
            .map(move |counter| (counter, counters.get(counter)))
    }
}

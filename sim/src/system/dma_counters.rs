//! The counters of the DMA as `docs/dma.md` promises them: what a read must say at least and at most.

use std::collections::VecDeque;
use std::ops::RangeInclusive;

/// How many there are.
pub const COUNTERS: usize = 11;
/// Clocks behind an event in which it may be missing in its counter, without those of reads.
const LATENCY: u32 = 18;

/// What reaches the counters in a clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct CountersInputs {
    /// Reset is not active.
    pub alive: bool,
    /// All are set to 0.
    pub clear: bool,
    /// Which of them have an event.
    pub events: [bool; COUNTERS],
    /// The place that is read.
    pub read: Option<usize>,
}

/// A counter: what it must have, and the events that it may have, each with the clocks for which it may be missing.
#[derive(Debug, Clone, Default)]
struct Count {
    sure: u32,
    young: VecDeque<u32>,
}

/// Eleven counters, clock by clock.
#[derive(Debug, Clone, Default)]
pub struct CountersModel {
    counts: [Count; COUNTERS],
}

impl CountersModel {
    /// One clock cycle. What the read of this cycle may say in the next one: 0 without a read, and of a place without a counter.
    pub fn step(&mut self, inputs: &CountersInputs) -> RangeInclusive<u32> {
        if !inputs.alive {
            *self = Self::default();
            return 0..=0;
        }
        let read = inputs.read.and_then(|place| self.counts.get(place));
        let answer = read.map_or(0..=0, |count| {
            count.sure..=count.sure + count.young.len() as u32
        });
        let ages = u32::from(inputs.read.is_none());
        for (count, event) in self.counts.iter_mut().zip(inputs.events) {
            count.young.iter_mut().for_each(|left| *left -= ages);
            if event {
                count.young.push_back(LATENCY - 1);
            }
            while count.young.front() == Some(&0) {
                count.young.pop_front();
                count.sure += 1;
            }
        }
        if inputs.clear {
            *self = Self::default();
            return 0..=0;
        }
        answer
    }
}

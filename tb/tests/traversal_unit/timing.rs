//! When addresses come, if nothing stalls.

use std::collections::VecDeque;

use crate::bench::Unit;

/// Predicts the cycle of every address from the cycles in which words were taken.
///
/// With the last word taken in t the first address shows in t + 6 + S, S being the register stages
/// of the sum; with two sets of registers not before the cycle behind the last address of the
/// traversal before. A window, and a single set, keep traversals apart.
#[derive(Debug)]
pub struct Timing {
    double: bool,
    sum_stages: u64,
    starts: VecDeque<Start>,
    /// Of the traversal whose addresses were shown last.
    load: u64,
    window: bool,
    last_shown: u64,
    /// Addresses that came one cycle behind another one.
    pub gapless: u64,
    /// First addresses that did.
    pub handovers: u64,
}

#[derive(Debug)]
struct Start {
    /// Cycle in which the last word was taken.
    taken: u64,
    single_word: bool,
    window: bool,
}

impl Timing {
    pub fn new(unit: &Unit) -> Self {
        Self {
            double: unit.double,
            sum_stages: unit.sum_stages,
            starts: VecDeque::new(),
            load: 0,
            window: false,
            last_shown: 0,
            gapless: 0,
            handovers: 0,
        }
    }

    /// The last word of an instruction that starts a traversal was taken.
    pub fn started(&mut self, taken: u64, single_word: bool, window: bool) {
        self.starts.push_back(Start {
            taken,
            single_word,
            window,
        });
    }

    /// An address shows; gives the cycle in which it is due.
    pub fn shown(&mut self, cycle: u64, first: bool, _end: bool) -> u64 {
        let mut due = self.last_shown + 1;
        if first && let Some(start) = self.starts.pop_front() {
            due = self.first_due(&start);
            self.window = start.window;
        }
        self.gapless += u64::from(cycle == self.last_shown + 1);
        self.handovers += u64::from(first && cycle == self.last_shown + 1);
        self.last_shown = cycle;
        due
    }

    fn first_due(&mut self, start: &Start) -> u64 {
        // The word is looked at one cycle after it was taken; word 0 waits for the registers.
        let free = if self.double {
            self.load + 1
        } else {
            self.last_shown
        };
        let mut seen = start.taken + 1;
        if start.single_word {
            seen = seen.max(free);
        }
        let apart = !self.double || start.window || self.window;
        let left = if apart {
            self.last_shown
        } else {
            self.last_shown.saturating_sub(2 + self.sum_stages)
        };
        self.load = left.max(seen + 2);
        self.load + 3 + self.sum_stages
    }
}

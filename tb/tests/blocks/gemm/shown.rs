//! One run as the hardware has shown it.

use super::pins::{Counters, Status};
use super::reads::Reads;
use heddle_sim::blocks::gemm::{GemmResult, GemmRun};
use std::collections::BTreeMap;

/// One run as the hardware has shown it.
#[derive(Debug, Clone)]
pub struct Shown {
    /// What the model says.
    pub model: GemmRun,
    /// Results of each column in their order.
    pub results: Vec<Vec<GemmResult>>,
    /// What was read, as the bench has compared it with the model.
    pub reads: Reads,
    /// Of each row the clocks in which its operands entered the array.
    pub operand_clocks: Vec<Vec<u64>>,
    /// Clocks from the one after the start to the one with `done_o`.
    pub clocks: u64,
    /// What the memories have counted.
    pub counters: Counters,
    /// Status in the clock of `done_o`.
    pub status: Status,
    /// Another run shared some of its clocks: counts are of both.
    pub overlap: bool,
}

impl Shown {
    /// All results by row and channel.
    pub fn sorted(&self) -> Vec<GemmResult> {
        let mut all: Vec<_> = self.results.iter().flatten().copied().collect();
        all.sort_unstable();
        all
    }

    /// The sums of all rows of channel 0, then of channel 1, ...
    pub fn sums(&self) -> Vec<i32> {
        let mut all = self.sorted();
        all.sort_by_key(|result| (result.col, result.row));
        all.iter().map(|result| result.sum).collect()
    }

    /// The same, where each iteration is stored: the sums that were stored last.
    pub fn last_sums(&self) -> Vec<i32> {
        let all = self.results.iter().flatten();
        let last: BTreeMap<_, _> = all
            .map(|result| ((result.col, result.row), result.sum))
            .collect();
        last.into_values().collect()
    }

    /// Number of results.
    pub fn stores(&self) -> usize {
        self.results.iter().map(Vec::len).sum()
    }
}

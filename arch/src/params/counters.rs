//! Which performance counters a machine has.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::host::{CLUSTER_COUNTERS, Counter};

/// Counters that the hardware has. The golden machine has all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CounterSet {
    /// All.
    #[default]
    Full,
    /// Cycles, multiply-accumulates, and cycles in which something waits.
    Basic,
    /// None.
    None,
}

/// Counters of the sparse cluster that a basic set has.
const CLUSTER_BASIC: [&str; 4] = [
    "SPARSE_CYCLES",
    "SPARSE_SLOT_WAITS",
    "SPARSE_PRODUCTS",
    "SPARSE_HOLDS",
];

impl CounterSet {
    pub(super) fn is_full(&self) -> bool {
        *self == CounterSet::Full
    }

    /// Name as in a configuration.
    pub const fn name(self) -> &'static str {
        match self {
            CounterSet::Full => "full",
            CounterSet::Basic => "basic",
            CounterSet::None => "none",
        }
    }

    /// Whether the machine has a counter. A counter that it does not have reads 0.
    pub const fn has(self, counter: Counter) -> bool {
        match self {
            CounterSet::Full => true,
            CounterSet::Basic => matches!(
                counter,
                Counter::Cycles
                    | Counter::Macs
                    | Counter::StallWeights
                    | Counter::StallWait
                    | Counter::StallSums
            ),
            CounterSet::None => false,
        }
    }

    /// Whether the sparse cluster has the counter of this number, which counts in [`CLUSTER_COUNTERS`].
    pub fn has_of_cluster(self, number: usize) -> bool {
        match self {
            CounterSet::Full => true,
            CounterSet::Basic => CLUSTER_BASIC.contains(&CLUSTER_COUNTERS[number]),
            CounterSet::None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_basic_set_says_how_long_it_took_how_much_was_done_and_what_was_waited_for() {
        let names = |set: CounterSet| -> Vec<String> {
            let all = Counter::ALL.into_iter().filter(|&counter| set.has(counter));
            let cluster = (0..CLUSTER_COUNTERS.len()).filter(|&number| set.has_of_cluster(number));
            let cluster = cluster.map(|number| CLUSTER_COUNTERS[number].to_string());
            all.map(Counter::name).chain(cluster).collect()
        };
        let counters = Counter::ALL.len() + CLUSTER_COUNTERS.len();
        assert_eq!(names(CounterSet::Full).len(), counters);
        let basic = "CYCLES MACS STALL_WEIGHTS STALL_WAIT STALL_SUMS SPARSE_CYCLES \
                     SPARSE_SLOT_WAITS SPARSE_PRODUCTS SPARSE_HOLDS";
        assert_eq!(names(CounterSet::Basic).join(" "), basic);
        assert!(names(CounterSet::None).is_empty());
    }
}

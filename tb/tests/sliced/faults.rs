//! Faults planted in the memories, one each, all side by side: the traffic finds every one.

use super::random::traffic;
use super::sides::design;
use super::variants::VARIANTS;
use crate::beside::faults::check_faults;

/// Cycles of traffic, with each seed.
const CYCLES: usize = 3000;

const FAULTS: &str = include_str!("faults.txt");

#[test]
fn faults_are_noticed() {
    check_faults(&VARIANTS, "sliced_", FAULTS, 5, design, |design, seed| {
        let (bench, _) = traffic(design, seed, CYCLES);
        let failures = bench.failures();
        failures
            .map(|(name, text)| (name.into(), text.into()))
            .collect()
    });
}

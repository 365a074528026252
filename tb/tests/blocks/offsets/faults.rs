//! Faults planted in the units, one each, all side by side: the random runs find every one.

use super::random::traffic;
use super::sides::design;
use super::variants::VARIANTS;
use crate::beside::faults::check_faults;

/// Runs of each unit, with each seed.
const RUNS: usize = 20;

const FAULTS: &str = include_str!("faults.txt");

#[test]
fn faults_are_noticed() {
    check_faults(&VARIANTS, "offsets_", FAULTS, 1, design, |design, seed| {
        traffic(design, seed, RUNS).failures()
    });
}

//! Faults planted in the cores, one each, all side by side: random layers find every one.

use super::random::{traffic, wrong};
use super::sides::design;
use super::variants::VARIANTS;
use crate::beside::faults::check_faults;

/// Layers of each core, with each seed.
const LAYERS: usize = 12;

const FAULTS: &str = include_str!("faults.txt");

#[test]
fn faults_are_noticed() {
    check_faults(&VARIANTS, "", FAULTS, 1, design, |design, seed| {
        let (bench, shapes) = traffic(design, seed, LAYERS);
        // The model alone must not be what finds a fault: a core without one gives the loops' sums.
        for (side, shapes) in bench.sides.iter().zip(&shapes) {
            if side.failure.is_none() {
                assert_eq!(wrong(side, shapes), None, "{}", side.name);
            }
        }
        bench.failures()
    });
}

//! Rows that share a banked memory.

use std::collections::{BTreeMap, BTreeSet};

/// What one step asks of the banks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conflict {
    /// Clocks of the step, at least 1.
    pub clocks: usize,
    /// Words that the banks read.
    pub reads: usize,
}

/// The step of rows that read `addresses`; the bank of an address is its remainder.
///
/// With `merge` a bank serves all rows that want one address at once, otherwise one row.
pub fn conflict(addresses: &[Option<u32>], banks: usize, merge: bool) -> Conflict {
    let mut wanted: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    for address in addresses.iter().flatten() {
        let bank = *address as usize % banks;
        wanted.entry(bank).or_default().push(*address);
    }
    let served = |list: &Vec<u32>| match merge {
        true => list.iter().collect::<BTreeSet<_>>().len(),
        false => list.len(),
    };
    let reads: Vec<usize> = wanted.values().map(served).collect();
    Conflict {
        clocks: reads.iter().copied().max().unwrap_or(1),
        reads: reads.iter().sum(),
    }
}

//! Sizes of the cluster.

use heddle_arch::params::Sparse;

/// Sizes of a cluster and of its units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SparseShape {
    /// Weights of a word, and sums.
    pub lanes: usize,
    /// Words of weights.
    pub words: usize,
    /// Lists of weights.
    pub lists: usize,
    /// Words of sums.
    pub sums: usize,
    /// Entries that are written in a clock, a power of two.
    pub entries: usize,
    /// Sets of entries.
    pub sets: usize,
    /// Entries of a set, a power of two.
    pub entry_max: usize,
    /// Units.
    pub units: usize,
    /// Lanes of a slot of a map.
    pub load_lanes: usize,
    /// Groups of output channels with parameters.
    pub tiles: usize,
}

impl SparseShape {
    /// A cluster with these options, lanes given.
    pub fn of(section: &Sparse) -> Self {
        Self {
            lanes: section.channels as usize,
            words: section.weight_words as usize,
            lists: section.lists as usize,
            sums: section.sums as usize,
            entries: section.load_entries as usize,
            sets: section.map_sets as usize,
            entry_max: section.map_entries as usize,
            units: section.units as usize,
            load_lanes: section.load_lanes.expect("lanes are given") as usize,
            tiles: section.tiles as usize,
        }
    }
}

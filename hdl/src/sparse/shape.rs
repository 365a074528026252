//! Sizes of the cluster.

use crate::post::PostOptions;
use heddle_arch::Params;
use heddle_arch::params::{CounterSet, Sparse};

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
    /// Sums are scaled to bytes.
    pub post: bool,
    /// They may be shifted to the left before.
    pub left_shift: bool,
    /// Results are counted.
    pub census: bool,
    /// Counts of positions that are kept, a power of two.
    pub positions: usize,
    /// Sums leave for a machine that takes each of them as it comes.
    pub engine: bool,
    /// What is counted.
    pub counters: CounterSet,
}

impl SparseShape {
    /// The cluster of a configuration, on its own.
    pub fn of(params: &Params) -> Self {
        let shift = params.post.left_shift;
        Self::section(params.sparse_cluster(), shift, false, params.counters)
    }

    /// The cluster as an engine of the machine.
    pub fn engine(params: &Params) -> Self {
        let section = params.sparse_cluster().as_engine();
        Self::section(section, false, true, params.counters)
    }

    fn section(section: Sparse, left_shift: bool, engine: bool, counters: CounterSet) -> Self {
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
            post: section.post,
            left_shift,
            census: section.census,
            positions: section.positions as usize,
            engine,
            counters,
        }
    }

    /// Ports that show a counter or what became of a cut: one, or none if there is nothing to show.
    pub fn shown(&self) -> usize {
        usize::from(self.counters != CounterSet::None || self.census)
    }

    /// What drains it.
    pub fn drain(&self) -> DrainShape {
        DrainShape {
            lanes: self.lanes,
            units: self.units,
            tiles: self.tiles,
            post: self.post,
            left_shift: self.left_shift,
            census: self.census,
            positions: self.positions,
            engine: self.engine,
        }
    }
}

/// Sizes of what drains a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DrainShape {
    /// Sums of a position.
    pub lanes: usize,
    /// Units.
    pub units: usize,
    /// Groups of output channels whose parameters are kept, a power of two.
    pub tiles: usize,
    /// Sums are scaled to bytes.
    pub post: bool,
    /// They may be shifted to the left before.
    pub left_shift: bool,
    /// Results are counted; only if they are scaled.
    pub census: bool,
    /// Counts of positions that are kept, a power of two.
    pub positions: usize,
    /// Sums leave as they come; then they are not scaled.
    pub engine: bool,
}

impl DrainShape {
    /// That of a configuration.
    pub fn of(params: &Params) -> Self {
        SparseShape::of(params).drain()
    }

    /// Cycles from the sums of a position to its bytes.
    pub fn scale_latency(&self) -> usize {
        let options = PostOptions {
            left_shift: self.left_shift,
            ..PostOptions::NONE
        };
        options.scale_latency() * usize::from(self.post)
    }

    /// Results that have a place, a power of two: with fewer the walk would wait although all that leave are taken. A place is in use from
    /// the cycle after the step of the walk until its result is read: the position travels `units` + 5 cycles, is scaled, written and read.
    pub fn slots(&self) -> usize {
        (self.units + self.scale_latency() + 7).next_power_of_two()
    }
}

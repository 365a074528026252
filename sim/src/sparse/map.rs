//! The clocked map memory of a unit.

use std::collections::VecDeque;
use std::ops::Range;

use super::load::Load;
use super::reference::Entry;
use crate::delay::DelayLine;

/// A part of a map, of values or of results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Its rows.
    pub rows: Range<i32>,
    /// Its columns.
    pub cols: Range<i32>,
}

impl Part {
    /// Whether a place lies in it.
    pub fn contains(&self, row: i32, col: i32) -> bool {
        self.rows.contains(&row) && self.cols.contains(&col)
    }
}

/// Inputs in one clock cycle.
#[derive(Debug, Clone, Default)]
pub struct MapInputs {
    /// Entries for this unit.
    pub load: Option<Load>,
    /// A set that is to be read.
    pub read: Option<usize>,
    /// The entry at the outputs is taken.
    pub ready: bool,
}

/// Outputs in one clock cycle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MapOutputs {
    /// An entry finds its set full.
    pub full: bool,
    /// The set is taken.
    pub read_ready: bool,
    /// A set has been read.
    pub read_done: Option<usize>,
    /// An entry.
    pub entry: Option<Entry>,
    /// A set is read, or there is an entry.
    pub busy: bool,
}

/// What has been written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Loaded {
    /// Entries of the part.
    pub entries: u32,
    /// Sets whose last place was taken.
    pub full_sets: u32,
}

/// A set and its entries that are not read yet.
type Reading = (usize, VecDeque<Entry>);

/// The map memory.
#[derive(Debug, Clone)]
pub struct MapModel {
    /// What it takes of a map; stays while entries come.
    pub part: Part,
    sets: Vec<Vec<Entry>>,
    entry_max: usize,
    /// What has been written.
    pub loaded: Loaded,
    load: DelayLine<Option<Load>>,
    /// The set that follows, in the order in which it is read.
    follows: Option<Reading>,
    reading: Option<Reading>,
    /// At the memory, behind it, and at the outputs.
    read: Option<Entry>,
    kept: VecDeque<Entry>,
}

impl MapModel {
    /// Entries that a set holds now.
    #[must_use]
    pub fn count(&self, set: usize) -> usize {
        self.sets[set].len()
    }

    /// A memory of so many sets of so many entries, for a part of a map.
    pub fn new(part: Part, sets: usize, entry_max: usize) -> Self {
        Self {
            part,
            sets: vec![Vec::new(); sets],
            entry_max,
            loaded: Loaded::default(),
            load: DelayLine::new(1),
            follows: None,
            reading: None,
            read: None,
            kept: VecDeque::new(),
        }
    }

    /// The entry at the outputs in this cycle.
    pub fn entry(&self) -> Option<Entry> {
        self.kept.front().copied()
    }

    /// One clock cycle: returns the outputs of this cycle, then takes the clock edge.
    pub fn step(&mut self, inputs: &MapInputs) -> MapOutputs {
        let load = inputs.load.clone().map(|load| self.cut(load));
        let written = self.load.shift(load);
        let moves = self.read.is_none() || self.kept.len() < 2;
        let ends = |(_, left): &&Reading| left.is_empty() || left.len() == 1 && moves;
        let done = self.reading.as_ref().filter(ends).map(|(set, _)| *set);
        let begins = self.reading.is_none() || done.is_some();
        let read_ready = self.follows.is_none() || begins;
        let busy = self.follows.is_some()
            || self.reading.is_some()
            || self.read.is_some()
            || !self.kept.is_empty();
        let outputs = MapOutputs {
            full: false,
            read_ready,
            read_done: done,
            entry: self.entry(),
            busy,
        };

        // What is read moves on.
        let had_room = self.kept.len() < 2;
        if inputs.ready {
            self.kept.pop_front();
        }
        if had_room {
            self.kept.extend(self.read.take());
        }
        if moves {
            self.read = self.reading.as_mut().and_then(|(_, left)| left.pop_front());
        }
        if begins {
            self.reading = self.follows.take();
        }
        if read_ready {
            self.follows = inputs.read.map(|set| (set, in_turn(&self.sets[set])));
        }
        MapOutputs {
            full: written.is_some_and(|load| self.write(load)),
            ..outputs
        }
    }

    /// What lies in the part.
    fn cut(&self, mut load: Load) -> Load {
        load.entries
            .retain(|entry| self.part.contains(entry.row, entry.col));
        load
    }

    /// Writes entries; gives whether one found no place.
    fn write(&mut self, load: Load) -> bool {
        let set = &mut self.sets[load.set];
        if load.first {
            set.clear();
        }
        let had = set.len();
        set.extend(load.entries);
        self.loaded.entries += (set.len() - had) as u32;
        self.loaded.full_sets += u32::from((had + 1..=set.len()).contains(&self.entry_max));
        let is_full = set.len() > self.entry_max;
        set.truncate(self.entry_max);
        is_full
    }
}

/// Entries of a set as they are read: one of each quarter in turn. The quarters in turn are the first of the first half, the first
/// of the second half, then the second ones.
fn in_turn(set: &[Entry]) -> VecDeque<Entry> {
    let halves = set.split_at(set.len().div_ceil(2));
    let quarters = |half: &'_ [Entry]| half.len().div_ceil(2);
    let (a, c) = halves.0.split_at(quarters(halves.0));
    let (b, d) = halves.1.split_at(quarters(halves.1));
    let rows = (0..a.len()).flat_map(|row| [a, b, c, d].map(|quarter| quarter.get(row).copied()));
    rows.flatten().collect()
}

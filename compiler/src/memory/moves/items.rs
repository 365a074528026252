//! What shares places, and where it is loaded.

use std::cmp::Ordering;
use std::ops::Range;

/// Weights of a layer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Item {
    pub layer: usize,
    /// Words in a partition, and partitions.
    pub words: u32,
    pub rows: u32,
    /// Clocks from its begin to that of the next layer with weights.
    pub clocks: u64,
    /// Words of tensors that are loaded for it, and that are stored behind it.
    pub tensors: [u64; 2],
}

/// Where a LOAD stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slot {
    /// In front of the instructions of a layer.
    Before(usize),
    /// Behind the first instruction of a layer that takes weights: those of the layers before have been read.
    Behind(usize),
    /// Behind the first drain of a layer: the layers before have ended.
    Begun(usize),
    /// Behind all instructions of a layer.
    End(usize),
}

impl Slot {
    /// The layer.
    pub fn layer(self) -> usize {
        let (Slot::Before(layer) | Slot::Behind(layer) | Slot::Begun(layer) | Slot::End(layer)) =
            self;
        layer
    }

    fn order(self) -> (usize, u8) {
        let within = match self {
            Slot::Before(_) => 0,
            Slot::Behind(_) => 1,
            Slot::Begun(_) => 2,
            Slot::End(_) => 3,
        };
        (self.layer(), within)
    }
}

impl PartialOrd for Slot {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// As they follow one another in a program.
impl Ord for Slot {
    fn cmp(&self, other: &Self) -> Ordering {
        self.order().cmp(&other.order())
    }
}

/// What the program loads at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Moved {
    /// The layer whose weights they are.
    pub layer: usize,
    /// Words of a partition, and partitions from the first one on.
    pub words: Range<u32>,
    pub rows: u32,
    pub slot: Slot,
}

/// First words of items that have a place.
pub(super) type Places = Vec<Option<u32>>;

impl Moved {
    /// The same behind so many words.
    pub fn from(&self, base: u32) -> Self {
        let Range { start, end } = self.words;
        Self {
            words: base + start..base + end,
            ..self.clone()
        }
    }

    /// Words of memory.
    pub fn words(&self) -> u64 {
        self.words.len() as u64 * u64::from(self.rows)
    }
}

/// Whether words of one are words of the other.
pub(super) fn meet(a: &Range<u32>, b: &Range<u32>) -> bool {
    a.start < b.end && b.start < a.end
}

//! The clocked way from slots to entries.

use std::collections::VecDeque;

use super::reference::Entry;
use crate::delay::DelayLine;

/// Values of one position. A lane is `None` if it has no entry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Slot {
    /// Row of the values.
    pub row: i32,
    /// Their column.
    pub col: i32,
    /// List of weights of lane 0.
    pub list: usize,
    /// First slot of a load.
    pub first: bool,
    /// Last slot of a load.
    pub last: bool,
    /// Set that takes the entries.
    pub set: usize,
    /// Values by lane.
    pub lanes: Vec<Option<i32>>,
}

/// What is on the wave in a clock cycle.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Load {
    /// Row of the entries.
    pub row: i32,
    /// Their column.
    pub col: i32,
    /// Set that takes them.
    pub set: usize,
    /// A load begins.
    pub first: bool,
    /// A load ends.
    pub last: bool,
    /// Entries; the channel is the number of the list of weights.
    pub entries: Vec<Entry>,
}

/// Outputs in one clock cycle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadOutputs {
    /// The slot is taken.
    pub ready: bool,
    /// What is on the wave.
    pub wave: Option<Load>,
}

/// Packs slots: each is cut into what the wave carries in a clock when it is taken.
#[derive(Debug, Clone)]
pub struct LoadModel {
    entries: usize,
    /// Pieces of the slot that was taken last, one for each clock. `None` is not seen.
    pieces: VecDeque<Option<Load>>,
    wave: DelayLine<Option<Load>>,
}

impl LoadModel {
    /// A wave of `entries` entries.
    pub fn new(entries: usize) -> Self {
        Self {
            entries,
            pieces: VecDeque::new(),
            wave: DelayLine::new(2),
        }
    }

    /// One clock cycle: returns the outputs of this cycle, then takes the clock edge.
    pub fn step(&mut self, slot: Option<&Slot>) -> LoadOutputs {
        let piece = self.pieces.pop_front().flatten();
        let ready = self.pieces.is_empty();
        if let Some(slot) = slot.filter(|_| ready) {
            self.pieces = pieces(slot, self.entries);
        }
        LoadOutputs {
            ready,
            wave: self.wave.shift(piece),
        }
    }
}

/// What a slot puts on the wave, clock by clock.
fn pieces(slot: &Slot, size: usize) -> VecDeque<Option<Load>> {
    let lanes = slot.lanes.iter().enumerate();
    let entries = lanes.filter_map(|(lane, value)| {
        Some(Entry {
            value: (*value)?,
            channel: (slot.list + lane) % 512,
            row: slot.row,
            col: slot.col,
        })
    });
    let entries: Vec<Entry> = entries.collect();
    if entries.is_empty() && !slot.first && !slot.last {
        return VecDeque::from([None]);
    }
    let count = entries.len().div_ceil(size).max(1);
    let piece = |at: usize| Load {
        row: slot.row,
        col: slot.col,
        set: slot.set,
        first: slot.first && at == 0,
        last: slot.last && at + 1 == count,
        entries: entries.iter().skip(at * size).take(size).copied().collect(),
    };
    (0..count).map(|at| Some(piece(at))).collect()
}

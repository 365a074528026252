//! The clocked post-processing lane: scaling, clamping and packing of bytes.

use super::pool::reduce;
use super::requantise::{DualScale, Scale, requantise, requantise_dual};
use crate::buffer::DrainWord;
use crate::delay::DelayLine;
use heddle_arch::isa::Reduction;

/// A scale on its way to the memory of one lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ParameterWrite {
    /// The write is valid.
    pub valid: bool,
    /// Lanes still to pass; taken where it is 0.
    pub column: u8,
    /// Column tile.
    pub tile: u8,
    /// See [`Scale::of_word`] and [`DualScale::of_word`].
    pub data: u64,
}

/// An entry of the activation tables of all lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EntryWrite {
    /// The write is valid.
    pub valid: bool,
    /// 256 times the table from 0 on, plus the byte that is replaced.
    pub entry: u16,
}

/// Inputs that travel from lane to lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PostInputs {
    /// Load the scale of `tile`; the lane is active afterwards if `skip` is 0 and `columns` is not.
    pub load: bool,
    /// Column tile of a load.
    pub tile: u8,
    /// Columns at a load before the first active one; 0 stays 0.
    pub skip: u16,
    /// Columns active from there on; 0 stays 0.
    pub columns: u16,
    /// The lane's sum is to be scaled and stored.
    pub valid: bool,
    /// Byte address of the result.
    pub destination: u16,
    /// Last byte of this drain.
    pub flush: bool,
    /// The sum begins a window. Only lanes with pooling look at it.
    pub first: bool,
    /// The sum ends its window, whose result goes to `destination`. Only lanes with pooling look at it.
    pub last: bool,
    /// Write port.
    pub write: ParameterWrite,
    /// Write port of the activation tables; the byte is the lowest one of `write.data`.
    pub entry: EntryWrite,
}

/// Broadcast settings of a drain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PostSettings {
    /// Round once instead of twice.
    pub single: bool,
    /// Sums have two parts and a factor for each.
    pub dual: bool,
    /// Lower clamp bound, 9 bits signed.
    pub low: i16,
    /// Upper clamp bound, 9 bits signed.
    pub high: i16,
    /// What becomes of a window.
    pub reduction: Reduction,
    /// Activation table from 1 on, 0 for none.
    pub table: u8,
}

/// Inputs of one lane in one clock cycle.
#[derive(Debug, Clone, Copy, Default)]
pub struct PostLaneInputs {
    /// Travelling inputs.
    pub slot: PostInputs,
    /// Broadcast settings.
    pub settings: PostSettings,
    /// Sum of this column for the slot.
    pub acc: i32,
}

/// Outputs of one lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PostLaneOutputs {
    /// Travelling inputs as the next lane gets them.
    pub next: PostInputs,
    /// Word to be stored.
    pub drain: Option<DrainWord>,
}

/// A result byte on its way to the byte packer.
#[derive(Debug, Clone, Copy)]
struct ResultByte {
    destination: u16,
    value: u8,
    flush: bool,
}

/// The word being packed.
#[derive(Debug, Clone, Copy)]
struct PackedWord {
    drain: DrainWord,
    complete: bool,
}

/// One lane. A byte reaches the byte packer a constant number of cycles after its slot. A word leaves
/// in the cycle in which a byte of another word arrives there, or one cycle after its flush byte.
#[derive(Debug, Clone)]
pub struct PostLaneModel {
    /// Data words.
    scales: Vec<u64>,
    /// Sums of the window under way; none without pooling.
    window: Option<Vec<i32>>,
    /// Bytes to store, by table and scaled byte.
    entries: Vec<u8>,
    /// Else a left shift is taken as 0.
    left_shift: bool,
    current: Option<u64>,
    next: DelayLine<PostInputs>,
    bytes: DelayLine<Option<ResultByte>>,
    loads: DelayLine<bool>,
    packed: Option<PackedWord>,
}

impl PostLaneModel {
    /// A lane with `tiles` scales whose bytes reach the byte packer after `latency_cycles`.
    pub fn new(tiles: usize, latency_cycles: usize) -> Self {
        Self {
            scales: vec![0; tiles],
            window: None,
            entries: Vec::new(),
            left_shift: false,
            current: None,
            next: DelayLine::new(1),
            bytes: DelayLine::new(latency_cycles),
            loads: DelayLine::new(latency_cycles),
            packed: None,
        }
    }

    /// The lane with windows of sums, so many activation tables, and left shifts.
    #[must_use]
    pub fn with_options(self, pooling: bool, tables: usize, left_shift: bool) -> Self {
        Self {
            window: pooling.then(Vec::new),
            entries: vec![0; 256 * tables],
            left_shift,
            ..self
        }
    }

    /// The sum to be scaled in this cycle, if there is one.
    fn reduced(&mut self, inputs: &PostLaneInputs) -> Option<i32> {
        let Some(window) = &mut self.window else {
            return Some(inputs.acc);
        };
        if inputs.slot.first {
            window.clear();
        }
        window.push(inputs.acc);
        let complete = inputs.slot.last;
        complete.then(|| reduce(window, inputs.settings.reduction))
    }

    fn activated(&self, byte: u8, table: u8) -> u8 {
        match usize::from(table) {
            0 => byte,
            table => self.entries[256 * (table - 1) + usize::from(byte)],
        }
    }

    /// One clock cycle: returns the outputs of this cycle, then takes the clock edge.
    pub fn step(&mut self, inputs: &PostLaneInputs) -> PostLaneOutputs {
        let slot = &inputs.slot;
        let taken = self.current.filter(|_| slot.valid);
        let result = taken.and_then(|word| Some((word, self.reduced(inputs)?)));
        let byte = result.map(|(word, sum)| {
            let settings = inputs.settings;
            let scaled = match settings.dual {
                true => requantise_dual(sum, DualScale::of_word(word), settings.single),
                false => requantise(sum, Scale::of_word(word, self.left_shift), settings.single),
            };
            let clamped = scaled.min(settings.high.into()).max(settings.low.into());
            ResultByte {
                destination: slot.destination,
                value: self.activated(clamped as u8, settings.table),
                flush: slot.flush,
            }
        });
        if slot.load {
            let scale = self.scales[usize::from(slot.tile)];
            self.current = (slot.skip == 0 && slot.columns != 0).then_some(scale);
        }
        if slot.write.valid && slot.write.column == 0 {
            self.scales[usize::from(slot.write.tile)] = slot.write.data;
        }
        if slot.entry.valid {
            self.entries[usize::from(slot.entry.entry)] = slot.write.data as u8;
        }
        let mut next = *slot;
        match slot.skip {
            0 => next.columns = slot.columns.saturating_sub(1),
            _ => next.skip -= 1,
        }
        next.write.column = slot.write.column.wrapping_sub(1);

        let byte = self.bytes.shift(byte);
        // A load beside a slot goes on with the drain.
        let load = self.loads.shift(slot.load && !slot.valid);
        PostLaneOutputs {
            next: self.next.shift(next),
            drain: self.pack(load, byte),
        }
    }

    /// Takes at most one byte into the packed word; returns the word that is pushed out. A load
    /// first forgets a word that was not flushed: it is left over from a drain that was stopped.
    fn pack(&mut self, load: bool, byte: Option<ResultByte>) -> Option<DrainWord> {
        if load {
            self.packed = self.packed.filter(|held| held.complete);
        }
        let leaves = self.packed.is_some_and(|held| {
            held.complete || byte.is_some_and(|b| b.destination >> 3 != held.drain.word)
        });
        let out = match leaves {
            true => self.packed.take().map(|held| held.drain),
            false => None,
        };
        if let Some(byte) = byte {
            let held = self.packed.get_or_insert(PackedWord {
                drain: DrainWord {
                    word: byte.destination >> 3,
                    data: 0,
                },
                complete: false,
            });
            let mut bytes = held.drain.data.to_le_bytes();
            bytes[usize::from(byte.destination & 7)] = byte.value;
            held.drain.data = u64::from_le_bytes(bytes);
            held.complete = byte.flush;
        }
        out
    }
}

/// The chain of lanes.
#[derive(Debug, Clone)]
pub struct PostModel {
    lanes: Vec<PostLaneModel>,
}

impl PostModel {
    /// `cols` lanes with `tiles` scales each; see [`PostLaneModel::new`] for the latency.
    pub fn new(cols: usize, tiles: usize, latency_cycles: usize) -> Self {
        Self {
            lanes: vec![PostLaneModel::new(tiles, latency_cycles); cols],
        }
    }

    /// The chain of lanes with windows of sums, so many activation tables each, and left shifts.
    #[must_use]
    pub fn with_options(self, pooling: bool, tables: usize, left_shift: bool) -> Self {
        let lanes = self.lanes.into_iter();
        Self {
            lanes: lanes
                .map(|lane| lane.with_options(pooling, tables, left_shift))
                .collect(),
        }
    }

    /// One clock cycle with the slot that enters the first lane and the sums of all columns:
    /// returns the word that each lane stores, then takes the clock edge.
    ///
    /// # Panics
    /// If `accs` does not have one entry per lane.
    pub fn step(
        &mut self,
        slot: &PostInputs,
        settings: PostSettings,
        accs: &[i32],
    ) -> Vec<Option<DrainWord>> {
        let mut slot = *slot;
        let mut words = Vec::with_capacity(self.lanes.len());
        for (lane, acc) in self.lanes.iter_mut().zip(accs) {
            let outputs = lane.step(&PostLaneInputs {
                slot,
                settings,
                acc: *acc,
            });
            slot = outputs.next;
            words.push(outputs.drain);
        }
        assert_eq!(words.len(), self.lanes.len(), "one sum per lane");
        words
    }
}

//! The clocked engine of SPARSE_LOAD.

use std::collections::VecDeque;

use heddle_arch::isa::fields::sparse::{load, load_chunks, load_first, load_size};

use super::load::Slot;

/// Inputs in one clock cycle.
#[derive(Debug, Clone, Default)]
pub struct SlotsInputs {
    /// A word of the command, and its place in it.
    pub command: Option<(usize, u32)>,
    /// The command begins.
    pub start: bool,
    /// Bytes of a word of the map that is offered.
    pub map: Option<Vec<u8>>,
    /// The slot is taken.
    pub slot_ready: bool,
    /// The set is free.
    pub free: bool,
}

/// Outputs in one clock cycle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlotsOutputs {
    /// A command is under way.
    pub busy: bool,
    /// The word of the map is taken.
    pub map_ready: bool,
    /// A slot.
    pub slot: Option<Slot>,
    /// Units that the entries are for.
    pub mask: Vec<bool>,
    /// A chunk is to begin, in this set.
    pub asks: Option<usize>,
    /// It begins.
    pub begins: bool,
}

/// What becomes of a command whose last slot is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rest {
    /// Nothing is left.
    None,
    /// Its entries are picked.
    Picked,
    /// The last ones are on their way to the wave.
    Sent,
}

/// The engine.
#[derive(Debug, Clone)]
pub struct SlotsModel {
    lanes: usize,
    sets: usize,
    units: usize,
    /// Words of the last command.
    words: [u32; 7],
    /// Slots that are not taken, without values; whether a chunk begins with them that asks for a set.
    places: VecDeque<(Slot, bool)>,
    /// The chunk of the first of them has begun.
    begun: bool,
    /// Bytes of its values.
    bytes: Vec<u8>,
    rest: Rest,
}

impl SlotsModel {
    /// Slots of so many lanes, for so many sets and units.
    pub fn new(lanes: usize, sets: usize, units: usize) -> Self {
        Self {
            lanes,
            sets,
            units,
            words: [0; 7],
            places: VecDeque::new(),
            begun: false,
            bytes: Vec::new(),
            rest: Rest::None,
        }
    }

    /// The slot that is offered. It follows registers alone, as what takes it does.
    pub fn slot(&self) -> Option<Slot> {
        let (place, _) = self.places.front()?;
        let lanes = self.bytes.iter().take(self.lanes).enumerate();
        let lanes = lanes.map(|(lane, byte)| self.value(lane, *byte));
        (self.is_full() && self.begun).then(|| Slot {
            lanes: lanes.collect(),
            ..place.clone()
        })
    }

    /// The set of a chunk that is to begin. It follows registers alone.
    pub fn asks(&self) -> Option<usize> {
        let (place, _) = self.places.front()?;
        (!self.begun).then_some(place.set)
    }

    /// Units that the entries are for; follows no input.
    pub fn mask(&self) -> Vec<bool> {
        let mask = |unit| self.words[5 + unit / 32] >> (unit % 32) & 1 == 1;
        (0..self.units).map(mask).collect()
    }

    /// One clock cycle: returns the outputs of this cycle, then takes the clock edge.
    pub fn step(&mut self, inputs: &SlotsInputs) -> SlotsOutputs {
        let slot = self.slot();
        let asks = self.asks();
        let next = slot.is_some() && inputs.slot_ready;
        let room = !self.is_full() || next && self.places.len() > 1;
        let map_ready = !self.places.is_empty() && room;
        let outputs = SlotsOutputs {
            busy: !self.places.is_empty() || self.rest != Rest::None,
            map_ready,
            slot,
            mask: self.mask(),
            asks,
            begins: asks.is_some() && inputs.free,
        };

        self.rest = match self.rest {
            Rest::Picked if inputs.slot_ready => Rest::Sent,
            Rest::Picked => Rest::Picked,
            Rest::None | Rest::Sent => Rest::None,
        };
        self.begun |= outputs.begins;
        if next {
            self.places.pop_front();
            self.bytes.clear();
            self.look_ahead();
            if self.places.is_empty() {
                self.rest = Rest::Picked;
            }
        }
        if let Some(bytes) = inputs.map.as_ref().filter(|_| map_ready) {
            self.bytes.extend(bytes);
        }
        if let Some((place, word)) = inputs.command {
            self.words[place] = word;
        }
        if inputs.start {
            self.places = self.map();
            self.look_ahead();
        }
        outputs
    }

    fn is_full(&self) -> bool {
        self.bytes.len() >= self.lanes
    }

    /// A slot within a chunk, or of a chunk that goes on with a load, needs no leave.
    fn look_ahead(&mut self) {
        self.begun = self.places.front().is_some_and(|(_, asks)| !asks);
    }

    /// What a byte stands for.
    fn value(&self, lane: usize, byte: u8) -> Option<i32> {
        let is_loaded = lane < load::LANES.get(self.words[1]) as usize;
        let is_negative = u32::from(byte) > load::THRESHOLD.get(self.words[1]);
        let value = i32::from(byte) - if is_negative { 256 } else { 0 };
        (is_loaded && byte != 0).then_some(value)
    }

    /// All slots of the command.
    fn map(&self) -> VecDeque<(Slot, bool)> {
        let word = |place: usize| self.words[place];
        let first_row = load_first::ROW.get(word(2));
        let first_col = load_first::COL.get(word(2));
        let rows = first_row..first_row + load_size::ROWS.get(word(3));
        let cols = first_col..first_col + load_size::COLS.get(word(3));
        let chunks = load_chunks::CHUNKS.get(word(4)) as usize + 1;
        let mut map = VecDeque::new();
        for chunk in 0..chunks {
            let at = map.len();
            for row in rows.clone() {
                let slot = |col| (self.place(chunk, row, col), false);
                map.extend(cols.clone().map(slot));
            }
            let begins = match chunk {
                0 => !load::APPEND.is_set(word(1)),
                _ => load::ALTERNATE.is_set(word(1)),
            };
            let ends = match chunk + 1 == chunks {
                true => !load::MORE.is_set(word(1)),
                false => load::ALTERNATE.is_set(word(1)),
            };
            if let Some((slot, asks)) = map.get_mut(at) {
                (slot.first, *asks) = (begins, begins);
            }
            if let Some((slot, _)) = map.back_mut() {
                slot.last = ends;
            }
        }
        map
    }

    /// Where a slot goes. A stride makes a map of each phase, with lists of its own.
    fn place(&self, chunk: usize, row: u32, col: u32) -> Slot {
        let stride = 1 << load::STRIDE.get(self.words[1]);
        let phase = (row % stride * stride + col % stride) as usize;
        let list = load::LIST.get(self.words[1]) as usize;
        let step = load_chunks::STEP.get(self.words[4]) as usize;
        let set = load::SET.get(self.words[1]) as usize;
        let alternates = load::ALTERNATE.is_set(self.words[1]);
        Slot {
            row: (row / stride) as i32,
            col: (col / stride) as i32,
            list: (list + chunk * step + self.lanes * phase) % 512,
            set: (set + if alternates { chunk } else { 0 }) % self.sets,
            ..Slot::default()
        }
    }
}

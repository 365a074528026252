//! What commands of a cluster mean, one after the other and without clocks.

use std::collections::VecDeque;

use heddle_arch::isa::fields::sparse::{
    drain, drain_bounds, drain_first, drain_group, drain_size, header, load, load_chunks,
    load_first, load_size, run, set, weights, weights_lists,
};
use heddle_arch::isa::sparse::{
    ChannelScale, OP_DRAIN, OP_LOAD, OP_RUN, OP_SCALE, OP_SET, OP_WEIGHTS, SparseError,
};
use heddle_arch::params::Sparse;
use heddle_arch::requantise::{Rounding, Scale, requantise};

use super::head::{channel, header_fault, is_bad};
use super::interpreter_unit::{Run, SetState, Unit};
use super::reference::Entry;
use super::weights::FillWord;

/// Why a command is not carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CommandFault {
    /// The cluster stops.
    #[error("the cluster stops: {}", .0.name())]
    Stops(SparseError),
    /// The hardware does something that is not defined.
    #[error("{0}")]
    Undefined(&'static str),
}

/// A part of a load that begins with a set of its own, or goes on with one.
#[derive(Debug, Clone)]
struct Chunk {
    set: usize,
    units: u64,
    begins: bool,
    ends: bool,
    /// Their channels are numbers of lists.
    entries: Vec<Entry>,
}

/// A cluster that carries out each command as far as it can before it takes the next one.
///
/// Loads wait for their sets and runs for their entries while other commands go on, as in the hardware; a command that would wait for ever
/// is [`SparseError::Stuck`]. Sums hold noise before the first drain clears them.
#[derive(Debug, Clone)]
pub struct SparseInterpreter {
    params: Sparse,
    left_shift: bool,
    units: Vec<Unit>,
    /// Chunks of the load under way that have not begun.
    loading: VecDeque<Chunk>,
    /// Parameters by tile and lane.
    scales: Vec<ChannelScale>,
}

impl SparseInterpreter {
    /// A cluster after reset; with or without shifts to the left in front of the scaling.
    ///
    /// # Panics
    /// If the lanes of a map are not given.
    pub fn new(params: Sparse, left_shift: bool) -> Self {
        assert!(params.load_lanes.is_some(), "lanes are given");
        let channels = params.tiles * params.channels;
        Self {
            units: (0..params.units).map(|_| Unit::new(&params)).collect(),
            left_shift,
            loading: VecDeque::new(),
            scales: vec![ChannelScale::default(); channels as usize],
            // Results are not counted here, and no map is cut.
            params: Sparse {
                census: false,
                ..params
            },
        }
    }

    /// All loads and runs are done.
    pub fn is_idle(&self) -> bool {
        self.loading.is_empty() && self.units.iter().all(|unit| unit.runs.is_empty())
    }

    /// Carries out the words of a command, its header first; gives the words of results.
    ///
    /// # Errors
    /// What stops the cluster, or what the hardware does not define. Nothing is to be executed behind an error.
    ///
    /// # Panics
    /// If there is no word.
    pub fn execute(
        &mut self,
        command: &[u32],
        map: &mut impl Iterator<Item = u64>,
        weights: &mut impl Iterator<Item = u64>,
    ) -> Result<Vec<u64>, CommandFault> {
        self.check(command).map_err(CommandFault::Stops)?;
        stuck_if(header::WAIT_RUNS.is_set(command[0]) && self.names(|_| true))?;
        let mut results = Vec::new();
        match header::OPCODE.get(command[0]) {
            OP_SET => self.set(command)?,
            OP_LOAD => self.load(command, map)?,
            OP_WEIGHTS => self.weights(command, weights)?,
            OP_RUN => self.run(command)?,
            OP_DRAIN => results = self.drain(command)?,
            _ => self.scale(command),
        }
        self.settle()?;
        Ok(results)
    }

    fn check(&self, command: &[u32]) -> Result<(), SparseError> {
        let [first, rest @ ..] = command else {
            panic!("a command has words");
        };
        if let Some(error) = header_fault(&self.params, *first) {
            return Err(error);
        }
        let is_scale = header::OPCODE.get(*first) == OP_SCALE;
        if header::LENGTH.get(*first) as usize != command.len()
            || is_scale && command.len() % 3 != 2
        {
            return Err(SparseError::BadLength);
        }
        let wrong = |at: &usize| is_bad(&self.params, &command[..*at + 1], rest[*at]);
        match (0..rest.len()).find(wrong) {
            Some(_) => Err(SparseError::BadField),
            None => Ok(()),
        }
    }

    fn set(&mut self, command: &[u32]) -> Result<(), CommandFault> {
        let unit = set::UNIT.get(command[1]) as usize;
        let units = match set::ALL.is_set(command[1]) {
            true => 0..self.units.len(),
            false => unit..unit + 1,
        };
        let first = set::REGISTER.get(command[1]) as usize;
        for (register, value) in (first..).zip(&command[2..]) {
            let waits = match register {
                0 | 1 => !self.loading.is_empty(),
                4.. => self.names(|run| run.region() == (register >= 6)),
                _ => false,
            };
            stuck_if(waits)?;
            for unit in &mut self.units[units.clone()] {
                unit.registers[register] = *value;
            }
        }
        Ok(())
    }

    fn load(
        &mut self,
        command: &[u32],
        map: &mut impl Iterator<Item = u64>,
    ) -> Result<(), CommandFault> {
        stuck_if(!self.loading.is_empty())?;
        let [appends, more, alternates] =
            [load::APPEND, load::MORE, load::ALTERNATE].map(|flag| flag.is_set(command[1]));
        let chunks = load_chunks::CHUNKS.get(command[4]) as usize + 1;
        for chunk in 0..chunks {
            let set = load::SET.get(command[1]) as usize + if alternates { chunk } else { 0 };
            let (is_first, is_last) = (chunk == 0, chunk + 1 == chunks);
            self.loading.push_back(Chunk {
                set: set % self.params.map_sets as usize,
                units: mask(&command[5..]),
                begins: if is_first { !appends } else { alternates },
                ends: if is_last { !more } else { alternates },
                entries: self.entries(command, chunk as u32, map)?,
            });
        }
        Ok(())
    }

    /// The values of a chunk that are not zero.
    fn entries(
        &self,
        command: &[u32],
        chunk: u32,
        map: &mut impl Iterator<Item = u64>,
    ) -> Result<Vec<Entry>, CommandFault> {
        let lanes = self.params.load_lanes.expect("lanes are given");
        let stride = 1 << load::STRIDE.get(command[1]);
        let threshold = load::THRESHOLD.get(command[1]);
        let list = load::LIST.get(command[1]) + chunk * load_chunks::STEP.get(command[4]);
        let mut entries = Vec::new();
        for row in span(
            load_first::ROW.get(command[2]),
            load_size::ROWS.get(command[3]),
        ) {
            for col in span(
                load_first::COL.get(command[2]),
                load_size::COLS.get(command[3]),
            ) {
                let phase = row % stride * stride + col % stride;
                let bytes = bytes(map, lanes as usize)?;
                let loaded = bytes.iter().take(load::LANES.get(command[1]) as usize);
                for (lane, byte) in (0..).zip(loaded).filter(|(_, byte)| **byte != 0) {
                    let is_negative = u32::from(*byte) > threshold;
                    entries.push(Entry {
                        value: i32::from(*byte) - if is_negative { 256 } else { 0 },
                        channel: ((list + lanes * phase + lane) % 512) as usize,
                        row: (row / stride) as i32,
                        col: (col / stride) as i32,
                    });
                }
            }
        }
        Ok(entries)
    }

    fn weights(
        &mut self,
        command: &[u32],
        record: &mut impl Iterator<Item = u64>,
    ) -> Result<(), CommandFault> {
        let half = weights_lists::HALF.is_set(command[2]);
        stuck_if(self.names(|run| run.half() == half))?;
        let count = weights::WORDS.get(command[1]) as usize;
        let mut words = Vec::new();
        while words.len() < count {
            let indices = next(record)?;
            for place in 0..4.min(count - words.len()) {
                let weights = bytes(record, self.params.channels as usize)?;
                words.push(FillWord {
                    weights: weights.into_iter().map(|byte| byte as i8).collect(),
                    index: (indices >> (16 * place)) as u16,
                });
            }
        }
        let first = weights::FIRST.get(command[1]) as usize;
        let list = weights_lists::LIST.get(command[2]) as usize;
        for unit in chosen(&mut self.units, mask(&command[3..])) {
            unit.fill(first, list, &words)?;
        }
        Ok(())
    }

    fn run(&mut self, command: &[u32]) -> Result<(), CommandFault> {
        let units = mask(&command[2..]);
        let set = run::SET.get(command[1]) as usize;
        let loads = !self.loading.is_empty();
        for unit in chosen(&mut self.units, units) {
            if unit.sets[set].state == SetState::Free && !loads {
                return Err(CommandFault::Stops(SparseError::SparseOrder));
            }
            // One is under way, one waits.
            stuck_if(unit.runs.len() == 2)?;
        }
        let run = Run::new(command[1], self.params.map_sets as usize);
        for unit in chosen(&mut self.units, units) {
            unit.runs.push_back(run.clone());
        }
        Ok(())
    }

    fn drain(&mut self, command: &[u32]) -> Result<Vec<u64>, CommandFault> {
        let [region, discards, keeps] =
            [drain::REGION, drain::DISCARD, drain::KEEP].map(|flag| flag.is_set(command[1]));
        stuck_if(self.names(|run| run.region() == region))?;
        let (pitch, area) = (drain::PITCH.get(command[1]), drain::AREA.get(command[1]));
        let mut results = Vec::new();
        for group in 0..drain::GROUPS.get(command[1]) {
            let share = drain_group::SHARE.get(command[4]) + group / drain::EACH.get(command[1]);
            let tile = (drain_group::TILE.get(command[4]) + group) % 256 % self.params.tiles;
            let number = (drain_group::GROUP.get(command[4]) + group) % 16;
            for row in span(
                drain_first::ROW.get(command[2]),
                drain_size::ROWS.get(command[3]),
            ) {
                let cols = drain_size::COLS.get(command[3]);
                for col in span(drain_first::COL.get(command[2]), cols) {
                    let word = ((number << area) + (row << pitch) + col) as usize;
                    let mut sums = self.first_sums(tile);
                    for unit in &mut self.units {
                        if unit.share() == share % 64 && unit.keeps(region, row, col) {
                            unit.drain(word, keeps, &mut sums);
                        }
                    }
                    if !discards {
                        results.extend(self.result(&sums, tile, command[5])?);
                    }
                }
            }
        }
        Ok(results)
    }

    /// What the sums of a tile begin with.
    fn first_sums(&self, tile: u32) -> Vec<i32> {
        let scales = self.tile(tile).iter();
        let bias = |scale: &ChannelScale| if self.params.post { scale.bias } else { 0 };
        scales.map(bias).collect()
    }

    fn tile(&self, tile: u32) -> &[ChannelScale] {
        let lanes = self.params.channels as usize;
        &self.scales[tile as usize * lanes..][..lanes]
    }

    /// The words of a result.
    fn result(&self, sums: &[i32], tile: u32, bounds: u32) -> Result<Vec<u64>, CommandFault> {
        if !self.params.post {
            return Ok(pack(sums.iter().flat_map(|sum| sum.to_le_bytes())));
        }
        let signed = |bits: u32| (bits as i32) << 23 >> 23;
        let lo = signed(drain_bounds::LO.get(bounds));
        let hi = signed(drain_bounds::HI.get(bounds));
        let rounding = match drain_bounds::SINGLE.is_set(bounds) {
            true => Rounding::Single,
            false => Rounding::Double,
        };
        let mut bytes = Vec::new();
        for (sum, scale) in sums.iter().zip(self.tile(tile)) {
            let shift = match self.left_shift {
                true => scale.shift,
                false => scale.shift.min(0),
            };
            let scale = Scale::new(scale.multiplier as i32, shift);
            let scale = scale.map_err(|_| CommandFault::Undefined("a shift is out of range"))?;
            bytes.push(requantise(*sum, scale, rounding).min(hi).max(lo) as u8);
        }
        Ok(pack(bytes.into_iter()))
    }

    fn scale(&mut self, command: &[u32]) {
        for (behind, values) in (0..).zip(command[2..].chunks_exact(3)) {
            let (tile, lane) = channel(&self.params, command[1], behind);
            self.scales[(tile * self.params.channels + lane) as usize] = ChannelScale {
                bias: values[0] as i32,
                multiplier: values[1],
                shift: (values[2] as i32) << 26 >> 26,
            };
        }
    }

    /// Whether a run of a unit names something.
    fn names(&self, what: impl Fn(&Run) -> bool) -> bool {
        let mut runs = self.units.iter().flat_map(|unit| &unit.runs);
        runs.any(what)
    }

    /// Chunks and runs go on as long as one of them can.
    fn settle(&mut self) -> Result<(), CommandFault> {
        loop {
            let mut moved = self.begin_chunk()?;
            for unit in &mut self.units {
                moved |= unit.step()?;
            }
            if !moved {
                return Ok(());
            }
        }
    }

    /// The next chunk, if its set is free in all its units.
    fn begin_chunk(&mut self) -> Result<bool, CommandFault> {
        let Some(chunk) = self.loading.front() else {
            return Ok(false);
        };
        let is_taken = |unit: &mut Unit| unit.sets[chunk.set].state != SetState::Free;
        if chunk.begins && chosen(&mut self.units, chunk.units).any(is_taken) {
            return Ok(false);
        }
        for unit in chosen(&mut self.units, chunk.units) {
            if chunk.begins {
                unit.begin(chunk.set);
            }
            unit.append(chunk.set, &chunk.entries)?;
            if chunk.ends {
                unit.sets[chunk.set].state = SetState::Full;
            }
        }
        self.loading.pop_front();
        Ok(true)
    }
}

fn stuck_if(waits: bool) -> Result<(), CommandFault> {
    match waits {
        true => Err(CommandFault::Stops(SparseError::Stuck)),
        false => Ok(()),
    }
}

fn span(first: u32, count: u32) -> std::ops::Range<u32> {
    first..first + count
}

/// Units that two words name.
fn mask(words: &[u32]) -> u64 {
    u64::from(words[0]) | u64::from(words[1]) << 32
}

fn chosen(units: &mut [Unit], mask: u64) -> impl Iterator<Item = &mut Unit> {
    let units = (0..).zip(units);
    units.filter_map(move |(number, unit)| (mask >> number & 1 == 1).then_some(unit))
}

fn next(stream: &mut impl Iterator<Item = u64>) -> Result<u64, CommandFault> {
    stream
        .next()
        .ok_or(CommandFault::Undefined("a stream ends"))
}

/// So many bytes of whole words.
fn bytes(stream: &mut impl Iterator<Item = u64>, count: usize) -> Result<Vec<u8>, CommandFault> {
    let mut bytes = Vec::new();
    while bytes.len() < count {
        bytes.extend(next(stream)?.to_le_bytes());
    }
    bytes.truncate(count);
    Ok(bytes)
}

/// Bytes in words, the first one lowest.
fn pack(bytes: impl Iterator<Item = u8>) -> Vec<u64> {
    let bytes: Vec<u8> = bytes.collect();
    let word = |bytes: &[u8]| {
        let bytes = bytes.iter().rev();
        bytes.fold(0, |word, byte| word << 8 | u64::from(*byte))
    };
    bytes.chunks(8).map(word).collect()
}

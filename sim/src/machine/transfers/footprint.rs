//! The places that an instruction reads and writes.

use std::ops::Range;

use heddle_arch::isa::{
    CopyWords, Drain, Instruction, LoadWeights, Matmul, ROW_PROLOGUE, ROW_TENSOR, SystemError,
};
use heddle_arch::params::Params;
use heddle_arch::transfer::{Space, Transfer};
use heddle_arch::word::WORD_BYTES;

use super::super::datapath::Datapath;
use super::super::memory::OwnAddress;
use super::super::walk::{Step, Walk};
use super::turns;

/// Memories that a program loads.
const SPACES: [Space; 5] = [
    Space::Buffer,
    Space::Columns,
    Space::Rows,
    Space::Tables,
    Space::Program,
];

/// Places of each memory: partitions, columns or rows, and numbers in each.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes([[u32; 2]; SPACES.len()]);

impl Sizes {
    pub fn of(params: &Params) -> Self {
        Self([
            [params.array.rows, params.partition_words()],
            [params.array.cols, params.column_tiles],
            [params.array.rows, params.state_buffer.row_offsets],
            [1, 256 * params.post.activations],
            [1, params.program.words / 2],
        ])
    }
}

/// Some places, a bit for each.
#[derive(Debug, Clone)]
pub(super) struct Places {
    sizes: Sizes,
    bits: [Vec<u64>; SPACES.len()],
}

impl Places {
    fn none(sizes: Sizes) -> Self {
        Self {
            sizes,
            bits: Default::default(),
        }
    }

    /// Adds a place that may not exist; whether it does.
    fn add(&mut self, space: Space, [partition, place]: [u32; 2]) -> bool {
        let [partitions, each] = self.sizes.0[space as usize];
        if partition >= partitions || place >= each {
            return false;
        }
        let bits = &mut self.bits[space as usize];
        if bits.is_empty() {
            bits.resize((partitions * each).div_ceil(64) as usize, 0);
        }
        let at = partition * each + place;
        bits[at as usize / 64] |= 1 << (at % 64);
        true
    }

    /// A place of both.
    pub fn meeting(&self, other: &Places) -> Option<Meets> {
        SPACES.into_iter().find_map(|space| {
            let [own, others] = [&self.bits, &other.bits].map(|bits| &bits[space as usize]);
            let words = own.iter().zip(others).map(|(own, other)| own & other);
            let (at, word) = words.enumerate().find(|(_, word)| *word != 0)?;
            let at = 64 * at as u32 + word.trailing_zeros();
            let [_, each] = self.sizes.0[space as usize];
            Some(Meets {
                space,
                partition: at / each,
                place: at % each,
            })
        })
    }

    /// Whether a place is one of these.
    pub fn has(&self, space: Space, place: u32) -> bool {
        let word = self.bits[space as usize].get(place as usize / 64);
        word.is_some_and(|word| word >> (place % 64) & 1 == 1)
    }
}

/// A place of two instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Meets {
    pub space: Space,
    pub partition: u32,
    pub place: u32,
}

/// What an instruction reads and writes.
#[derive(Debug, Clone)]
pub(super) struct Footprint {
    pub reads: Places,
    pub writes: Places,
    /// Addresses of the host's memory that a LOAD reads or a STORE writes, in order.
    pub host: Vec<Range<u64>>,
}

impl Footprint {
    pub fn none(sizes: Sizes) -> Self {
        Self {
            reads: Places::none(sizes),
            writes: Places::none(sizes),
            host: Vec::new(),
        }
    }

    /// That of an instruction of a unit; places that do not exist stop the program elsewhere.
    pub fn of(instruction: &Instruction, params: &Params, data: &Datapath) -> Self {
        let mut all = Self::none(Sizes::of(params));
        match instruction {
            Instruction::LoadWeights(load) => all.weights(load, params),
            Instruction::Copy(copy) => all.copy(copy, params),
            Instruction::Matmul(matmul) => all.product(matmul, params, data),
            Instruction::Drain(drain) => all.drain(drain, params),
            // Of the commands SPARSE_DRAIN, which reads biases.
            Instruction::Sparse(_) => {
                for column in 0..params.array.cols {
                    for tile in 0..params.column_tiles {
                        all.reads.add(Space::Columns, [column, tile]);
                    }
                }
            }
            _ => {}
        }
        all
    }

    fn weights(&mut self, load: &LoadWeights, params: &Params) {
        for step in steps(Walk::start(&load.record, params)) {
            let word = (step.address ^ (load.flip * WORD_BYTES)) / WORD_BYTES;
            for partition in 0..load.rows {
                self.reads.add(Space::Buffer, [partition, word]);
            }
        }
    }

    fn copy(&mut self, copy: &CopyWords, params: &Params) {
        for step in steps(Walk::start(&copy.record, params)) {
            let to = (step.address + copy.distance) & 0xffff;
            for partition in 0..copy.rows {
                self.reads
                    .add(Space::Buffer, [partition, step.address / WORD_BYTES]);
                self.writes.add(Space::Buffer, [partition, to / WORD_BYTES]);
            }
        }
    }

    fn product(&mut self, matmul: &Matmul, params: &Params, data: &Datapath) {
        let mut walk = Walk::start(&matmul.record, params);
        if let (Some(walk), Some(repeat)) = (&mut walk, matmul.repeat) {
            let increments = [(ROW_PROLOGUE, 1), (ROW_TENSOR, repeat.step)];
            walk.repeat(repeat.times, &increments);
        }
        let first = matmul.table.map(|table| u32::from(table.first_entry));
        let mut entry = first;
        for step in steps(walk) {
            match step.row {
                ROW_PROLOGUE => {
                    for column in 0..params.array.cols {
                        self.reads.add(Space::Columns, [column, step.address]);
                    }
                }
                ROW_TENSOR => {
                    self.operands(step.address, entry, matmul.rows, data);
                    let level = matmul.tile_level as u8;
                    if step.inner_final(level) && !matmul.cluster {
                        entry = match step.outer_final(level) {
                            true => first,
                            false => entry.map(|entry| entry + 1),
                        };
                    }
                }
                _ => {}
            }
        }
    }

    fn operands(&mut self, address: u32, entry: Option<u32>, rows: u32, data: &Datapath) {
        for partition in 0..rows {
            if let Some(entry) = entry {
                if !self.reads.add(Space::Rows, [partition, entry]) {
                    continue;
                }
            }
            let entry = entry.map(|entry| entry as usize);
            let own = data
                .memory
                .own_address(partition as usize, address as usize, entry);
            if let OwnAddress::At(byte) = own {
                let word = byte as u32 / WORD_BYTES;
                self.reads.add(Space::Buffer, [partition, word]);
            }
        }
    }

    fn drain(&mut self, drain: &Drain, params: &Params) {
        let place = drain.place.unwrap_or_default();
        let columns = place.first_column..place.first_column + drain.columns;
        let first = place.rotate * params.partition_step();
        let mut tile = u32::from(drain.tile);
        for step in steps(Walk::start(&drain.record, params)) {
            for column in columns.clone() {
                let partition = (first + column) % params.array.rows;
                let word = step.address / WORD_BYTES;
                self.writes.add(Space::Buffer, [partition, word]);
                self.reads.add(Space::Columns, [column, tile]);
            }
            let advances = |level| step.inner_final(level);
            if drain.advance.is_some_and(advances) && !step.end {
                tile += 1;
            }
        }
        if let Some(table) = u32::from(drain.activation).checked_sub(1) {
            for byte in 0..256 {
                self.reads.add(Space::Tables, [0, 256 * table + byte]);
            }
        }
    }

    /// That of a LOAD or STORE.
    pub fn of_move(
        transfer: &Transfer,
        stores: bool,
        base: u64,
        params: &Params,
    ) -> Result<Self, (SystemError, String)> {
        let mut all = Self::none(Sizes::of(params));
        let places = match stores {
            true => &mut all.reads,
            false => &mut all.writes,
        };
        for turn in turns(transfer) {
            let place = [turn.partition, turn.place];
            if !places.add(transfer.space, place) {
                let [partition, place] = place;
                let space = transfer.space as u32;
                let message = format!(
                    "place {place} of partition {partition} in space {space} does not exist"
                );
                return Err((SystemError::DmaLocal, message));
            }
        }
        if !transfer.fill {
            all.host = stretches(transfer, base);
        }
        Ok(all)
    }
}

/// All addresses of a record.
fn steps(walk: Option<Walk>) -> impl Iterator<Item = Step> {
    let mut walk = walk;
    std::iter::from_fn(move || {
        let step = walk.as_ref()?.step();
        let goes_on = walk.as_mut().is_some_and(Walk::advance);
        walk = walk.take().filter(|_| goes_on);
        Some(step)
    })
}

/// Addresses of the host's memory, in order.
fn stretches(transfer: &Transfer, base: u64) -> Vec<Range<u64>> {
    let [x, y, z] = transfer.loops;
    let bytes = u64::from(x.count) * u64::from(x.pitch);
    let first = base + u64::from(transfer.offset);
    let rows = (0..z.count).flat_map(|k| (0..y.count).map(move |j| [j, k]));
    let mut all: Vec<Range<u64>> = rows
        .map(|[j, k]| {
            let row = u64::from(j) * u64::from(y.pitch) + u64::from(k) * u64::from(z.pitch);
            first + row..first + row + bytes
        })
        .collect();
    all.sort_unstable_by_key(|range| range.start);
    all
}

/// An address that both have.
pub(super) fn shared(one: &[Range<u64>], other: &[Range<u64>]) -> Option<u64> {
    let (mut i, mut j) = (0, 0);
    while let (Some(a), Some(b)) = (one.get(i), other.get(j)) {
        if a.start < b.end && b.start < a.end {
            return Some(a.start.max(b.start));
        }
        match a.end < b.end {
            true => i += 1,
            false => j += 1,
        }
    }
    None
}

//! Words in the sections of an image, and the LOADs that move them.

use std::collections::{BTreeMap, BTreeSet};

use heddle_arch::host::{ClusterStream, bias_bits, row_offset_bits};
use heddle_arch::image::Image;
use heddle_arch::isa::{Instruction, Move};
use heddle_arch::transfer::{Space, Transfer};
use heddle_arch::word::WORD_BYTES;

use super::stretches::{Words, stretches};
use crate::emit::{Load, Program};
use crate::layout::{Kind, Piece, fills};

/// Words of an inner loop of which there are more.
const LONG: usize = 4096;

/// Bits that a byte without a sign differs in.
pub(super) const UNSIGNED: u8 = 0x80;

/// Words of the sections for program, state buffer, parameters and cluster.
///
/// Offsets of transfers are those in their section; [`Sections::place`] gives them those in the file.
#[derive(Default)]
pub(super) struct Sections {
    pub words: [Vec<u64>; 4],
    /// Where the instruction words of each load begin, in words of their section: those of what is written once, then of the segments.
    programs: Vec<usize>,
}

/// The section for words of a memory.
fn section(space: Space) -> usize {
    match space {
        Space::Program => 0,
        Space::Buffer => 1,
        Space::Columns | Space::Rows | Space::Tables => 2,
        Space::Weights | Space::Commands => 3,
    }
}

fn kind(space: Space) -> Kind {
    Kind {
        space,
        region: 0,
        zero: 0,
    }
}

impl Sections {
    /// With the words that the program loads.
    pub fn of(program: &Program) -> Self {
        let mut sections = Self::default();
        let moved = program.moved.iter().copied().map(u64::from_le_bytes);
        sections.words[section(Space::Buffer)].extend(moved);
        sections
    }

    /// What is written once.
    pub fn once(&mut self, program: &Program) -> Vec<Transfer> {
        let mut loads = self.load(&program.once, None);
        loads.extend(self.cluster(program));
        loads
    }

    /// What is written for a segment; words that lie in several partitions side by side stand in parts of so many.
    pub fn load(&mut self, load: &Load, part: Option<u32>) -> Vec<Transfer> {
        let mut loads = self.program(load);
        loads.extend(self.buffer(load, part));
        loads.extend(self.columns(load));
        loads.extend(self.rows(load));
        loads.extend(self.tables(load));
        loads
    }

    /// Offsets in the file, when all sections are complete.
    pub fn place(&self, transfers: &mut [Transfer]) {
        let offsets = Image::data_offsets(self.words.each_ref().map(Vec::len));
        let moved = transfers.iter_mut().filter(|transfer| !transfer.fill);
        for transfer in moved {
            transfer.offset += offsets[section(transfer.space)] as u32;
        }
    }

    /// The same for LOADs of the program, whose words are the first ones of the state buffer; those that move the user's bytes without
    /// signs have other zero points. Whether programs load or store.
    pub fn place_moves(&mut self, program: &Program, unsigned: &BTreeSet<usize>) -> bool {
        let mut found = false;
        for number in (0..program.runs.len()).filter(|&run| !program.runs[run].host) {
            let mut words = program.words_of(number);
            let (load, first) = program.load_of(number);
            let mut at = self.programs[load] + first;
            while let Ok((instruction, length)) = Instruction::decode(words) {
                if let Some(moved) = self.placed_move(instruction, program, unsigned) {
                    for (at, word) in (at..).zip(moved.encode()) {
                        let pair = &mut self.words[section(Space::Program)][at / 2];
                        let shift = 32 * (at % 2);
                        *pair = *pair & !(u64::from(u32::MAX) << shift) | u64::from(word) << shift;
                    }
                    found = true;
                }
                at += length;
                words = &words[length..];
            }
        }
        found
    }

    /// A LOAD or STORE of the program as the image has it.
    fn placed_move(
        &self,
        mut instruction: Instruction,
        program: &Program,
        unsigned: &BTreeSet<usize>,
    ) -> Option<Instruction> {
        let (Instruction::Load(Move { transfer, .. }) | Instruction::Store(Move { transfer, .. })) =
            &mut instruction
        else {
            return None;
        };
        let Transfer { region, offset, .. } = *transfer;
        let mut host = program.host.iter();
        let moved =
            host.find(|own| own.region == region && (own.offset..own.end()).contains(&offset));
        match moved {
            Some(own) if own.is_of_user() && unsigned.contains(&own.tensor) => {
                transfer.zero ^= UNSIGNED;
            }
            Some(_) => {}
            None => self.place(std::slice::from_mut(transfer)),
        }
        Some(instruction)
    }

    /// Where the next word goes.
    fn end(&self, space: Space) -> u32 {
        WORD_BYTES * self.words[section(space)].len() as u32
    }

    fn program(&mut self, load: &Load) -> Vec<Transfer> {
        let section = &self.words[section(Space::Program)];
        let before = vec![0; load.first_word as usize % 2];
        self.programs.push(2 * section.len() + before.len());
        let words = [&before[..], &load.words].concat();
        let pairs = words.chunks(2).map(|pair| {
            let high = pair.get(1).copied().unwrap_or(0);
            u64::from(pair[0]) | u64::from(high) << 32
        });
        self.stream(
            Space::Program,
            load.first_word / 2,
            &pairs.collect::<Vec<_>>(),
        )
    }

    /// Words that follow one another, from a place on.
    fn stream(&mut self, space: Space, first: u32, words: &[u64]) -> Vec<Transfer> {
        let mut place = first;
        let mut pieces = Vec::new();
        for part in words.chunks(LONG) {
            pieces.push(Piece {
                partition: 0,
                place,
                count: part.len() as u32,
                memory: self.end(space),
            });
            self.words[section(space)].extend(part);
            let is_placed = !matches!(space, Space::Weights | Space::Commands);
            place += if is_placed { part.len() as u32 } else { 0 };
        }
        kind(space).transfers(&pieces)
    }

    /// Words in the order of the stretches in which they lie in all partitions.
    fn placed(&mut self, space: Space, words: &Words, part: Option<u32>) -> Vec<Transfer> {
        let stretches = stretches(words, space == Space::Buffer);
        let mut pieces = Vec::new();
        for stretch in stretches.iter().filter(|stretch| !stretch.zeros) {
            let step = part.map_or(stretch.count, |part| {
                (part / stretch.partitions.len() as u32).max(1)
            });
            let end = stretch.first + stretch.count;
            for first in (stretch.first..end).step_by(step as usize) {
                let count = step.min(end - first);
                for &partition in &stretch.partitions {
                    let memory = self.end(space);
                    // Columns are walked inside, tiles outside.
                    let [partition_, place] = match space {
                        Space::Columns => [first, partition],
                        _ => [partition, first],
                    };
                    pieces.push(Piece {
                        partition: partition_,
                        place,
                        count,
                        memory,
                    });
                    let places = (first..first + count).map(|place| &words[&(place, partition)]);
                    self.words[section(space)].extend(places.flatten());
                }
            }
        }
        let mut zeros: BTreeMap<&[u32], BTreeSet<u32>> = BTreeMap::new();
        for stretch in stretches.iter().filter(|stretch| stretch.zeros) {
            let places = zeros.entry(&stretch.partitions).or_default();
            places.extend(stretch.first..stretch.first + stretch.count);
        }
        let zeros = zeros.iter();
        let zeros = zeros.flat_map(|(partitions, places)| fills(places, partitions));
        let mut transfers: Vec<Transfer> = zeros.collect();
        transfers.extend(kind(space).transfers(&pieces));
        transfers
    }

    fn buffer(&mut self, load: &Load, part: Option<u32>) -> Vec<Transfer> {
        let words = load.image.iter();
        let words = words
            .map(|&(partition, word, bytes)| ((word, partition), vec![u64::from_le_bytes(bytes)]));
        self.placed(Space::Buffer, &words.collect(), part)
    }

    fn columns(&mut self, load: &Load) -> Vec<Transfer> {
        let columns = load.columns.iter();
        let words = columns.map(|column| {
            let words = vec![bias_bits(column.bias), column.scale.bits()];
            ((column.column, column.tile), words)
        });
        self.placed(Space::Columns, &words.collect(), None)
    }

    fn rows(&mut self, load: &Load) -> Vec<Transfer> {
        let offsets = load.row_offsets.iter();
        let words =
            offsets.map(|&(row, entry, offset)| ((entry, row), vec![row_offset_bits(offset)]));
        self.placed(Space::Rows, &words.collect(), None)
    }

    fn tables(&mut self, load: &Load) -> Vec<Transfer> {
        let entries = load.tables.iter().flatten();
        let words: Vec<u64> = entries.map(|&byte| byte.into()).collect();
        self.stream(Space::Tables, 0, &words)
    }

    /// In their order: what the cluster takes depends on what it has been told.
    fn cluster(&mut self, program: &Program) -> Vec<Transfer> {
        let runs = program.cluster.chunk_by(|a, b| a.0 == b.0);
        let transfers = runs.flat_map(|run| {
            let space = match run[0].0 {
                ClusterStream::Commands => Space::Commands,
                ClusterStream::Weights => Space::Weights,
            };
            let words: Vec<u64> = run.iter().map(|&(_, word)| word).collect();
            self.stream(space, 0, &words)
        });
        transfers.collect()
    }
}

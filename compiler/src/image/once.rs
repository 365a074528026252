//! What is written once: words in the sections of an image, and the LOADs that move them.

use std::collections::BTreeMap;

use heddle_arch::host::{ClusterStream, bias_bits, row_offset_bits};
use heddle_arch::image::Image;
use heddle_arch::job::Work;
use heddle_arch::transfer::{Space, Transfer};
use heddle_arch::word::WORD_BYTES;

use super::nest::{Kind, Piece};
use crate::emit::Program;

/// Zeros between other words that are filled, and not read from memory.
const FILL_WORDS: usize = 8;
/// Words of an inner loop of which there are more.
const LONG: usize = 4096;

/// Words by place and partition.
type Words = BTreeMap<(u32, u32), Vec<u64>>;

/// Sections and jobs.
pub(super) struct Once {
    /// Program, words of the state buffer, parameters, cluster.
    pub data: [Vec<u64>; 4],
    pub jobs: Vec<Work>,
}

impl Once {
    pub fn of(program: &Program) -> Self {
        let mut parts = [
            Part::default(),
            Part::default(),
            Part::default(),
            Part::default(),
        ];
        let [instructions, buffer, parameters, cluster] = &mut parts;
        instructions.program(program);
        buffer.buffer(program);
        parameters.columns(program);
        parameters.rows(program);
        parameters.tables(program);
        cluster.cluster(program);
        let offsets = Image::data_offsets(parts.each_ref().map(|part| part.words.len()));
        let jobs = parts.iter().zip(offsets).flat_map(|(part, offset)| {
            let at = move |transfer: &Transfer| Transfer {
                offset: match transfer.fill {
                    true => 0,
                    false => transfer.offset + offset as u32,
                },
                ..*transfer
            };
            part.transfers
                .iter()
                .map(move |transfer| Work::Load(at(transfer)))
        });
        Self {
            jobs: jobs.collect(),
            data: parts.map(|part| part.words),
        }
    }
}

/// A section; offsets of its transfers are those in the section.
#[derive(Default)]
struct Part {
    words: Vec<u64>,
    transfers: Vec<Transfer>,
}

fn kind(space: Space) -> Kind {
    Kind {
        space,
        region: 0,
        fill: false,
        zero: 0,
    }
}

impl Part {
    /// Where the next word goes.
    fn end(&self) -> u32 {
        WORD_BYTES * self.words.len() as u32
    }

    fn program(&mut self, program: &Program) {
        let first = program.once.first_word;
        let before = vec![0; first as usize % 2];
        let words = [&before[..], &program.once.words].concat();
        let pairs = words.chunks(2).map(|pair| {
            let high = pair.get(1).copied().unwrap_or(0);
            u64::from(pair[0]) | u64::from(high) << 32
        });
        self.stream(Space::Program, first / 2, pairs.collect());
    }

    /// Words that follow one another, from a place on.
    fn stream(&mut self, space: Space, first: u32, words: Vec<u64>) {
        let mut place = first;
        let mut pieces = Vec::new();
        for part in words.chunks(LONG) {
            pieces.push(Piece {
                partition: 0,
                place,
                count: part.len() as u32,
                memory: self.end(),
            });
            self.words.extend(part);
            let is_placed = !matches!(space, Space::Weights | Space::Commands);
            place += if is_placed { part.len() as u32 } else { 0 };
        }
        self.transfers.extend(kind(space).transfers(&pieces));
    }

    /// Words in the order of the stretches in which they lie in all partitions.
    fn placed(&mut self, space: Space, words: &Words) {
        let stretches = stretches(words, space == Space::Buffer);
        let mut pieces = Vec::new();
        for stretch in stretches.iter().filter(|stretch| !stretch.zeros) {
            for &partition in &stretch.partitions {
                let (first, count) = (stretch.first, stretch.count);
                pieces.push(match space {
                    // Columns are walked inside, tiles outside.
                    Space::Columns => Piece {
                        partition: first,
                        place: partition,
                        count,
                        memory: self.end(),
                    },
                    _ => Piece {
                        partition,
                        place: first,
                        count,
                        memory: self.end(),
                    },
                });
                let places = (first..first + count).map(|place| &words[&(place, partition)]);
                self.words.extend(places.flatten());
            }
        }
        let zeros = stretches.iter().filter(|stretch| stretch.zeros);
        let zeros = zeros.flat_map(|stretch| {
            let partitions = stretch.partitions.iter();
            partitions.map(|&partition| Piece {
                partition,
                place: stretch.first,
                count: stretch.count,
                memory: 0,
            })
        });
        let fill = Kind {
            fill: true,
            ..kind(space)
        };
        let zeros: Vec<Piece> = zeros.collect();
        self.transfers.extend(fill.transfers(&zeros));
        self.transfers.extend(kind(space).transfers(&pieces));
    }

    fn buffer(&mut self, program: &Program) {
        let words = program.once.image.iter();
        let words = words
            .map(|&(partition, word, bytes)| ((word, partition), vec![u64::from_le_bytes(bytes)]));
        self.placed(Space::Buffer, &words.collect());
    }

    fn columns(&mut self, program: &Program) {
        let columns = program.once.columns.iter();
        let words = columns.map(|column| {
            let words = vec![bias_bits(column.bias), column.scale.bits()];
            ((column.column, column.tile), words)
        });
        self.placed(Space::Columns, &words.collect());
    }

    fn rows(&mut self, program: &Program) {
        let offsets = program.once.row_offsets.iter();
        let words =
            offsets.map(|&(row, entry, offset)| ((entry, row), vec![row_offset_bits(offset)]));
        self.placed(Space::Rows, &words.collect());
    }

    fn tables(&mut self, program: &Program) {
        let entries = program.once.tables.iter().flatten();
        let words = entries.map(|&byte| byte.into()).collect();
        self.stream(Space::Tables, 0, words);
    }

    /// In their order: what the cluster takes depends on what it has been told.
    fn cluster(&mut self, program: &Program) {
        for run in program.cluster.chunk_by(|a, b| a.0 == b.0) {
            let space = match run[0].0 {
                ClusterStream::Commands => Space::Commands,
                ClusterStream::Weights => Space::Weights,
            };
            let words = run.iter().map(|&(_, word)| word).collect();
            self.stream(space, 0, words);
        }
    }
}

/// Places that follow one another and are written in the same partitions.
#[derive(Debug, PartialEq, Eq)]
struct Stretch {
    first: u32,
    count: u32,
    partitions: Vec<u32>,
    /// All its words are 0 and it is long enough for a fill.
    zeros: bool,
}

/// All words; those that are 0 everywhere apart, if they may be filled.
fn stretches(words: &Words, fills: bool) -> Vec<Stretch> {
    let mut places: Vec<Stretch> = Vec::new();
    for (&(place, partition), content) in words {
        let is_zero = fills && content.iter().all(|word| *word == 0);
        match places.last_mut().filter(|last| last.first == place) {
            Some(last) => {
                last.partitions.push(partition);
                last.zeros &= is_zero;
            }
            None => places.push(Stretch {
                first: place,
                count: 1,
                partitions: vec![partition],
                zeros: is_zero,
            }),
        }
    }
    let follows = |a: &Stretch, b: &Stretch| b.first == a.first + 1 && a.partitions == b.partitions;
    let mut stretches: Vec<Stretch> = Vec::new();
    for run in places.chunk_by(follows) {
        let parts: Vec<&[Stretch]> = run.chunk_by(|a, b| a.zeros == b.zeros).collect();
        let mut joins = false;
        for part in &parts {
            let zeros = part[0].zeros && (part.len() >= FILL_WORDS || parts.len() == 1);
            match stretches
                .last_mut()
                .filter(|last| joins && last.zeros == zeros)
            {
                Some(last) => last.count += part.len() as u32,
                None => stretches.push(Stretch {
                    first: part[0].first,
                    count: part.len() as u32,
                    partitions: part[0].partitions.clone(),
                    zeros,
                }),
            }
            joins = true;
        }
    }
    stretches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_that_all_partitions_have_are_filled_if_they_are_many() {
        let mut words = Words::new();
        for (place, value) in (0..40).map(|place| (place, u64::from(place < 3 || place == 30))) {
            for partition in 0..2 {
                words.insert((place, partition), vec![value * u64::from(partition)]);
            }
        }
        words.insert((50, 1), vec![0]);
        let found = stretches(&words, true);
        let found = found
            .iter()
            .map(|s| (s.first, s.count, s.partitions.len(), s.zeros));
        let expected = [
            (0, 3, 2, false),
            (3, 27, 2, true),
            (30, 1, 2, false),
            (31, 9, 2, true),
            (50, 1, 1, true),
        ];
        assert_eq!(found.collect::<Vec<_>>(), expected);
        words.insert((12, 0), vec![7]);
        words.insert((17, 0), vec![7]);
        let found = stretches(&words, true);
        let found = found.iter().map(|s| (s.first, s.count, s.zeros));
        let expected = [
            (0, 3, false),
            (3, 9, true),
            (12, 6, false),
            (18, 12, true),
            (30, 1, false),
            (31, 9, true),
            (50, 1, true),
        ];
        assert_eq!(found.collect::<Vec<_>>(), expected);
        assert_eq!(stretches(&words, false).len(), 2);
    }
}

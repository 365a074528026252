//! Random programs with all that they work on, as a job list in memory, and what they must leave there.

use heddle_arch::host::{Counter, bias_bits, row_offset_bits, scale_bits};
use heddle_arch::job::{Job, JobWaits, Work};
use heddle_arch::params::Params;
use heddle_arch::requantise::Scale;
use heddle_arch::transfer::{Space, Transfer, Walk};
use heddle_sim::dma::Windows;
use heddle_sim::machine::Machine as Golden;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::machines::dump::encode;
use crate::machines::pair::{known, random_word};
use crate::machines::programs::{random_program, random_row_offset};
use crate::system::ring::bench::{Bench, LOADS, PROGRAM, job, run};

/// Programs of a task, besides the one that makes weights and results known.
pub const PROGRAMS: usize = 2;
/// Places from the base of a task on: ring, column parameters, row tables, programs, words of the state buffer, outputs.
const RING: u64 = 0x1000;
const IMAGE: u64 = 0x2000;
const COLUMNS: u32 = 0;
const TABLES: u32 = 0x800;
const CODE: u32 = 0x1000;
const INPUT: u64 = 0x8000;
const OUTPUT: u64 = 0x10000;
/// Bytes that a task has.
const BYTES: u64 = 0x20000;
const LIMIT: u64 = 500_000;

/// A task in memory, from `base` on.
pub struct Task {
    pub base: u64,
    params: Params,
    /// Words that memory has: offset and word.
    words: Vec<(u64, u64)>,
    /// Words of the output.
    expected: Vec<(u64, u64)>,
    /// Counters of all programs but the first one, those of engines that run alone.
    pub counters: Vec<(Counter, u32)>,
    programs: Vec<(u32, u32)>,
}

impl Task {
    pub fn new(params: &Params, seed: u64, base: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut task = Self {
            base,
            params: params.clone(),
            words: Vec::new(),
            expected: Vec::new(),
            counters: Vec::new(),
            programs: Vec::new(),
        };
        let mut golden = Golden::new(params);
        task.fill(&mut golden, &mut rng);
        let known = encode(&known(params));
        task.code(&mut golden, 0, &known);
        golden.run(0, LIMIT).expect("the first program ends");
        let mut pc = (known.len() as u32).next_multiple_of(2);
        for number in 0..PROGRAMS {
            // Programs that end, and that take their time.
            let (words, counters) = loop {
                let words = encode(&random_program(&mut rng, params));
                if words.len() as u32 > (params.program.words - pc) / (PROGRAMS - number) as u32 {
                    continue;
                }
                let mut other = golden.clone();
                other.write_program(pc, &words);
                match other.run(pc, LIMIT) {
                    Ok(found) if found.get(Counter::Cycles) > 1000 => {
                        golden = other;
                        break (words, found);
                    }
                    _ => {}
                }
            };
            task.code(&mut golden.clone(), pc, &words);
            pc += (words.len() as u32).next_multiple_of(2);
            let before = std::mem::take(&mut task.counters);
            let mut before = before.into_iter();
            let added = counters.iter().map(|(counter, count)| {
                let so_far = before.next().map_or(0, |(_, so_far)| so_far);
                (counter, so_far + count)
            });
            task.counters = added.collect();
            task.leave(&golden, number);
        }
        task
    }

    /// Random words of all memories that the programs use.
    fn fill(&mut self, golden: &mut Golden, rng: &mut ChaCha8Rng) {
        let array = self.params.array.clone();
        let all = self.params.partition_words();
        for partition in 0..array.rows {
            for word in 0..all {
                let data = random_word(rng);
                golden.write_word(partition, word, data);
                let at = INPUT + 8 * u64::from(partition * all + word);
                self.words.push((at, u64::from_le_bytes(data)));
            }
        }
        for tile in 0..self.params.column_tiles {
            for column in 0..array.cols {
                let bias = rng.random_range(-1 << 20..1 << 20);
                let shift = rng.random_range(-14..=-4);
                let scale =
                    Scale::new(rng.random_range(1 << 30..=i32::MAX), shift).expect("a legal scale");
                golden.write_bias(column, tile, bias);
                golden.write_scale(column, tile, scale);
                let at = IMAGE + u64::from(COLUMNS + 16 * (tile * array.cols + column));
                self.words.push((at, bias_bits(bias)));
                self.words.push((at + 8, scale_bits(scale)));
            }
        }
        let entries = self.params.state_buffer.row_offsets;
        for row in 0..array.rows {
            for entry in 0..entries {
                let offset = random_row_offset(rng, &self.params);
                golden.write_row_offset(row, entry, offset);
                let at = IMAGE + u64::from(TABLES + 8 * (row * entries + entry));
                self.words.push((at, row_offset_bits(offset)));
            }
        }
    }

    /// A program at word `pc`.
    fn code(&mut self, golden: &mut Golden, pc: u32, words: &[u32]) {
        golden.write_program(pc, words);
        for (number, pair) in (0u32..).zip(words.chunks(2)) {
            let high = pair.get(1).copied().unwrap_or_default();
            let at = IMAGE + u64::from(CODE + 4 * pc + 8 * number);
            self.words
                .push((at, u64::from(pair[0]) | u64::from(high) << 32));
        }
        self.programs.push((pc, words.len().div_ceil(2) as u32));
    }

    /// The state buffer behind a program is stored.
    fn leave(&mut self, golden: &Golden, number: usize) {
        let all = self.params.partition_words();
        for partition in 0..self.params.array.rows {
            for word in 0..all {
                let place = u64::from(partition * all + word);
                let at = OUTPUT + self.bytes() * number as u64 + 8 * place;
                let data = golden.read_word(partition, word);
                self.expected.push((at, u64::from_le_bytes(data)));
            }
        }
    }

    /// Bytes of all partitions.
    fn bytes(&self) -> u64 {
        u64::from(8 * self.params.partition_words() * self.params.array.rows)
    }

    /// Pages that a machine may read, and those that it may write.
    pub fn windows(&self) -> Windows {
        let page = |offset: u64| ((self.base + offset) / 4096) as u32;
        Windows([
            (page(RING), page(RING), true, false),
            (page(IMAGE), page(OUTPUT) - 1, true, false),
            (page(OUTPUT), page(BYTES) - 1, false, true),
            (0, 0, false, false),
        ])
    }

    pub fn ring(&self) -> u64 {
        self.base + RING
    }

    /// Words of memory in front of the run.
    pub fn memory(&self) -> impl Iterator<Item = (u64, u64)> {
        self.words.iter().map(|(at, word)| (self.base + at, *word))
    }

    /// Addresses that the machine may write.
    pub fn outputs(&self) -> std::ops::Range<u64> {
        self.base + OUTPUT..self.base + BYTES
    }

    /// Words of the output behind it.
    pub fn expected(&self) -> impl Iterator<Item = (u64, u64)> {
        let placed = |(at, word): &(u64, u64)| (self.base + at, *word);
        self.expected.iter().map(placed)
    }

    fn words(&self, region: u32, offset: u32) -> Transfer {
        let all = self.params.partition_words();
        let pitch = 8 * all;
        transfer(
            Space::Buffer,
            region,
            offset,
            0,
            2,
            [(all, 1, 8), (self.params.array.rows, 0, pitch)],
        )
    }

    /// The entries: everything is loaded, the programs run one behind another, each is loaded while the one before runs.
    pub fn list(&self, bench: &Bench) -> Vec<Job> {
        let array = &self.params.array;
        let at = |offset: u64| Some(self.base + offset);
        let entries = self.params.state_buffer.row_offsets;
        let tiles = self.params.column_tiles;
        let columns = [(array.cols, 1, 16), (tiles, 1, 16 * array.cols)];
        let rows = [(entries, 1, 8), (array.rows, 0, 8 * entries)];
        let code = |(pc, pairs): (u32, u32)| {
            let first = transfer(
                Space::Program,
                0,
                CODE + 4 * pc,
                pc / 2,
                0,
                [(pairs, 1, 8), (1, 0, 0)],
            );
            Job::from(Work::Load(first))
        };
        let mut list = vec![
            job(
                PROGRAM,
                Work::Regions([at(IMAGE), at(INPUT), at(OUTPUT), None]),
            ),
            Work::Load(transfer(Space::Columns, 0, COLUMNS, 0, 0, columns)).into(),
            Work::Load(transfer(Space::Rows, 0, TABLES, 0, 2, rows)).into(),
            Work::Load(self.words(1, 0)).into(),
            code(self.programs[0]),
            run(bench, 0, LOADS),
            code(self.programs[1]),
        ];
        for (number, (pc, _)) in self.programs[1..].iter().enumerate() {
            let waits = JobWaits {
                stores: true,
                ..LOADS
            };
            let mut start = run(bench, *pc, waits);
            if let Work::Run { keep, .. } = &mut start.work {
                *keep = number > 0;
            }
            list.push(start);
            list.extend(self.programs.get(number + 2).map(|next| code(*next)));
            let store = self.words(2, self.bytes() as u32 * number as u32);
            list.push(job(PROGRAM, Work::Store(store)));
        }
        list.push(Work::Fence { interrupt: true }.into());
        list
    }
}

/// Two loops: turns, step and pitch.
fn transfer(
    space: Space,
    region: u32,
    offset: u32,
    place: u32,
    partitions: u32,
    loops: [(u32, u32, u32); 2],
) -> Transfer {
    let [x, y] = loops.map(|(count, step, pitch)| Walk { count, step, pitch });
    let fill = false;
    Transfer {
        space,
        region,
        fill,
        partitions,
        zero: 0,
        offset,
        place: [place, 0],
        loops: [x, if y.count == 1 { Walk::ONCE } else { y }, Walk::ONCE],
    }
}

//! A program in banks of the state buffer: where its words lie, and in which cycle they can be read.

use std::collections::VecDeque;

use heddle_arch::Clocks;
use heddle_arch::params::{Params, ProgramMemory};
use heddle_arch::word::WORD_BYTES;

use super::memory::StateMemory;

/// Where words of the program lie: pairs are dealt to the first partitions, a power of two of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Places {
    partitions: usize,
    /// First word of the program banks.
    base: usize,
    words: usize,
}

impl Places {
    /// None if the program has a memory of its own.
    pub fn of(params: &Params) -> Option<Self> {
        if params.program.memory == ProgramMemory::Separate {
            return None;
        }
        Some(Self {
            partitions: params.program_partitions() as usize,
            base: (params.operand_bytes() / WORD_BYTES) as usize,
            words: params.program.words as usize,
        })
    }

    /// Partition and word of a pair.
    fn place(self, pair: usize) -> (usize, usize) {
        let (partition, word) = (pair % self.partitions, pair / self.partitions);
        (partition, self.base + word)
    }

    /// Stores words from program word `first` on. A word of a pair that is not given becomes 0.
    pub fn write(self, memory: &mut StateMemory, first: u32, words: &[u32]) {
        let (first, end) = (first as usize, first as usize + words.len());
        assert!(end <= self.words, "{end} of {} words", self.words);
        let given = |word: usize| match (first..end).contains(&word) {
            true => words[word - first],
            false => 0,
        };
        for pair in first / 2..end.div_ceil(2) {
            let (partition, word) = self.place(pair);
            let data = u64::from(given(2 * pair)) | u64::from(given(2 * pair + 1)) << 32;
            memory.poke(partition, word, data.to_le_bytes());
        }
    }

    /// All words of the program.
    pub fn read(self, memory: &StateMemory) -> Vec<u32> {
        let pairs = (0..self.words / 2).map(|pair| {
            let (partition, word) = self.place(pair);
            u64::from_le_bytes(memory.peek(partition, word))
        });
        pairs
            .flat_map(|pair| [pair as u32, (pair >> 32) as u32])
            .collect()
    }
}

/// Words of the buffer besides rows, before they are rounded up to a power of two.
const SPARE_WORDS: u32 = 10;

/// The prefetch of a running program.
#[derive(Debug, Clone)]
pub(crate) struct Prefetch {
    now: u64,
    /// From a pair that is asked for to each of its words.
    waits: [u64; 2],
    /// Pairs that the buffer holds.
    room: u32,
    /// Pairs of the program memory.
    end: u32,
    /// The pair that is asked for next, and from which cycle on.
    pair: u32,
    free_from: u64,
    /// Word that is read next.
    next: u32,
    /// Cycle from which on the first pair can be read.
    ready: Option<u64>,
    /// Words asked for, with the cycle from which on they can be read.
    words: VecDeque<(u32, u64)>,
}

impl Prefetch {
    /// The prefetch at the start of a run; none if the program has a memory of its own.
    pub fn of(params: &Params, start_pc: u32) -> Option<Self> {
        Places::of(params)?;
        let clocks = Clocks::of(params);
        Some(Self {
            now: 0,
            waits: [clocks.first_word, clocks.second_word],
            room: (params.array.rows + SPARE_WORDS).next_power_of_two() / 2,
            end: params.program.words / 2,
            pair: start_pc / 2,
            free_from: 0,
            next: start_pc,
            ready: None,
            words: VecDeque::new(),
        })
    }

    /// Asks for a pair, if this is a cycle for it: one in two, while a pair that was read or none leaves it a place.
    pub fn cycle(&mut self) {
        let has_place = self.pair - self.next / 2 < self.room;
        if self.now >= self.free_from && has_place && self.pair < self.end {
            let [first, second] = self.waits.map(|wait| self.now + wait);
            self.words
                .extend([(2 * self.pair, first), (2 * self.pair + 1, second)]);
            self.ready.get_or_insert(second);
            self.pair += 1;
            self.free_from = self.now + 2;
        }
        self.now += 1;
    }

    /// Whether Fetch goes on in the cycle that [`cycle`](Self::cycle) was last called for.
    pub fn is_ready(&self) -> bool {
        self.ready.is_some_and(|ready| self.now > ready)
    }

    /// A word is read in this cycle.
    ///
    /// # Panics
    /// If it is not in the buffer: only Fetch waits, and only for the first pair.
    pub fn read(&mut self, word: u32) {
        assert_eq!(word, self.next, "words are read one after the other");
        self.next += 1;
        while let Some((there, from)) = self.words.pop_front() {
            if there == word {
                let now = self.now - 1;
                assert!(from <= now, "word {word} in {now}, there from {from} on");
                return;
            }
        }
        panic!("nobody has asked for word {word}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(rows: u32, words: u32) -> Params {
        let text = include_str!("../../../configs/tiny.json")
            .replace("\"rows\": 4", &format!("\"rows\": {rows}"))
            .replace("\"banks\": 2", "\"banks\": 8");
        let mut params = Params::from_json(&text).expect("legal");
        params.program.words = words;
        params.program.memory = ProgramMemory::Banks;
        params
    }

    /// Reads all words of a program, each as soon as `may` lets it go on; gives the cycle of the first.
    fn reads(rows: u32, words: u32, start: u32, mut may: impl FnMut(u64) -> bool) -> u64 {
        let mut prefetch = Prefetch::of(&params(rows, words), start).expect("in banks");
        let mut first = None;
        for cycle in 0.. {
            prefetch.cycle();
            if prefetch.next == words {
                break;
            }
            if prefetch.is_ready() && may(cycle) {
                first.get_or_insert(cycle);
                prefetch.read(prefetch.next);
            }
        }
        first.expect("a word was read")
    }

    #[proves("PET-60")]
    #[test]
    fn a_word_in_every_clock_finds_the_buffer_never_empty() {
        for rows in (1..40).chain([57, 64, 121, 128, 249, 250, 256]) {
            for start in [0, 1, 2, 777] {
                let first = reads(rows, 2048, start, |_| true);
                assert_eq!(first, u64::from(rows) + 9, "{rows} rows, from {start}");
            }
        }
    }

    #[proves("PET-60")]
    #[test]
    fn a_buffer_that_was_full_does_not_run_empty_either() {
        for rows in (1..40).chain([57, 64, 121, 128, 249, 250, 256]) {
            // Stops of all lengths behind runs of all lengths.
            for run in [1, 2, 3, 5, 8, 17, 40, 300] {
                for stop in [1, 2, 3, 7, 20, 45, 600] {
                    for offset in 0..2 {
                        reads(rows, 1024, offset, |cycle| {
                            (cycle + offset as u64) % (run + stop) < run
                        });
                    }
                }
            }
        }
    }

    #[proves("PET-60")]
    #[test]
    fn a_smaller_buffer_would_run_empty() {
        // With as many rows as just need the next power of two, half of it is too small.
        let mut prefetch = Prefetch::of(&params(10, 2048), 0).expect("in banks");
        prefetch.room /= 2;
        let empty = std::panic::catch_unwind(move || {
            for cycle in 0..400 {
                prefetch.cycle();
                if prefetch.is_ready() && cycle > 100 {
                    prefetch.read(prefetch.next);
                }
            }
        });
        assert!(empty.is_err(), "16 words for 10 rows");
    }

    #[proves("PET-60")]
    #[test]
    fn words_lie_where_the_document_says() {
        // Six rows: pairs 0..3 in partitions 0..3, pair 4 in partition 0 again.
        let params = params(6, 64);
        let places = Places::of(&params).expect("in banks");
        let base = 7 * params.state_buffer.words_per_bank as usize;
        assert_eq!(places.base, base);
        assert_eq!(
            [0, 3, 4, 31].map(|pair| places.place(pair)),
            [(0, base), (3, base), (0, base + 1), (3, base + 7)]
        );
    }
}

//! The prefetch alone: a memory that answers Rows + 3 cycles later, and a reader that stops at random.

use std::collections::VecDeque;

use heddle_hdl::buffer::BankCount;
use heddle_hdl::control::{Prefetch, SequencerShape};
use heddle_hdl::post::PostOptions;
use heddle_hdl::traversal::TraversalShape;
use heddle_tb::verilate::Sources;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::rtl::{Checked, Coverage, Dut, check_mutants, emitted, faults, run_seeds};

/// Words of a bank, as a power of two, of which there are four; the last one holds the program.
const BANK_BITS: usize = 6;

#[derive(Debug, Clone, Copy)]
struct Size {
    rows: usize,
    words: usize,
}

impl Size {
    fn sources(self) -> Sources {
        let shape = SequencerShape {
            rows: self.rows,
            cols: 4,
            record_rows: 3,
            loops: 3,
            offset_bits: 16,
            address_bits: 16,
            tiles: 4,
            program_words: self.words,
            banked: true,
            row_offsets: 16,
            post: PostOptions::NONE,
            units: [TraversalShape::of_machine(&[3; 3]); 3],
            cluster: false,
            moves: false,
        };
        let banks = BankCount {
            all: 4,
            input: 0,
            program: 1,
            events: true,
            quiet_host: false,
        };
        emitted(Prefetch::new(shape, banks, BANK_BITS + 2))
    }

    /// Words of the prefetch buffer.
    fn buffer(self) -> usize {
        (self.rows + 10).next_power_of_two()
    }

    /// Partition and word of a pair.
    fn place(self, pair: usize) -> (u64, u64) {
        let partitions = 1 << self.rows.ilog2();
        let word = (3 << BANK_BITS) + pair / partitions;
        ((pair % partitions) as u64, word as u64)
    }

    fn pair(self, (partition, word): (u64, u64)) -> usize {
        let partitions = 1 << self.rows.ilog2();
        (word as usize - (3 << BANK_BITS)) * partitions + partition as usize
    }
}

/// What the sequencer does in a cycle.
#[derive(Debug, Clone, Copy, Default)]
struct Reader {
    start: Option<usize>,
    run: bool,
    running: bool,
    pc: usize,
}

struct Bench {
    dut: Dut,
    size: Size,
    program: Vec<u32>,
    /// The prefetch buffer: words with their addresses.
    buffer: Vec<Option<(usize, u32)>>,
    /// Requests on their way to their answers.
    travel: VecDeque<Option<u64>>,
    /// The pair that is asked for next, whether one is asked for in this cycle, and will be in the next.
    pair: usize,
    asks: bool,
    /// The second word of a pair is written in this cycle.
    second: bool,
    ready: bool,
}

impl Bench {
    fn new(sources: &Sources, size: Size, seed: u64) -> Self {
        let dut = Dut::new(sources, seed);
        Self {
            program: (0..size.words).map(|_| 0).collect(),
            buffer: vec![None; size.buffer()],
            travel: vec![None; size.rows + 6].into(),
            pair: 0,
            asks: false,
            second: false,
            ready: false,
            dut,
            size,
        }
    }

    /// One cycle; the host asks for what it likes while nothing runs.
    fn step(&mut self, reader: Reader, rng: &mut ChaCha8Rng, cov: &mut Coverage) -> Checked {
        let Self { dut, size, .. } = self;
        let mut host = [0; 5].map(|_| rng.random_range(0..2u64));
        let (partition, word) = (rng.random_range(0..256u64), rng.random_range(0..8192u64));
        let written = rng.random_range(0..size.words / 2);
        if reader.running || reader.start.is_some() {
            host[0] = 0;
            host[3] = 0;
        } else if host[0] == 1 {
            host[3] = 0;
        }
        let [valid, write, table, program, _] = host;
        dut.set("start_i", u64::from(reader.start.is_some()));
        dut.set(
            "start_pc_i",
            reader.start.unwrap_or_else(|| rng.random_range(0..65536)) as u64,
        );
        dut.set("run_i", reader.run);
        dut.set("running_i", reader.running);
        dut.set("pc_i", reader.pc as u64);
        dut.set("host_valid_i", valid);
        dut.set("host_write_i", write | program);
        dut.set("host_table_i", table);
        dut.set("host_partition_i", partition);
        dut.set("host_word_i", word);
        let data: u64 = rng.random();
        dut.set("host_data_i", data);
        dut.set("program_wen_i", program);
        dut.set("program_pair_i", written as u64);
        let answer = self.travel.pop_front().flatten();
        dut.set("answer_rvalid_i", u64::from(answer.is_some()));
        dut.set("answer_rdata_i", answer.unwrap_or_default());
        dut.settle();

        // Requests
        dut.check("buffer_valid_o", u64::from(self.asks) | valid | program)?;
        let asked = if self.asks { self.pair } else { written };
        let (place, reads) = match self.asks || program == 1 {
            true => (size.place(asked), program == 0),
            false => ((partition, word), write == 0),
        };
        if valid == 1 || program == 1 || self.asks {
            dut.check("buffer_write_o", !reads)?;
            dut.check(
                "buffer_table_o",
                u64::from(!self.asks && program == 0) & table,
            )?;
            dut.check("buffer_partition_o", place.0)?;
            dut.check("buffer_word_o", place.1)?;
            dut.check("buffer_data_o", data)?;
        }
        cov.event("program written", program == 1);
        cov.event("host request", valid == 1);
        let data = match self.asks {
            true => {
                let pair = size.pair((dut.get("buffer_partition_o"), dut.get("buffer_word_o")));
                let words = &self.program[2 * pair..2 * pair + 2];
                Some(u64::from(words[1]) << 32 | u64::from(words[0]))
            }
            false => (valid == 1 && reads && table == 0).then(|| rng.random()),
        };
        self.travel.push_back(data);

        // Answers
        let arrives = answer.is_some() && reader.running;
        dut.check("host_rvalid_o", answer.is_some() && !reader.running)?;
        cov.event("answer for the host", answer.is_some() && !reader.running);
        dut.check("ready_o", self.ready)?;
        if dut.get("program_wen_o") == 1 {
            let (at, word) = (
                dut.get("program_waddr_o") as usize,
                dut.get("program_wdata_o") as u32,
            );
            let count = self.buffer.len();
            self.buffer[at % count] = Some((at, word));
        }

        // The next cycle
        let next_pair = self.pair + usize::from(self.asks);
        let full = next_pair - (reader.pc / 2).min(next_pair) >= size.buffer() / 2;
        let ended = next_pair >= size.words / 2;
        cov.event("buffer full", reader.run && full);
        cov.event("memory ends", reader.run && ended && !full);
        self.asks = reader.run && !self.asks && !full && !ended;
        self.pair = next_pair;
        self.ready = reader.run && (self.ready || self.second);
        self.second = arrives;
        if let Some(pc) = reader.start {
            self.pair = pc / 2;
        }
        self.dut.clock();
        Ok(())
    }

    /// One run from a word on, which reads so many words, and the quiet cycles after it.
    fn run(
        &mut self,
        start: usize,
        reads: usize,
        rng: &mut ChaCha8Rng,
        cov: &mut Coverage,
    ) -> Checked {
        for word in &mut self.program {
            *word = rng.random();
        }
        let mut reader = Reader {
            start: Some(start),
            ..Reader::default()
        };
        self.step(reader, rng, cov)?;
        reader = Reader {
            start: None,
            run: true,
            running: true,
            pc: start,
        };
        self.buffer.fill(None);
        let (mut left, mut patience, mut first) = (reads, 40 * self.size.words, None);
        let mut pace = 1.0;
        for cycle in 1.. {
            // The buffer as it was written before this cycle.
            let takes =
                self.ready && left > 0 && reader.pc < self.size.words && rng.random_bool(pace);
            if takes {
                let place = reader.pc % self.buffer.len();
                let expected = Some((reader.pc, self.program[reader.pc]));
                if self.buffer[place] != expected {
                    let (pc, found) = (reader.pc, self.buffer[place]);
                    return Err(self.dut.message(&format!("word {pc} is {found:x?}")));
                }
                first.get_or_insert(cycle);
            }
            self.step(reader, rng, cov)?;
            if takes {
                reader.pc += 1;
                left -= 1;
            }
            if rng.random_bool(0.05) {
                pace = [1.0, 1.0, 0.5, 0.02][rng.random_range(0..4)];
            }
            patience -= 1;
            let over = left == 0 || reader.pc >= self.size.words || start >= self.size.words;
            // Some runs end before the first word, or as soon as the last was read.
            if (over && rng.random_bool(0.5))
                || (reads == 0 && rng.random_bool(0.1))
                || patience == 0
            {
                break;
            }
        }
        if patience == 0 {
            return Err(self.dut.message("words do not come"));
        }
        let wanted = self.size.rows + 10;
        cov.event("read at once", first == Some(wanted));
        if first.is_some_and(|first| first < wanted) {
            return Err(self.dut.message(&format!("a word is ready in {first:?}")));
        }
        cov.event("from an odd word", start % 2 == 1 && left < reads);
        cov.event("from beyond the memory", start >= self.size.words);
        reader.run = false;
        for _ in 0..self.size.rows + 9 {
            self.step(reader, rng, cov)?;
        }
        // Nothing is left for the host.
        if self.travel.iter().any(Option::is_some) {
            return Err(self.dut.message("an answer is still on its way"));
        }
        reader.running = false;
        for _ in 0..rng.random_range(self.size.rows + 7..self.size.rows + 23) {
            self.step(reader, rng, cov)?;
        }
        self.drain_host(rng)
    }

    /// Answers of the host end before the next run.
    fn drain_host(&mut self, rng: &mut ChaCha8Rng) -> Checked {
        let names = [
            "host_valid_i",
            "program_wen_i",
            "start_i",
            "run_i",
            "running_i",
        ];
        for name in names {
            self.dut.set(name, 0u64);
        }
        for _ in 0..self.size.rows + 6 {
            let answer = self.travel.pop_front().flatten();
            self.travel.push_back(None);
            self.dut.set("answer_rvalid_i", u64::from(answer.is_some()));
            self.dut.set("answer_rdata_i", rng.random::<u64>());
            self.dut.settle();
            self.dut.check("host_rvalid_o", answer.is_some())?;
            self.dut.check("buffer_valid_o", 0u64)?;
            self.dut.clock();
        }
        Ok(())
    }
}

fn random_runs(sources: &Sources, size: Size, seed: u64) -> Checked<Coverage> {
    let mut bench = Bench::new(sources, size, seed);
    let mut rng = bench.dut.rng();
    let mut cov = Coverage::default();
    for _ in 0..40 {
        let start = match rng.random_range(0..8) {
            0 => rng.random_range(size.words..65536),
            1 => size.words - rng.random_range(1..20),
            2 => 0,
            _ => rng.random_range(0..size.words),
        };
        let reads = match rng.random_range(0..4) {
            0 => 0,
            1 => rng.random_range(1..10),
            _ => size.words,
        };
        bench.run(start, reads, &mut rng, &mut cov)?;
    }
    Ok(cov)
}

const SMALL: Size = Size {
    rows: 4,
    words: 256,
};

#[proves("PET-60")]
#[test]
fn words_of_a_program_are_there_when_they_are_read() {
    for (rows, words) in [
        (1, 128),
        (4, 256),
        (6, 512),
        (9, 512),
        (10, 512),
        (20, 2048),
        (256, 4096),
    ] {
        let size = Size { rows, words };
        let sources = size.sources();
        run_seeds(|seed| random_runs(&sources, size, seed));
    }
}

/// A buffer that is thought too large or too small, pairs in every cycle or beyond the end, words in wrong places, what the host has left
/// on the pins, answers for the wrong side, a run that begins where the last one ended, readiness of the run before.
const FAULTS: &str = r"
        heddle_prefetch: !ahead[3] => !ahead[4]
        heddle_prefetch: !ahead[3] => !ahead[2]
        heddle_prefetch: run_i & !valid_q & has_place => run_i & has_place
        heddle_prefetch: pair_q[15:7] == 9'd0 => pair_q[15:7] <= 9'd1
        heddle_prefetch: program_waddr_o = {arriving_q[14:0], 1'b1} => program_waddr_o = {arriving_q[14:0], 1'b0}
        heddle_prefetch: host_write_i & !valid_q => host_write_i
        heddle_prefetch: host_table_i & !is_program => host_table_i
        heddle_prefetch: answer_rvalid_i & !running_i => answer_rvalid_i
        heddle_prefetch: if (start_i) arriving_q <= first_pair; =>
        heddle_prefetch: run_i & (ready_q | second_q) => ready_q | second_q
        heddle_prefetch: place[14:2] | => place[15:3] |";

#[proves("PET-60")]
#[test]
fn faults_of_the_prefetch_are_noticed() {
    check_mutants(&SMALL.sources(), &faults(FAULTS), |sources, seed| {
        random_runs(sources, SMALL, seed)
    });
}

//! Commands, the head of the host wave and what a run must have done.

use std::collections::VecDeque;

use heddle_arch::transfer::{Space, Transfer, Walk};
use heddle_hdl::system::dma::{Dma, DmaShape};
use heddle_sim::dma::{Access, Burst, Memories, Windows, accesses, bursts};
use heddle_tb::verilate::Sources;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::bus::{Bus, Manners};
use crate::rtl::{Checked, Dut, emitted};

/// Clocks from a read at the head to its answer, beside the rows.
const ANSWER: u64 = 8;

/// A small machine with every memory; longest burst and open bursts as given.
pub fn shape(max_burst: usize, outstanding: usize) -> DmaShape {
    DmaShape {
        rows: 6,
        cols: 5,
        address_bits: 32,
        max_burst,
        outstanding,
        queue: 3,
        id_bits: 1,
        partition_words: 8192,
        column_tiles: 64,
        row_entries: 32,
        activation_tables: 3,
        program_pairs: 512,
        banked: false,
        cluster: true,
    }
}

/// Verilog of a DMA with addresses of 32 bits.
pub fn verilog(shape: DmaShape) -> Sources {
    emitted(Dma::<32, 30>::new(shape))
}

fn memories(shape: &DmaShape) -> Memories {
    Memories {
        rows: shape.rows as u32,
        cols: shape.cols as u32,
        partition_words: shape.partition_words as u32,
        column_tiles: shape.column_tiles as u32,
        row_entries: shape.row_entries as u32,
        activation_tables: shape.activation_tables as u32,
        program_pairs: shape.program_pairs as u32,
        banked: shape.banked,
        cluster: shape.cluster,
    }
}

/// A transfer of `count` words in a row from word `place` of partition 0 on.
pub fn row(count: u32, place: u32) -> Transfer {
    Transfer {
        space: Space::Buffer,
        region: 0,
        fill: false,
        partitions: 0,
        zero: 0,
        offset: 0,
        place: [place, 0],
        loops: [
            Walk {
                count,
                step: 1,
                pitch: 8,
            },
            Walk::ONCE,
            Walk::ONCE,
        ],
    }
}

/// A command: words, base, of a program, ring index.
#[derive(Debug, Clone, Copy)]
pub struct Command {
    pub transfer: Transfer,
    pub base: u64,
    pub program: bool,
    pub index: u64,
}

impl Command {
    pub fn new(transfer: Transfer, base: u64) -> Self {
        Self {
            transfer,
            base,
            program: false,
            index: 0,
        }
    }

    fn begin(&self) -> u64 {
        self.base + u64::from(self.transfer.offset)
    }
}

/// Code, source, response, address, program, index.
pub type Fault = (u64, u64, u64, u64, u64, u64);

/// What a word of the state buffer holds.
fn held(address: u32) -> u64 {
    u64::from(address).wrapping_mul(0xd6e8_feb8_6659_fd93) ^ 0x1234_5678_9abc_def0
}

fn coded(word: u64, zero: u8) -> u64 {
    u64::from_le_bytes(word.to_le_bytes().map(|byte| byte.wrapping_add(zero)))
}

pub struct Bench {
    pub dut: Dut,
    pub bus: Bus,
    pub rng: ChaCha8Rng,
    shape: DmaShape,
    /// Of a hundred clocks so many the head takes a write, or a read.
    pub head: u32,
    waiting: [VecDeque<Command>; 2],
    /// Writes and reads that must come at the head: address, and for writes word and zero point.
    writes: VecDeque<(Option<u32>, u64, u64)>,
    reads: VecDeque<(Option<u32>, u64)>,
    bursts: [VecDeque<Burst>; 2],
    stored: VecDeque<(u64, u64)>,
    answers: VecDeque<(u64, u64)>,
    /// The head takes a write, a read in this clock.
    ready: [bool; 2],
    /// Entries whose fetch was announced.
    fetched: VecDeque<u64>,
    pub jobs: VecDeque<u64>,
    pub job_words: Vec<u64>,
    pub stop: bool,
    pub failed: Option<(u64, Fault)>,
    /// What was seen of each event, and held clocks at the head.
    pub counts: [u64; 8],
    taken: [u64; 2],
}

impl Bench {
    pub fn new(sources: &Sources, seed: u64, shape: DmaShape, manners: Manners) -> Self {
        let mut dut = Dut::new(sources, seed);
        let rng = dut.rng();
        let windows = Windows([
            (0, 0xfffff, true, true),
            (0, 0, false, false),
            (0, 0, false, false),
            (0, 0, false, false),
        ]);
        for name in [
            "stop_i",
            "clear_i",
            "lost_i",
            "timeout_i",
            "load_valid_i",
            "store_valid_i",
            "job_valid_i",
            "window_base_i",
            "window_limit_i",
            "window_ctrl_i",
            "answer_valid_i",
            "r_valid_i",
            "b_valid_i",
            "write_ready_i",
            "read_ready_i",
        ] {
            dut.set(name, 0u64);
        }
        let bus = Bus::new(manners, windows, 32, shape.max_burst as u32);
        let mut bench = Self {
            dut,
            bus,
            rng,
            shape,
            head: 100,
            waiting: Default::default(),
            writes: VecDeque::new(),
            reads: VecDeque::new(),
            bursts: Default::default(),
            stored: VecDeque::new(),
            answers: VecDeque::new(),
            ready: [false; 2],
            fetched: VecDeque::new(),
            jobs: VecDeque::new(),
            job_words: Vec::new(),
            stop: false,
            failed: None,
            counts: [0; 8],
            taken: [0; 2],
        };
        bench.open(windows);
        bench
    }

    /// Writes the windows.
    pub fn open(&mut self, windows: Windows) {
        self.bus.windows = windows;
        for (number, (first, last, reads, writes)) in windows.0.into_iter().enumerate() {
            self.dut.set("window_window_i", number as u64);
            let permits = u64::from(reads) | u64::from(writes) << 1;
            for (register, data) in [
                ("base", u64::from(first)),
                ("limit", u64::from(last)),
                ("ctrl", permits),
            ] {
                let name = format!("window_{register}_i");
                self.dut.set("window_data_i", data);
                self.dut.set(&name, 1u64);
                self.clock().expect("nothing is under way");
                self.dut.set(&name, 0u64);
            }
        }
    }

    /// Gives a load, or a store, and notes what it must do.
    pub fn give(&mut self, command: Command, store: bool) {
        let expected = accesses(&command.transfer, &memories(&self.shape));
        let most = self.shape.max_burst as u32;
        let joined = bursts(&command.transfer, command.begin(), most);
        let words: Vec<u64> = joined.iter().flat_map(|burst| burst.words()).collect();
        let zero = command.transfer.zero;
        for Access {
            address,
            word,
            high,
        } in expected
        {
            if store {
                let address = address.unwrap_or(0);
                self.reads.push_back((Some(address), zero.into()));
                self.stored
                    .push_back((words[word], coded(held(address), zero)));
                continue;
            }
            let word = words.get(word).map_or(0, |at| self.bus.word(*at));
            let word = if high { word >> 32 } else { word };
            self.writes.push_back((address, word, zero.into()));
        }
        self.bursts[usize::from(store)].extend(joined);
        self.waiting[usize::from(store)].push_back(command);
    }

    /// What of a write counts: of instruction words and words of commands the low half.
    fn relevant(&self, address: u32) -> u64 {
        match address >> 30 == 1 && !self.shape.banked && address >> 29 & 1 == 0 {
            true => 0xffff_ffff,
            false => u64::MAX,
        }
    }

    fn drive(&mut self) {
        let names = ["load", "store"];
        for (name, waiting) in names.iter().zip(&self.waiting) {
            self.dut
                .set(&format!("{name}_valid_i"), u64::from(!waiting.is_empty()));
            let Some(command) = waiting.front() else {
                continue;
            };
            let words = command.transfer.encode().expect("a transfer");
            self.dut
                .set_all(&format!("{name}_words_i"), words.into_iter().map(u64::from));
            self.dut.set(&format!("{name}_base_i"), command.base);
            self.dut.set(&format!("{name}_program_i"), command.program);
            self.dut.set(&format!("{name}_index_i"), command.index);
        }
        self.dut
            .set("job_valid_i", u64::from(!self.jobs.is_empty()));
        self.dut
            .set("job_addr_i", self.jobs.front().copied().unwrap_or(0));
        self.dut.set("job_index_i", 77u64);
        self.dut.set("stop_i", self.stop);
        for (side, name) in ["write_ready_i", "read_ready_i"].iter().enumerate() {
            self.ready[side] = self.rng.random_range(0..100) < self.head;
            self.dut.set(name, self.ready[side]);
        }
        let now = self.dut.cycle();
        let is_due = self.answers.front().is_some_and(|(due, _)| *due == now);
        let answer = if is_due {
            self.answers.pop_front()
        } else {
            None
        };
        self.dut.set("answer_valid_i", answer.is_some());
        self.dut.set(
            "answer_i",
            answer.map_or_else(|| self.rng.random(), |(_, word)| word),
        );
        self.bus.drive(&mut self.dut, &mut self.rng);
    }

    /// One clock.
    pub fn clock(&mut self) -> Checked {
        self.drive();
        self.dut.settle();
        let before = [self.bus.reads.len(), self.bus.writes.len()];
        self.fault();
        self.bus.stopped = self.stop || self.failed.is_some();
        self.bus.look(&self.dut, &mut self.rng)?;
        self.announced(before)?;
        self.at_head()?;
        self.open_commands()?;
        for (store, name) in ["load", "store"].iter().enumerate() {
            let taken = self.dut.get(&format!("{name}_ready_o")) == 1;
            if taken && self.waiting[store].pop_front().is_some() {
                self.taken[store] += 1;
            }
        }
        if self.dut.get("job_ready_o") == 1 {
            self.fetched.extend(self.jobs.pop_front());
        }
        if self.dut.get("job_word_valid_o") == 1 {
            if self.bus.stopped {
                return Err(self
                    .dut
                    .message("a word of an entry, though all is stopped"));
            }
            self.job_words.push(self.dut.get("job_word_o"));
        }
        const EVENTS: [&str; 8] = [
            "load_word",
            "store_word",
            "read_burst",
            "write_burst",
            "load_yield",
            "store_yield",
            "read_idle",
            "write_wait",
        ];
        for (count, event) in self.counts.iter_mut().zip(EVENTS) {
            *count += self.dut.get(&format!("events_{event}_o"));
        }
        self.dut.clock();
        Ok(())
    }

    fn fault(&mut self) {
        let valid = self.dut.get("error_valid_o") == 1;
        if valid && self.failed.is_none() {
            let [code, source, resp, addr, program, index] =
                ["code", "source", "resp", "addr", "program", "index"]
                    .map(|name| self.dut.get(&format!("error_{name}_o")));
            let fault = (code, source, resp, addr, program, index);
            self.failed = Some((self.dut.cycle(), fault));
        }
        if !valid {
            self.failed = None;
        }
    }

    /// Bursts come in their order; those of job entries between those of loads.
    fn announced(&mut self, before: [usize; 2]) -> Checked {
        let now = [&self.bus.reads, &self.bus.writes];
        for (side, seen) in now.into_iter().enumerate() {
            for burst in &seen[before[side]..] {
                if side == 0 && burst.beats == 8 && self.fetched.front() == Some(&burst.address) {
                    self.fetched.pop_front();
                    continue;
                }
                let expected = self.bursts[side].pop_front();
                if expected != Some(*burst) {
                    let text = format!("burst {burst:x?}, model has {expected:x?}");
                    return Err(self.dut.message(&text));
                }
            }
        }
        Ok(())
    }

    /// Writes and reads at the head come in their order, and are what the model says.
    fn at_head(&mut self) -> Checked {
        if self.dut.get("write_valid_o") == 1 {
            let expected = self.writes.front().copied();
            let Some((Some(address), word, zero)) = expected else {
                return Err(self
                    .dut
                    .message(&format!("a write, model has {expected:x?}")));
            };
            self.dut.check("write_addr_o", address)?;
            self.dut.check("write_zero_o", zero)?;
            let mask = self.relevant(address);
            let found = self.dut.get("write_data_o");
            if (found ^ word) & mask != 0 {
                let text = format!("word {found:#x}, model has {word:#x}");
                return Err(self.dut.message(&text));
            }
            if self.ready[0] {
                self.writes.pop_front();
            }
        }
        if self.dut.get("read_valid_o") == 1 {
            let expected = self.reads.front().copied();
            let Some((Some(address), zero)) = expected else {
                return Err(self
                    .dut
                    .message(&format!("a read, model has {expected:x?}")));
            };
            self.dut.check("read_addr_o", address)?;
            self.dut.check("read_zero_o", zero)?;
            if self.ready[1] {
                self.reads.pop_front();
                let due = self.dut.cycle() + self.shape.rows as u64 + ANSWER;
                self.answers
                    .push_back((due, coded(held(address), zero as u8)));
            }
        }
        Ok(())
    }

    /// A command is open until its last word has left, or its last burst is answered.
    fn open_commands(&self) -> Checked {
        let given = |store: usize| !self.waiting[store].is_empty();
        let open = ["load_open_o", "store_open_o"].map(|name| self.dut.get(name));
        let stopped = self.bus.stopped;
        if open[0] == 0 && !given(0) && !stopped && !self.writes.is_empty() {
            return Err(self.dut.message("no load is open, with words left"));
        }
        if open[1] == 0 && !given(1) && !stopped && self.bus.open()[1] + self.reads.len() > 0 {
            return Err(self
                .dut
                .message("no store is open, with words or answers left"));
        }
        Ok(())
    }

    /// Whether all that was given is done.
    pub fn is_done(&self) -> bool {
        self.waiting.iter().all(VecDeque::is_empty)
            && self.jobs.is_empty()
            && self.dut.get("idle_o") == 1
    }

    /// Runs until all is done, or something has failed and all is quiet.
    pub fn finish(&mut self, most: u64) -> Checked {
        let end = self.dut.cycle() + most;
        // What is given now is seen in the clock behind the next one.
        self.clock()?;
        self.clock()?;
        while !(self.is_done() || self.failed.is_some() && self.dut.get("idle_o") == 1) {
            self.clock()?;
            if self.dut.cycle() > end {
                return Err(self.dut.message("no end"));
            }
        }
        Ok(())
    }

    /// All that was given is done, and what was stored is in memory: no word is lost, doubled or anywhere else.
    pub fn check_all(&mut self) -> Checked {
        let left = (
            self.writes.len(),
            self.reads.len(),
            self.bursts[0].len(),
            self.bursts[1].len(),
        );
        if left != (0, 0, 0, 0) || self.failed.is_some() || !self.bus.is_quiet() {
            let text = format!("left {left:?}, failed {:x?}", self.failed);
            return Err(self.dut.message(&text));
        }
        self.check_memory(true)
    }

    /// Memory has changed only where a store says so, and has what it says; all of it if `all`.
    pub fn check_memory(&mut self, all: bool) -> Checked {
        let expected: std::collections::BTreeMap<u64, u64> = self.stored.drain(..).collect();
        for (address, word) in &self.bus.memory {
            if expected.get(address) != Some(word) {
                let text = format!(
                    "{word:#x} at {address:#x}, model has {:x?}",
                    expected.get(address)
                );
                return Err(self.dut.message(&text));
            }
        }
        let missing = expected
            .keys()
            .find(|address| !self.bus.memory.contains_key(address));
        match missing.filter(|_| all) {
            Some(address) => Err(self.dut.message(&format!("nothing at {address:#x}"))),
            None => Ok(()),
        }
    }

    /// Waits until nothing is outstanding, which takes `most` clocks at most, and forgets all, the error too.
    pub fn recover(&mut self, most: u64) -> Checked {
        let end = self.dut.cycle() + most;
        self.clock()?;
        self.clock()?;
        while self.dut.get("idle_o") == 0 {
            self.clock()?;
            if self.dut.cycle() > end {
                return Err(self.dut.message("no end"));
            }
        }
        if !self.bus.is_quiet() {
            return Err(self.dut.message("idle_o with something outstanding"));
        }
        self.check_memory(false)?;
        self.waiting = Default::default();
        self.jobs.clear();
        self.dut.set("clear_i", 1u64);
        self.clock()?;
        self.dut.set("clear_i", 0u64);
        self.stop = false;
        self.forget();
        self.bus.stopped = false;
        Ok(())
    }

    /// A load and a store behind each other, and all right.
    pub fn works(&mut self) -> Checked {
        self.bus.manners.wrong = None;
        self.give(Command::new(row(30, 7), 0x1f80), false);
        self.give(Command::new(row(30, 70), 0x8000_1f88), true);
        self.finish(20_000)?;
        self.check_all()?;
        self.forget();
        Ok(())
    }

    /// Forgets what was given and what was stored: it has been dropped.
    pub fn forget(&mut self) {
        self.waiting = Default::default();
        self.writes.clear();
        self.reads.clear();
        self.bursts = Default::default();
        self.jobs.clear();
        self.fetched.clear();
        self.stored.clear();
        self.bus.memory.clear();
    }
}

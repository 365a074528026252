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

/// Clocks until units have passed that read parameters and tables.
const SETTLE: u64 = 45;

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
        settle: SETTLE as usize,
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

/// A command: words, base, of a program, ring index or word address.
#[derive(Debug, Clone, Copy)]
pub struct Command {
    pub transfer: Transfer,
    pub base: u64,
    pub program: bool,
    pub origin: u64,
}

/// A command whose words are on their way, or have passed.
#[derive(Debug, Clone, Copy)]
struct Feed {
    command: Command,
    store: bool,
    /// Words, or pairs of words, that have passed.
    passed: usize,
}

impl Feed {
    /// Some of its words have passed, and some not.
    fn is_passing(&self) -> bool {
        let words = if self.command.program { 8 } else { 5 };
        (1..words).contains(&self.passed)
    }
}

impl Command {
    pub fn new(transfer: Transfer, base: u64) -> Self {
        Self {
            transfer,
            base,
            program: false,
            origin: 0,
        }
    }

    fn begin(&self) -> u64 {
        self.base + u64::from(self.transfer.offset)
    }
}

/// Code, source, response, address, program, index or word address.
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
    /// A command of jobs, of the program on its way.
    feeds: [Option<Feed>; 2],
    /// Loads, stores that have entered: those of jobs, of the program, and when.
    queues: [[VecDeque<(Command, u64)>; 2]; 2],
    /// The load, the store under way.
    under_way: [Option<(Command, u64)>; 2],
    /// Commands of the program that went before one of jobs that had entered earlier.
    pub overtakes: u64,
    /// Loads whose first word had to wait until units had passed.
    pub settled: u64,
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
            "entry_valid_i",
            "enters_i",
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
        if !shape.banked {
            for name in ["move_valid_i", "move_enters_i", "move_waits_i"] {
                dut.set(name, 0u64);
            }
        }
        let bus = Bus::new(manners, windows, 32, shape.max_burst as u32);
        let mut bench = Self {
            dut,
            bus,
            rng,
            shape,
            head: 100,
            waiting: Default::default(),
            feeds: [None; 2],
            queues: Default::default(),
            under_way: [None; 2],
            overtakes: 0,
            settled: 0,
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

    /// Gives a load, or a store.
    pub fn give(&mut self, command: Command, store: bool) {
        self.waiting[usize::from(store)].push_back(command);
    }

    /// A command is taken: what it must do.
    fn expect(&mut self, command: &Command, store: bool) {
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
    }

    /// An engine at rest takes the first command of the program, else of jobs, that has entered before.
    fn takes(&mut self) -> Checked {
        let now = self.dut.cycle();
        for (store, name) in ["load_busy_o", "store_busy_o"].into_iter().enumerate() {
            let busy = self.dut.get(name) == 1;
            if !busy {
                self.under_way[store] = None;
            }
            let ports = [("open_o", "ready_o"), ("move_open_o", "move_ready_o")];
            for (program, (port, ready)) in ports.into_iter().enumerate() {
                if program == 1 && self.shape.banked {
                    continue;
                }
                let is_its = |(command, _): &(Command, u64)| command.program == (program == 1);
                let own = self.under_way[store].as_ref().is_some_and(is_its);
                let queue = self.queues[store][program].iter();
                let waits = queue.filter(|(_, entered)| *entered < now).count();
                let open = waits as u64 + u64::from(own);
                if !self.bus.stopped {
                    self.dut.check_element(port, store, 2, open)?;
                    let has_room = waits < self.shape.queue;
                    self.dut.check_element(ready, store, 2, has_room)?;
                }
            }
            if busy || self.bus.stopped {
                continue;
            }
            let left = [self.writes.len() * (1 - store), self.reads.len() * store];
            if left != [0, 0] || !self.bursts[store].is_empty() {
                return Err(self.dut.message("a command ends before it is done"));
            }
            let [jobs, program] = &mut self.queues[store];
            let is_there = |queue: &VecDeque<(Command, u64)>| {
                queue.front().is_some_and(|(_, entered)| *entered < now)
            };
            let next = match is_there(program) {
                true => program.pop_front(),
                false if is_there(jobs) => jobs.pop_front(),
                false => None,
            };
            let Some((command, entered)) = next else {
                continue;
            };
            let older = jobs.front().is_some_and(|(_, other)| *other < entered);
            self.overtakes += u64::from(command.program && older);
            self.under_way[store] = next;
            self.expect(&command, store == 1);
        }
        Ok(())
    }

    /// What of a write counts: of instruction words and words of commands the low half.
    fn relevant(&self, address: u32) -> u64 {
        match address >> 30 == 1 && !self.shape.banked && address >> 29 & 1 == 0 {
            true => 0xffff_ffff,
            false => u64::MAX,
        }
    }

    /// Words of commands, of jobs in pairs, of the program one by one, never both; then they enter.
    fn feed(&mut self) {
        self.dut.settle();
        self.dut.set("entry_valid_i", 0u64);
        self.dut.set("enters_i", 0u64);
        if !self.shape.banked {
            self.dut.set("move_valid_i", 0u64);
            self.dut.set("move_enters_i", 0u64);
        }
        let mut passes = false;
        for program in [false, true] {
            if program && self.shape.banked {
                continue;
            }
            self.begins(program);
            let Some(mut feed) = self.feeds[usize::from(program)] else {
                continue;
            };
            let store = u64::from(feed.store);
            let words = feed.command.transfer.encode().expect("a transfer");
            if feed.passed == if program { 8 } else { 5 } {
                let (ready, enters) = match program {
                    true => ("move_ready_o", "move_enters_i"),
                    false => ("ready_o", "enters_i"),
                };
                let has_room = self.dut.get(ready) >> store & 1 == 1;
                if has_room && (program || self.rng.random_range(0..4) > 0) {
                    self.dut.set(enters, 1u64 << store);
                    let command = (feed.command, self.dut.cycle());
                    self.queues[store as usize][usize::from(program)].push_back(command);
                    self.feeds[usize::from(program)] = None;
                    self.waiting[store as usize].pop_front();
                }
                continue;
            }
            // Of a command of which some words have passed the next one comes first.
            let other = self.feeds[usize::from(!program)];
            if passes || (feed.passed == 0 && other.is_some_and(|feed| feed.is_passing())) {
                continue;
            }
            passes = true;
            self.regions(&feed.command);
            match program {
                true => {
                    self.dut.set("move_valid_i", true);
                    self.dut.set("move_left_i", 7 - feed.passed as u64);
                    self.dut.set("move_word_i", u64::from(words[feed.passed]));
                    self.dut.set("move_store_i", store);
                    self.dut.set("move_pc_i", feed.command.origin);
                }
                false => {
                    let word = |number: usize| match number {
                        1..9 => words[number - 1],
                        _ => 0,
                    };
                    let low = word(2 * feed.passed);
                    self.dut.set("entry_valid_i", true);
                    self.dut.set("entry_place_i", feed.passed as u64);
                    self.dut.set("entry_low_i", u64::from(low));
                    self.dut
                        .set("entry_high_i", u64::from(word(2 * feed.passed + 1)));
                    self.dut.set("entry_store_i", store);
                    self.dut.set("entry_index_i", feed.command.origin);
                }
            }
            feed.passed += 1;
            self.feeds[usize::from(program)] = Some(feed);
        }
    }

    /// The next command of the program, of jobs is on its way, if there is one.
    fn begins(&mut self, program: bool) {
        if self.feeds[usize::from(program)].is_some() {
            return;
        }
        let first = self.rng.random_range(0..2);
        for store in [first, 1 - first] {
            let command = self.waiting[store].front().copied();
            let command = command.filter(|command| command.program == program);
            // An instruction waits for room before its words come.
            let has_room = !program || self.dut.get("move_ready_o") >> store & 1 == 1;
            let taken = self
                .feeds
                .iter()
                .flatten()
                .any(|feed| usize::from(feed.store) == store);
            if let Some(command) = command.filter(|_| has_room && !taken) {
                self.feeds[usize::from(program)] = Some(Feed {
                    command,
                    store: store == 1,
                    passed: 0,
                });
                return;
            }
        }
    }

    /// The region of a command, and others.
    fn regions(&mut self, command: &Command) {
        let mut regions = [(); 4].map(|()| self.rng.random::<u32>() & !7);
        regions[command.transfer.region as usize] = command.base as u32;
        self.dut
            .set_all("region_low_i", regions.into_iter().map(u64::from));
        self.dut.set("region_high_i", 0u64);
    }

    fn drive(&mut self) {
        self.feed();
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
        self.takes()?;
        self.bus.look(&self.dut, &mut self.rng)?;
        self.announced(before)?;
        self.at_head()?;
        self.open_commands()?;
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
            let [code, source, resp, addr, program, origin] =
                ["code", "source", "resp", "addr", "program", "origin"]
                    .map(|name| self.dut.get(&format!("error_{name}_o")));
            let fault = (code, source, resp, addr, program, origin);
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
            self.settles()?;
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
        let open = ["load", "store"].map(|name| {
            let busy = self.dut.get(&format!("{name}_busy_o")) == 1;
            busy || self.bus.stopped
        });
        if !open[0] && !self.writes.is_empty() && self.under_way[0].is_none() {
            return Err(self.dut.message("no load is open, with words left"));
        }
        if !open[1] && self.bus.open()[1] > 0 {
            return Err(self.dut.message("no store is open, with answers left"));
        }
        Ok(())
    }

    /// The first word of parameters and tables of a program comes no sooner than units have passed, and no later if it is there.
    fn settles(&mut self) -> Checked {
        let Some((command, entered)) = &mut self.under_way[0] else {
            return Err(self.dut.message("a write of no command"));
        };
        let past = matches!(
            command.transfer.space,
            Space::Columns | Space::Rows | Space::Tables
        );
        if !command.program || !past || *entered == 0 {
            return Ok(());
        }
        let now = self.dut.cycle();
        if now < *entered + SETTLE {
            let text = format!("a write {} clocks behind its command", now - *entered);
            return Err(self.dut.message(&text));
        }
        self.settled += u64::from(now == *entered + SETTLE);
        *entered = 0;
        Ok(())
    }

    /// Whether all that was given is done.
    pub fn is_done(&self) -> bool {
        self.waiting.iter().all(VecDeque::is_empty)
            && self.queues.iter().flatten().all(VecDeque::is_empty)
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
        self.drop_all();
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

    /// No command is on its way or open any more.
    fn drop_all(&mut self) {
        self.waiting = Default::default();
        self.feeds = [None; 2];
        self.queues = Default::default();
        self.under_way = [None; 2];
    }

    /// Forgets what was given and what was stored: it has been dropped.
    pub fn forget(&mut self) {
        self.drop_all();
        self.writes.clear();
        self.reads.clear();
        self.bursts = Default::default();
        self.jobs.clear();
        self.fetched.clear();
        self.stored.clear();
        self.bus.memory.clear();
    }
}

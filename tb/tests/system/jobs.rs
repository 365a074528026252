//! Job lists on the emitted module, against their golden model: what each entry does, what it waits for, and faults of entries.

use std::collections::VecDeque;

use heddle_arch::job::{JOB_BYTES, JOB_WORDS, Job, JobWaits, Work};
use heddle_arch::transfer::{Space, Transfer, Walk};
use heddle_hdl::system::Jobs;
use heddle_sim::dma::{JobsModel, UnderWay};
use heddle_tb::verilate::Sources;
use rand::Rng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use crate::rtl::{Checked, Coverage, Dut, check_mutants, emitted, faults, run_seeds};

const CONFIG: u32 = 0x1234_5678;
const BASE: u64 = 0x9_ffff_f000;
const ADDRESS_BITS: u32 = 36;

fn sources(banked: bool) -> Sources {
    emitted(Jobs::<36>::new(u64::from(CONFIG), banked))
}

fn transfer(rng: &mut ChaCha8Rng, store: bool) -> Transfer {
    let space = match store {
        true => Space::Buffer,
        false => *[
            Space::Buffer,
            Space::Program,
            Space::Weights,
            Space::Commands,
        ]
        .choose(rng)
        .expect("some"),
    };
    let streams = matches!(space, Space::Weights | Space::Commands);
    let mut walk = |pitch| Walk {
        count: rng.random_range(1..100),
        step: if streams { 0 } else { rng.random_range(0..100) },
        pitch,
    };
    Transfer {
        space,
        loops: [walk(8), walk(64), walk(4096)],
        region: rng.random_range(0..4),
        fill: false,
        partitions: 0,
        zero: if space == Space::Buffer {
            rng.random()
        } else {
            0
        },
        offset: rng.random_range(0..1 << 20) * 8,
        place: [
            if streams {
                0
            } else {
                rng.random_range(0..4096)
            },
            0,
        ],
    }
}

fn random_job(rng: &mut ChaCha8Rng) -> Job {
    let mut waits = JobWaits {
        program: rng.random_bool(0.2),
        loads: rng.random_bool(0.2),
        stores: rng.random_bool(0.2),
    };
    let work = match rng.random_range(0..9) {
        0 => Work::Nop,
        1 | 2 => Work::Run {
            config: *[0, CONFIG].choose(rng).expect("some"),
            start: rng.random_range(0..1 << 16),
            limit: *[0, 0, 5, 40].choose(rng).expect("some"),
            keep: rng.random(),
        },
        3 | 4 => Work::Load(transfer(rng, false)),
        5 | 6 => Work::Store(transfer(rng, true)),
        7 => {
            let address =
                |rng: &mut ChaCha8Rng| rng.random_range(0..1u64 << (ADDRESS_BITS - 3)) * 8;
            let regions = [(); 4].map(|()| rng.random_bool(0.5).then(|| address(rng)));
            waits.program |= regions[0].is_some() || regions[3].is_some();
            Work::Regions(regions)
        }
        _ => Work::Fence {
            interrupt: rng.random(),
        },
    };
    Job { waits, work }
}

/// An entry with one bit of a word changed, which may be legal as well.
fn spoiled(rng: &mut ChaCha8Rng, job: &Job, word: usize) -> [u32; JOB_WORDS] {
    let mut words = job.encode().expect("legal");
    let bit = match word {
        0 if rng.random() => rng.random_range(16..24),
        _ => rng.random_range(0..32),
    };
    words[word] ^= 1 << bit;
    words
}

struct Bench {
    dut: Dut,
    rng: ChaCha8Rng,
    model: JobsModel,
    ring: Vec<[u32; JOB_WORDS]>,
    /// Entries that were written and taken.
    written: usize,
    taken: usize,
    /// Words that are on their way: clocks, then the word.
    words: VecDeque<(u32, u64)>,
    now: UnderWay,
    open: [u32; 2],
    runs: u32,
    /// Clock from which on the program is late, and whether that shows now.
    deadline: Option<u64>,
    late: bool,
    /// Words that left the buffer for the queues, and whether words of an instruction pass.
    passed: [u32; JOB_WORDS],
    moving: bool,
    /// None of an entry passed in the clock before.
    free: bool,
    /// A program would go but for loads of the cluster.
    held: bool,
    banked: bool,
    enabled: bool,
}

impl Bench {
    fn new(sources: &Sources, seed: u64, banked: bool) -> Self {
        let mut dut = Dut::new(sources, seed);
        let mut rng = dut.rng();
        let size = rng.random_range(1..=5);
        for name in [
            "clear_i",
            "enable_i",
            "word_valid_i",
            "region_wen_i",
            "running_i",
            "loads_i",
            "stores_i",
            "tail_i",
        ] {
            dut.set(name, 0u64);
        }
        if !banked {
            dut.set("moving_i", 0u64);
        }
        dut.set("base_i", BASE);
        dut.set("size_i", size as u64);
        Self {
            dut,
            rng,
            model: JobsModel::new(CONFIG, ADDRESS_BITS, banked),
            ring: vec![[0; JOB_WORDS]; 1 << size],
            written: 0,
            taken: 0,
            words: VecDeque::new(),
            now: UnderWay::default(),
            open: [0; 2],
            runs: 0,
            deadline: None,
            late: false,
            passed: [0; JOB_WORDS],
            moving: false,
            free: false,
            held: false,
            banked,
            enabled: false,
        }
    }

    /// RESET: nothing is left of the list before.
    fn reset(&mut self) {
        self.enabled = false;
        self.words.clear();
        self.dut.set("clear_i", true);
        for name in ["enable_i", "word_valid_i"] {
            self.dut.set(name, false);
        }
        self.dut.settle();
        self.dut.clock();
        self.dut.set("clear_i", false);
        (self.written, self.taken, self.runs, self.open) = (0, 0, 0, [0; 2]);
        (self.deadline, self.late, self.held) = (None, false, false);
        let regions = self.model.regions;
        self.model = JobsModel::new(CONFIG, ADDRESS_BITS, self.banked);
        self.model.regions = regions;
    }

    fn place(&self, number: usize) -> usize {
        number % self.ring.len()
    }

    /// Writes a region through the registers.
    fn write_regions(&mut self) {
        for region in 0..4 {
            let address = self.rng.random_range(0..1u64 << (ADDRESS_BITS - 3)) * 8;
            for half in 0..2 {
                self.dut.set("region_wen_i", 1u64 << (2 * region + half));
                self.dut
                    .set("region_data_i", address >> (32 * half) & 0xffff_ffff);
                self.dut.settle();
                self.dut.clock();
            }
            self.model.regions[region] = address;
        }
        self.dut.set("region_wen_i", 0u64);
    }

    fn drive(&mut self) {
        let word = self.words.front_mut();
        let word = word.and_then(|(clocks, word)| {
            let due = *clocks == 0;
            *clocks = clocks.saturating_sub(1);
            due.then_some(*word)
        });
        self.dut.set("word_valid_i", word.is_some());
        self.dut.set_all(
            "word_i",
            word.unwrap_or_default()
                .to_le_bytes()
                .into_iter()
                .map(u64::from),
        );
        if word.is_some() {
            self.words.pop_front();
        }
        self.now = UnderWay {
            program: self.runs > 0,
            loads: self.open[0] > 0,
            stores: self.open[1] > 0,
        };
        self.dut.set("running_i", self.now.program);
        self.dut.set("loads_i", self.now.loads);
        self.dut.set("stores_i", self.now.stores);
        self.dut.set("tail_i", self.place(self.written) as u64);
        self.dut.set("enable_i", self.enabled);
        let ready = self.rng.random_bool(0.6);
        self.dut.set("fetch_ready_i", ready);
        let rooms: u64 = self.rng.random_range(0..4) | self.rng.random_range(0..4);
        self.dut.set("ready_i", rooms);
        if !self.banked {
            // Words of an instruction come from the clock on behind one in which their way was free.
            self.moving = match self.moving {
                true => self.rng.random_bool(0.8),
                false => self.free && self.rng.random_bool(0.1),
            };
            self.dut.set("moving_i", self.moving);
        }
        let words: [u32; 8] = std::array::from_fn(|word| self.passed[word + 1]);
        let store = self.passed[0] & 0xff == 3;
        let good = Transfer::decode(&words)
            .is_ok_and(|transfer| !store || (transfer.space == Space::Buffer && !transfer.fill));
        self.dut.set("ok_i", good && !self.moving);
        self.dut.settle();
    }

    /// Words leave the buffer in their order, two in a clock, and never beside those of an instruction.
    fn pass(&mut self) -> Checked {
        if self.dut.get("entry_valid_o") == 0 {
            return Ok(());
        }
        if self.moving {
            return Err(self.dut.message("words of an entry beside an instruction"));
        }
        let place = 2 * self.dut.get("entry_place_o") as usize;
        self.passed[place] = self.dut.get("entry_low_o") as u32;
        self.passed[place + 1] = self.dut.get("entry_high_o") as u32;
        self.dut
            .check("entry_index_o", self.place(self.taken) as u64)
    }

    /// A fetch that is announced.
    fn fetch(&mut self) -> Checked {
        if self.dut.get("fetch_valid_o") == 0 || self.dut.get("fetch_ready_i") == 0 {
            return Ok(());
        }
        let index = self.dut.get("fetch_index_o");
        self.dut
            .check("fetch_addr_o", BASE + index * JOB_BYTES as u64)?;
        let Some(&entry) = self.ring.get(index as usize) else {
            return Err(self.dut.message("a fetch behind the ring"));
        };
        for pair in entry.chunks(2) {
            let clocks = *[0, 0, 0, 3, 9].choose(&mut self.rng).expect("some");
            self.words
                .push_back((clocks, u64::from(pair[1]) << 32 | u64::from(pair[0])));
        }
        Ok(())
    }

    /// An entry that is taken: whether it may, and what it does now and in the next clock.
    fn take(&mut self, coverage: &mut Coverage) -> Checked {
        let place = self.place(self.taken);
        self.dut.check("head_o", place as u64)?;
        let words = self.ring[place];
        let Some(job) = self.model.decode(&words) else {
            return Err(self.dut.message("an entry with a fault is taken"));
        };
        if self.taken == self.written || self.model.waits(&job, self.now) || !self.enabled {
            return Err(self
                .dut
                .message(&format!("{job:?} is taken with {:?} under way", self.now)));
        }
        for (name, works, open) in [
            ("load", matches!(job.work, Work::Load(_)), 0),
            ("store", matches!(job.work, Work::Store(_)), 1),
        ] {
            self.dut.check_element("enters_o", open, 2, works)?;
            if !works {
                continue;
            }
            if self.passed != words {
                return Err(self.dut.message("other words than those of the entry"));
            }
            self.dut.check_element("ready_i", open, 2, true)?;
            self.open[open] += 1;
            coverage.event(name, true);
            if !self.banked {
                coverage.event("taken beside an instruction", self.moving);
            }
        }
        let behind_cluster = std::mem::take(&mut self.held);
        self.model.take(&job);
        self.taken += 1;
        self.dut.clock();
        self.dut
            .check("start_o", matches!(job.work, Work::Run { .. }))?;
        self.dut
            .check("fence_o", matches!(job.work, Work::Fence { .. }))?;
        if let Work::Run {
            start, keep, limit, ..
        } = job.work
        {
            self.deadline = (limit > 0).then(|| self.dut.cycle() + u64::from(limit));
            self.dut.check("start_pc_o", start)?;
            self.dut.check("keep_o", keep)?;
            self.dut.check("run_index_o", place as u64)?;
            self.runs = self.rng.random_range(1..80);
        }
        if let Work::Fence { interrupt } = job.work {
            self.dut.check("interrupt_o", interrupt)?;
        }
        for region in 0..4 {
            let address = self.model.regions[region];
            self.dut
                .check_element("region_low_o", region, 4, address & 0xffff_ffff)?;
            self.dut
                .check_element("region_high_o", region, 4, address >> 32)?;
        }
        coverage.event(
            "a program behind loads of the cluster",
            matches!(job.work, Work::Run { .. }) && behind_cluster,
        );
        coverage.event("run", matches!(job.work, Work::Run { .. }));
        coverage.event("regions", matches!(job.work, Work::Regions(_)));
        coverage.event("fence", matches!(job.work, Work::Fence { .. }));
        Ok(())
    }

    fn step(&mut self, coverage: &mut Coverage) -> Checked {
        self.drive();
        self.free = !self.banked && self.dut.get("reading_o") == 0;
        self.pass()?;
        self.fetch()?;
        self.dut.check("late_o", self.late)?;
        coverage.event("late", self.late);
        self.late =
            self.now.program && self.deadline.is_some_and(|clock| clock <= self.dut.cycle());
        if !self.now.program {
            self.deadline = None;
        }
        let takes = self.dut.get("takes_o") == 1;
        self.dut.check(
            "empty_o",
            self.place(self.taken) == self.place(self.written),
        )?;
        self.model.cycle(self.now);
        self.held |= self.model.has_cluster() && !self.now.program;
        match takes {
            true => self.take(coverage)?,
            false => {
                self.dut.check("enters_o", 0u64)?;
                self.dut.clock();
                self.dut.check("start_o", false)?;
                self.dut.check("fence_o", false)?;
            }
        }
        if !takes || self.now.program {
            self.runs = self.runs.saturating_sub(1);
        }
        for open in &mut self.open {
            *open -= u32::from(*open > 0 && self.rng.random_bool(0.03));
        }
        Ok(())
    }

    /// A program that no entry has started has no limit.
    fn run_by_register(&mut self, coverage: &mut Coverage) -> Checked {
        self.enabled = false;
        while self.now.program || self.runs > 0 {
            self.step(coverage)?;
        }
        self.runs = 60;
        (0..100).try_for_each(|_| self.step(coverage))
    }

    /// A list of so many entries; in the last one a bit of this word is changed.
    fn list(&mut self, count: usize, spoils: Option<usize>, coverage: &mut Coverage) -> Checked {
        self.write_regions();
        let mut quiet = 0;
        while self.taken < count {
            if self.written < count
                && self.written - self.taken < self.ring.len() - 1
                && self.rng.random_bool(0.2)
            {
                let job = random_job(&mut self.rng);
                let place = self.place(self.written);
                self.ring[place] = job.encode().expect("legal");
                if let Some(word) = spoils.filter(|_| self.written + 1 == count) {
                    self.ring[place] = spoiled(&mut self.rng, &job, word);
                }
                self.written += 1;
                coverage.event(
                    "the ring is full",
                    self.written - self.taken == self.ring.len() - 1,
                );
            }
            if self.rng.random_bool(if self.enabled { 0.004 } else { 0.1 }) {
                self.enabled = !self.enabled;
                coverage.event(
                    "dropped while words come",
                    !self.enabled && !self.words.is_empty(),
                );
            }
            let before = self.taken;
            self.step(coverage)?;
            quiet = if self.taken > before { 0 } else { quiet + 1 };
            let bad = self.written > self.taken
                && self
                    .model
                    .decode(&self.ring[self.place(self.taken)])
                    .is_none();
            if bad && self.dut.get("error_o") == 1 {
                self.dut
                    .check("error_index_o", self.place(self.taken) as u64)?;
                coverage.event("a fault", true);
                return Ok(());
            }
            self.dut.check("error_o", false)?;
            if quiet > 2000 {
                return Err(self.dut.message("nothing is taken"));
            }
        }
        Ok(())
    }
}

fn run(sources: &Sources, seed: u64, banked: bool) -> Checked<Coverage> {
    let mut coverage = Coverage::default();
    let mut bench = Bench::new(sources, seed, banked);
    let count = bench.rng.random_range(20..120);
    bench.list(count, None, &mut coverage)?;
    for _ in 0..3 {
        bench.run_by_register(&mut coverage)?;
        bench.reset();
        bench.list(60, None, &mut coverage)?;
    }
    for word in (0..JOB_WORDS).flat_map(|word| [0, word]).cycle().take(400) {
        bench.reset();
        bench.list(1, Some(word), &mut coverage)?;
    }
    Ok(coverage)
}

#[test]
fn job_lists_do_what_their_entries_say() {
    for banked in [false, true] {
        let sources = sources(banked);
        run_seeds(|seed| run(&sources, seed, banked));
    }
}

#[test]
fn a_fault_in_the_job_list_is_found() {
    let faults = faults(
        r"
        // Fetches: beyond the tail, before there is room, of a dropped entry.
        heddle_jobs: (upcoming_q != tail_i) => 1'b1
        heddle_jobs: word_valid_i & !stale_q & enable_i => word_valid_i & enable_i
        heddle_jobs: !coming_q & (upcoming_q => (upcoming_q
        heddle_jobs: if (!enable_i) upcoming_q <= head_q; =>
        heddle_jobs: upcoming_q <= (upcoming_q + 10'd1) & mask => upcoming_q <= upcoming_q + 10'd1
        heddle_jobs: ((stale_q | !enable_i) & !coming_q => (!enable_i & !coming_q
        // Waits.
        heddle_jobs: (entry_wait_program | kind[1] => (kind[1]
        heddle_jobs: (entry_wait_program | kind[1] => (entry_wait_program
        heddle_jobs: | kind[5] | (kind[2] & (access_space >= 4'd8))) => | kind[5])
        heddle_jobs: entry_wait_loads | kind[5] | (kind[1] & cluster_q) => entry_wait_loads | kind[5]
        heddle_jobs: (entry_wait_stores | kind[5]) & stores_i => kind[5] & stores_i
        heddle_jobs: & !(kind[3] & !ready_i[1]); => ;
        // Faults of entries.
        heddle_jobs: ((|low) & (given_q > => ((|low) & (given_q > 3'd5) & (given_q >
        heddle_jobs: (entry_keep & !kind[1]) => 1'b0
        heddle_jobs: !((words_q[20] | words_q[23]) & !entry_wait_program) => 1'b1
        heddle_jobs: (words_q[63:32] == 32'h12345678) => 1'b1
        heddle_jobs: fits = ok_i => fits = 1'b1
        // What entries do.
        heddle_jobs: starts = !moving_i && begins => starts = begins
        heddle_jobs: keep_q <= entry_keep => keep_q <= 1'b0
        heddle_jobs: interrupt_q <= takes & kind[5] & entry_interrupt => interrupt_q <= takes & kind[5]
        heddle_jobs: left_q <= left_q - 32'd1 => left_q <= left_q - 32'd2
        heddle_jobs: limited_q <= limited_q & (running_i | start_q) => limited_q <= limited_q
        ",
    );
    let sources = sources(false);
    check_mutants(&sources, &faults, |sources, seed| run(sources, seed, false));
}

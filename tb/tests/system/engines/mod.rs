//! Two machines with programs and rings of their own that work at once: on one memory behind an interconnect, and on two memories.

mod interconnect;
mod task;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use heddle_arch::params::{Params, RegisterBus};
use heddle_arch::registers::{self, counter, error, q_base_hi, q_base_lo, q_seq, status};
use heddle_tb::verilate::Sources;

use self::interconnect::Interconnect;
use self::task::Task;
use crate::rtl::{Checked, OrPanic};
use crate::system::dma::bus::Manners;
use crate::system::ring::bench::{Bench, params, verilog};

/// Clocks in which both must have ended.
const LIMIT: u64 = 200_000;

/// A machine that tells whether its program runs.
static TOLD: LazyLock<Sources> = LazyLock::new(|| {
    let mut sources = verilog(&machine());
    let top = format!("{}.v", sources.top);
    let file = sources.files.iter_mut().find(|(name, _)| *name == top);
    let (_, text) = file.expect("the text of the top");
    for (from, to) in [
        (
            "output wire irq_o",
            "output wire irq_o,\n  output wire runs_o",
        ),
        (
            "endmodule",
            "  assign runs_o = engine_running;\n\nendmodule",
        ),
    ] {
        assert_eq!(text.matches(from).count(), 1, "{from}");
        *text = text.replace(from, to);
    }
    sources
});

fn machine() -> Params {
    params(RegisterBus::Axil)
}

/// What two machines did at once, in clocks.
#[derive(Debug, Default)]
struct Seen {
    clocks: u64,
    /// Both programs ran.
    computing: u64,
    /// One ran, the other one had beats.
    beside: u64,
    /// Both had bursts open.
    open: u64,
    /// A beat came for one in the middle of a burst of the other.
    interleaved: u64,
    /// Both had a beat.
    beats: u64,
}

impl Seen {
    fn add(&mut self, other: Seen) {
        self.clocks += other.clocks;
        self.computing += other.computing;
        self.beside += other.beside;
        self.open += other.open;
        self.interleaved += other.interleaved;
        self.beats += other.beats;
    }
}

/// What a machine says behind its task: counters of the engine, and of the DMA those that count what it has moved.
type Told = Vec<(String, u32)>;

const MOVED: [&str; 5] = [
    "LOAD_WORDS",
    "STORE_WORDS",
    "READ_BURSTS",
    "WRITE_BURSTS",
    "JOBS",
];

/// A machine at rest with a task in its memory; the bell has been rung.
fn submitted(sources: &Sources, seed: u64, task: &Task, manners: &Manners) -> Bench {
    let mut bench = Bench::new(sources, seed, machine(), manners.clone());
    bench.open(task.windows());
    bench.ring = task.ring();
    bench.set(q_base_lo::REGISTER, task.ring() as u32);
    bench.set(q_base_hi::REGISTER, (task.ring() >> 32) as u32);
    bench.bus.memory = task.memory().collect();
    for job in task.list(&bench) {
        bench.put(&job.encode().expect("an entry"));
    }
    bench.bus.grant = [false; 5];
    bench.bell();
    bench
}

/// The output and the counters of a task that has ended.
fn ended(bench: &mut Bench, task: &Task) -> Checked<Told> {
    bench.bus.grant = [true; 5];
    if bench.get(q_seq::REGISTER) != 1 || status::ERROR.is_set(bench.status()) {
        let found = bench.get(error::REGISTER);
        return Err(bench
            .dut
            .message(&format!("the list has not ended, ERROR {found:#x}")));
    }
    let mut count = 0;
    for (address, word) in task.expected() {
        let found = bench.bus.memory.remove(&address);
        if found != Some(word) {
            return Err(bench
                .dut
                .message(&format!("{address:#x} is {found:x?}, expected {word:#x}")));
        }
        count += 1;
    }
    assert_eq!(count, task::PROGRAMS * 2048);
    let mut told = Vec::new();
    for (counter, expected) in &task.counters {
        let found = bench.read(counter::REGISTER.offset + 4 * counter.index());
        if found != *expected {
            let name = counter.name();
            return Err(bench
                .dut
                .message(&format!("{name} is {found}, golden machine has {expected}")));
        }
        told.push((counter.name(), found));
    }
    for name in MOVED {
        let at = registers::DMA_COUNTERS.iter().position(|own| *own == name);
        let offset = 4 * at.expect("a counter") as u32;
        told.push((
            name.to_string(),
            bench.read(registers::dma_counter::REGISTER.offset + offset),
        ));
    }
    Ok(told)
}

/// A task on a machine with a memory of its own.
fn alone(sources: &Sources, task: &Task, manners: &Manners) -> Checked<Told> {
    let mut bench = submitted(sources, 1, task, manners);
    bench.bus.grant = [true; 5];
    for _ in 0..LIMIT {
        bench.clock();
        if bench.interrupts > 0 {
            return ended(&mut bench, task);
        }
    }
    Err(bench.dut.message("no end alone"))
}

/// Both tasks at once, the first one on the first machine.
fn together(
    sources: &Sources,
    tasks: [&Task; 2],
    manners: &Manners,
    shared: bool,
) -> Checked<(Seen, [Told; 2])> {
    let mut benches = [0, 1].map(|own| submitted(sources, own as u64 + 1, tasks[own], manners));
    let mut interconnect = Interconnect::default();
    // One memory goes from machine to machine; of two each keeps its own.
    let mut memory = BTreeMap::new();
    if shared {
        for bench in &mut benches {
            memory.append(&mut bench.bus.memory);
        }
    } else {
        for bench in &mut benches {
            bench.bus.grant = [true; 5];
        }
    }
    let mut seen = Seen::default();
    while benches.iter().any(|bench| bench.interrupts == 0) {
        if seen.clocks == LIMIT {
            return Err(benches[0].dut.message("no end"));
        }
        clock(
            &mut benches,
            shared.then_some((&mut interconnect, &mut memory)),
            &mut seen,
        )?;
    }
    let mut told = Vec::new();
    for (bench, task) in benches.iter_mut().zip(tasks) {
        if shared {
            std::mem::swap(&mut bench.bus.memory, &mut memory);
        }
        told.push(ended(bench, task)?);
        if shared {
            std::mem::swap(&mut bench.bus.memory, &mut memory);
        }
    }
    Ok((seen, told.try_into().expect("two")))
}

/// A clock of both.
fn clock(
    benches: &mut [Bench; 2],
    mut shared: Option<(&mut Interconnect, &mut BTreeMap<u64, u64>)>,
    seen: &mut Seen,
) -> Checked {
    if let Some((interconnect, _)) = &mut shared {
        interconnect.grant(benches);
    }
    let before = beats(benches);
    for bench in benches.iter_mut() {
        let mut own =
            |memory: &mut BTreeMap<u64, u64>| std::mem::swap(&mut bench.bus.memory, memory);
        if let Some((_, memory)) = &mut shared {
            own(memory);
        }
        bench.bus.drive(&mut bench.dut, &mut bench.rng);
        bench.dut.settle();
        bench.bus.look(&bench.dut, &mut bench.rng)?;
        if let Some((_, memory)) = &mut shared {
            std::mem::swap(&mut bench.bus.memory, memory);
        }
    }
    let after = beats(benches);
    let moved = [0, 1].map(|own| after[own] != before[own]);
    let runs = [0, 1].map(|own: usize| benches[own].dut.get("runs_o") == 1);
    seen.clocks += 1;
    seen.computing += u64::from(runs == [true; 2]);
    seen.beside += u64::from((runs[0] && moved[1]) || (runs[1] && moved[0]));
    seen.open += u64::from(benches.iter().all(|bench| bench.bus.open() != [0, 0]));
    seen.beats += u64::from(moved == [true; 2]);
    for own in 0..2 {
        let reads = after[own][0] != before[own][0];
        seen.interleaved += u64::from(reads && benches[1 - own].bus.is_within_a_burst());
    }
    if let Some((interconnect, _)) = &mut shared {
        if (0..2).any(|way| (0..2).all(|own| after[own][way] != before[own][way])) {
            return Err(benches[0].dut.message("two beats on one channel"));
        }
        interconnect.look(benches);
    }
    for bench in benches.iter_mut() {
        bench.interrupts += bench.dut.get("irq_o");
        bench.dut.clock();
    }
    Ok(())
}

/// Beats so far: reads and writes.
fn beats(benches: &[Bench; 2]) -> [[usize; 2]; 2] {
    [0, 1].map(|own: usize| {
        let bus = &benches[own].bus;
        [bus.read_beats.len(), bus.write_beats.len()]
    })
}

const SEEDS: [u64; 2] = [1, 2];

/// A memory with pauses.
const MANNERS: Manners = Manners {
    latency: (3, 30),
    pace: 80,
    wrong: None,
};

/// Pairs of tasks, each first alone, then at once, then with the machines exchanged: by registers of rings alone.
fn pairs(second: u64, shared: bool) -> Seen {
    let mut all = Seen::default();
    for seed in SEEDS {
        let tasks = [(2 * seed, 0), (2 * seed + 1, second)];
        let [one, other] = tasks.map(|(seed, base)| Task::new(&machine(), seed, base));
        let told = [&one, &other].map(|task| alone(&TOLD, task, &MANNERS).or_panic());
        assert_ne!(told[0], told[1], "two programs");
        for turned in [false, true] {
            let order = if turned { [1, 0] } else { [0, 1] };
            let tasks = order.map(|own: usize| [&one, &other][own]);
            let (seen, found) = together(&TOLD, tasks, &MANNERS, shared).or_panic();
            println!("seed {seed}, {order:?}: {seen:?}");
            assert_eq!(found, order.map(|own: usize| told[own].clone()));
            all.add(seen);
        }
    }
    println!("all: {all:?}");
    all
}

#[proves("PET-63", "PET-66", "PET-67")]
#[test]
fn two_machines_on_one_memory_compute_at_once_as_each_does_alone() {
    let seen = pairs(0x40000, true);
    assert!(seen.computing > 5000 && seen.beside > 1000, "{seen:?}");
    assert!(seen.open > 20000 && seen.interleaved > 2000, "{seen:?}");
}

#[proves("PET-63", "PET-64", "PET-66")]
#[test]
fn two_memories_give_and_take_in_one_clock() {
    let seen = pairs(0, false);
    assert!(seen.computing > 5000 && seen.beats > 10000, "{seen:?}");
}

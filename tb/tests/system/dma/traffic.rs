//! Random commands with a bus and a head that take their time.

use heddle_arch::transfer::{Space, Transfer, Walk};
use heddle_hdl::system::dma::DmaShape;
use heddle_tb::verilate::Sources;
use rand::Rng;

use super::bench::{Bench, Command, row, shape, verilog};
use super::bus::{Manners, untouched};
use crate::rtl::{Checked, Coverage, check_mutants, faults, run_seeds};

/// Beats of a run with one seed: with three seeds more than 10^5.
const BEATS: usize = 34_000;
/// Stores go to another half of memory.
const STORES: u64 = 0x8000_0000;

fn random_transfer(rng: &mut impl Rng, shape: &DmaShape, store: bool) -> Transfer {
    let mut transfer = row(1, 0);
    let fills = !store && rng.random_range(0..12) == 0;
    if !store && !fills {
        transfer.space = Space::ALL[rng.random_range(0..7)];
    }
    let most = match transfer.space {
        Space::Buffer => shape.partition_words,
        Space::Columns => shape.column_tiles,
        Space::Rows => shape.row_entries,
        Space::Tables => 256 * shape.activation_tables,
        Space::Program => shape.program_pairs,
        Space::Weights | Space::Commands => 1,
    } as u32;
    let long = rng.random_range(0..4) == 0;
    let counts: [u32; 3] = match (transfer.space, long) {
        (Space::Columns, _) => [
            rng.random_range(1..=shape.cols as u32),
            rng.random_range(1..=4),
            1,
        ],
        (_, true) => [rng.random_range(1..=800), 1, rng.random_range(1..=2)],
        _ => [0, 1, 2].map(|_| rng.random_range(1..=9)),
    };
    let (mut end, mut joined) = (1, 0);
    for (number, count) in counts.into_iter().enumerate() {
        let room = (most - end) / count.max(1);
        let step = match transfer.space {
            Space::Columns if number == 0 => 1,
            _ => rng
                .random_range(0..=room.min(8191))
                .min([1, 40, 8191][rng.random_range(0..3)]),
        };
        if transfer.space != Space::Columns || number > 0 {
            end += step * (count - 1);
        }
        let pitch = match rng.random_range(0..4) {
            _ if number == 0 => 8 * transfer.space.words(),
            0 => 8 * rng.random_range(0..1200),
            1 => 8 * rng.random_range(0..10),
            _ => joined,
        };
        joined = pitch * count;
        transfer.loops[number] = Walk { count, step, pitch };
    }
    transfer.place[0] = match most {
        1 => 0,
        _ => rng.random_range(0..=most - end),
    };
    let numbers = if transfer.space == Space::Columns {
        shape.cols
    } else {
        shape.rows
    } as u32;
    if transfer.space.has_partitions() {
        transfer.partitions = rng.random_range(0..4);
    }
    let walked = match (transfer.partitions, transfer.space) {
        (_, Space::Columns) => counts[0],
        (0, _) => 1,
        (walker, _) => counts[walker as usize - 1],
    };
    if walked > numbers {
        transfer.partitions = 0;
    }
    if transfer.space.has_partitions() || transfer.space == Space::Columns {
        let walked = if walked > numbers { 1 } else { walked };
        transfer.place[1] = rng.random_range(0..=numbers - walked);
    }
    if transfer.space == Space::Buffer && !fills {
        transfer.zero = rng.random();
    }
    if fills {
        transfer.fill = true;
        transfer.loops.iter_mut().for_each(|walk| walk.pitch = 0);
    } else {
        transfer.offset = 8 * rng.random_range(0..0x2000);
    }
    transfer
}

fn random_traffic(sources: &Sources, seed: u64, shape: DmaShape) -> Checked<Coverage> {
    let mut bench = Bench::new(sources, seed, shape, Manners::quick(1));
    let mut coverage = Coverage::default();
    let (mut beats, mut entries) = (0, 0);
    while beats < BEATS {
        let low = [1, 5, 60][bench.rng.random_range(0..3)];
        bench.bus.manners = Manners {
            latency: (low, [low, 70, 200][bench.rng.random_range(0..3)].max(low)),
            pace: [100, 80, 30][bench.rng.random_range(0..3)],
            wrong: None,
        };
        bench.head = [100, 85, 30][bench.rng.random_range(0..3)];
        for store in [false, true] {
            for _ in 0..bench.rng.random_range(0..6) {
                let transfer = random_transfer(&mut bench.rng, &shape, store);
                let base = 8 * bench.rng.random_range(0..0x4000) + if store { STORES } else { 0 };
                let streams = matches!(transfer.space, Space::Weights | Space::Commands);
                let program = !streams && !shape.banked && bench.rng.random();
                let most = if program { 1 << 16 } else { 1 << 10 };
                let origin = bench.rng.random_range(0..most);
                bench.give(
                    Command {
                        transfer,
                        base,
                        program,
                        origin,
                    },
                    store,
                );
                coverage.event("a fill", transfer.fill);
                coverage.event("partitions", transfer.partitions > 0);
                coverage.event("a space but the first", transfer.space != Space::Buffer);
            }
        }
        let mut fetches = Vec::new();
        for _ in 0..bench.rng.random_range(0..4) {
            let address = 64 * bench.rng.random_range(0x1_0000..0x1_1000);
            bench.jobs.push_back(address);
            fetches.extend((0..8).map(|word| untouched(address + 8 * word)));
        }
        entries += fetches.len() / 8;
        bench.finish(400_000)?;
        bench.check_all()?;
        if bench.job_words != fetches {
            return Err(bench.dut.message("words of job entries"));
        }
        bench.job_words.clear();
        let bursts = bench.bus.reads.iter().chain(&bench.bus.writes);
        for burst in bursts {
            coverage.event("a burst of one beat", burst.beats == 1);
            coverage.event(
                "a burst of most beats",
                burst.beats as usize == shape.max_burst,
            );
            coverage.event(
                "a burst that ends with its page",
                (burst.address + 8 * u64::from(burst.beats)) % 4096 == 0,
            );
        }
        let events = [
            "words of loads",
            "words of stores",
            "read bursts",
            "write bursts",
            "loads yield",
            "stores yield",
            "reads wait",
            "writes wait",
        ];
        for (event, count) in events.into_iter().zip(bench.counts) {
            coverage.event(event, count > 0);
        }
        let bus = &mut bench.bus;
        if (bench.counts[2], bench.counts[3]) != (bus.reads.len() as u64, bus.writes.len() as u64) {
            return Err(bench.dut.message("events of bursts"));
        }
        bench.counts = [0; 8];
        beats += bus.read_beats.len() + bus.write_beats.len();
        bus.reads.clear();
        bus.writes.clear();
        bus.read_beats.clear();
        bus.write_beats.clear();
        bench.forget();
    }
    coverage.event("entries", entries > 0);
    coverage.event("the program goes first", bench.overtakes > 0);
    println!(
        "seed {seed}: {beats} beats in {} clocks, {entries} entries",
        bench.dut.cycle()
    );
    Ok(coverage)
}

/// The machine of a seed.
fn machine(seed: u64) -> DmaShape {
    let mut shape = shape(
        [32, 8, 256][seed as usize % 3],
        [4, 3, 4][seed as usize % 3],
    );
    shape.banked = false;
    shape
}

#[proves("PET-62")]
#[test]
fn random_commands_lose_no_word_and_reach_no_other() {
    run_seeds(|seed| random_traffic(&verilog(machine(seed)), seed, machine(seed)));
}

#[test]
fn faults_of_the_dma_are_noticed() {
    let list = faults(include_str!("mutants/traffic.txt"));
    let run = |sources: &Sources, seed| random_traffic(sources, seed, machine(3));
    check_mutants(&verilog(machine(3)), &list, run);
}

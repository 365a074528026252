//! Random legal records: every element of the design is that of the model, in its cycle.

use heddle_arch::traverse::{Command, EndTest, Row, RowKind, UnitError};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::bench::{Bench, Unit};
use super::records::{add_window, random_commands};
use super::traffic::{Traffic, play};
use crate::rtl::{Checked, Coverage, run_seeds};

/// Instructions that follow each other without a break, and how they are played.
pub struct Batch {
    pub seed: u64,
    pub commands: Vec<Command>,
    pub traffic: Traffic,
    /// No stalls: every address must come in its cycle.
    pub steady: bool,
    /// A traversal leaves its window; those behind it do not run.
    astray: bool,
    records: u64,
}

impl Batch {
    fn random(unit: &Unit, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut commands = Vec::new();
        let records = rng.random_range(1..=24);
        let most = [2, 16, 64, 64, 64, 300][rng.random_range(0..6)];
        for _ in 0..records {
            let addresses = rng.random_range(1..=most);
            commands.extend(random_commands(&mut rng, &unit.shape, addresses));
        }
        let astray = rng.random_ratio(1, 4);
        if astray {
            add_window(&mut rng, &unit.shape, &mut commands, true);
            if rng.random() {
                // Stream in while the traversal goes astray, and are dropped.
                commands.extend(random_commands(&mut rng, &unit.shape, most));
            }
        }
        let steady = rng.random_ratio(1, 2);
        let traffic = match steady {
            true => Traffic::STEADY,
            false => Traffic::random(&mut rng),
        };
        Self {
            seed,
            commands,
            traffic,
            steady,
            astray,
            records,
        }
    }

    /// Words of all instructions.
    pub fn words(&self) -> Vec<u32> {
        self.commands.iter().flat_map(Command::encode).collect()
    }
}

/// Events in the clock cycles of a batch.
#[derive(Default)]
struct Seen {
    addresses: u64,
    held: bool,
    paused: bool,
    undemanded: bool,
    word_waits: bool,
    streams: bool,
}

/// Plays random records until `count` are done.
pub fn random_records(unit: &Unit, seed: u64, count: u64) -> Checked<Coverage> {
    let mut bench = Bench::new(unit, seed);
    let mut coverage = Coverage::default();
    let (mut records, mut addresses) = (0, 0);
    let (mut gapless, mut handovers, mut number) = (0, 0, 0);
    while records < count {
        let batch = Batch::random(unit, seed << 32 | number);
        number += 1;
        let mut rng = ChaCha8Rng::seed_from_u64(!batch.seed);
        let mut seen = Seen::default();
        bench.exact = batch.steady;
        let result = play(
            &mut bench,
            &batch.words(),
            batch.traffic,
            &mut rng,
            |i, o, _| {
                let waits = o.address.is_some();
                seen.addresses += u64::from(o.fresh);
                seen.held |= waits && !i.ready;
                seen.paused |= i.pause && o.busy;
                seen.undemanded |= o.demand_ready && !i.demand;
                seen.word_waits |= i.word.is_some() && o.taken.is_none();
                seen.streams |= o.taken.is_some() && waits;
            },
        );
        let stop = bench.model.stop();
        let expected = batch.astray.then_some(UnitError::Address);
        let result = match stop.map(|s| s.error) == expected {
            true => result,
            false => result.and(Err(format!("the records stop with {stop:?}"))),
        };
        result.map_err(|message| {
            let lines: Vec<String> = batch.commands.iter().map(Command::to_string).collect();
            format!("{message}\n{}", lines.join("\n"))
        })?;
        records += batch.records;
        addresses += seen.addresses;
        gapless += bench.timing.gapless;
        handovers += bench.timing.handovers;
        bench.timing.gapless = 0;
        bench.timing.handovers = 0;
        cover(&mut coverage, unit, &batch, &seen);
        if stop.is_some() {
            bench.clear()?;
        }
    }
    coverage.event("address behind address without a gap", gapless > 0);
    coverage.event(
        "traversal behind traversal without a gap",
        handovers > 0 || !unit.double,
    );
    println!(
        "{}: seed {seed}: {records} records, {addresses} addresses in {} cycles, {gapless} one \
         cycle behind another, of which {handovers} begin a traversal",
        unit.sources.top, bench.cycle
    );
    Ok(coverage)
}

fn cover(coverage: &mut Coverage, unit: &Unit, batch: &Batch, seen: &Seen) {
    let shape = &unit.shape;
    coverage.event("address held", seen.held);
    coverage.event("pause", seen.paused);
    coverage.event("demand missing", seen.undemanded);
    coverage.event("word waits", seen.word_waits);
    coverage.event(
        "record streams in while one runs",
        seen.streams || !unit.double,
    );
    coverage.event("window left", batch.astray);
    coverage.event("no stalls", batch.steady);
    for command in &batch.commands {
        let run = command.run().copied().unwrap_or_default();
        coverage.event("window kept", run.window.is_some() && !batch.astray);
        coverage.event("offset only", run.offset_only);
        coverage.event("on demand", run.on_demand);
        coverage.event("start again", matches!(command, Command::Start { .. }));
        let group = matches!(command, Command::SetInitial { .. });
        coverage.event("group set-up", group || !shape.group_setup);
        let Command::Traverse { rows, .. } = command else {
            continue;
        };
        let any = |test: &dyn Fn(&Row) -> bool| rows.iter().any(test);
        coverage.event("prologue", any(&|r| r.kind == RowKind::Prologue));
        coverage.event("epilogue", any(&|r| r.kind == RowKind::Epilogue));
        coverage.event("all rows", rows.len() as u32 == shape.rows);
        coverage.event("all loops", any(&|r| r.loops.len() as u32 == shape.loops));
        coverage.event("no loops", any(&|r| r.loops.is_empty()));
        coverage.event(
            "equal",
            any(&|r| r.test == EndTest::Equal) || !shape.equality,
        );
        coverage.event("trips", any(&|r| r.test == EndTest::Trips) || !shape.trips);
        let inner = |kind| {
            any(&move |r: &Row| {
                r.kind == kind && r.attach.is_some_and(|a| u32::from(a) + 1 < shape.loops)
            })
        };
        let able = shape.attach && shape.loops > 1;
        coverage.event("inner prologue", inner(RowKind::Prologue) || !able);
        coverage.event("inner epilogue", inner(RowKind::Epilogue) || !able);
        let beyond = |r: &Row| {
            let candidate = |l: &heddle_arch::isa::Loop| u64::from(l.initial) + u64::from(l.step);
            r.loops
                .iter()
                .any(|l| candidate(l) >> shape.offset_bits != 0)
        };
        coverage.event("candidate beyond the offset bits", any(&beyond));
    }
}

#[proves(
    "TTU-014", "TTU-016", "TTU-040", "TTU-042", "TTU-049", "TTU-053", "TTU-059", "TTU-062"
)]
#[test]
fn random_records_on_every_unit() {
    let counts = [3_500, 6_000, 4_000, 2_000, 1_500, 1_500, 1_000];
    for (unit, count) in super::units().into_iter().zip(counts) {
        run_seeds(|seed| random_records(unit, seed, count));
    }
}

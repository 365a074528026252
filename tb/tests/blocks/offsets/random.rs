//! Random tables, counts, modes and ready patterns, with writes and starts at the wrong time.

use super::bench::Bench;
use super::driven::Op;
use super::sides::Design;
use super::variants::VARIANTS;
use crate::rtl::{Checked, Coverage, run_seeds};
use heddle_sim::blocks::offsets::{RegisterKind, UnitOptions, Write};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// Runs of each unit, with each seed.
const RUNS: usize = 24;

/// A random entry; one-hot selectors for offsets.
fn entry(options: &UnitOptions, kind: RegisterKind, index: u16, rng: &mut ChaCha8Rng) -> Write {
    let taps = options.taps.max(1);
    let mut bits = || match kind {
        RegisterKind::Offset => 1 << rng.random_range(0..taps),
        _ => rng.random::<u16>() | rng.random::<u16>(),
    };
    let (row, col) = (bits(), bits());
    let mask = ((1_u32 << options.taps) - 1) as u16;
    let data = match rng.random_range(0..4) {
        0 => rng.random_range(0..64),
        1 => rng.random_range(-64_i32..0) as u32,
        _ => rng.random(),
    };
    Write {
        kind,
        index,
        data,
        row: row & mask,
        col: col & mask,
    }
}

/// All entries of both tables.
fn fill(options: &UnitOptions, rng: &mut ChaCha8Rng) -> Vec<Op> {
    let bases = (0..options.bases as u16).map(|index| (RegisterKind::Base, index));
    let offsets = (0..options.offsets as u16).map(|index| (RegisterKind::Offset, index));
    let all = bases.chain(offsets);
    all.map(|(kind, index)| Op::Write(entry(options, kind, index, rng)))
        .collect()
}

/// A write of anything but the expander; nothing may come of it.
fn meddle(options: &UnitOptions, rng: &mut ChaCha8Rng) -> Write {
    let kinds = [
        RegisterKind::Register,
        RegisterKind::Base,
        RegisterKind::Offset,
        RegisterKind::Nothing,
    ];
    let kind = kinds[rng.random_range(0..4)];
    let index = match kind {
        RegisterKind::Register if rng.random() => rng.random_range(0..12),
        RegisterKind::Register => rng.random_range(26..100),
        RegisterKind::Base => rng.random_range(0..options.bases as u16 + 4),
        _ => rng.random_range(0..options.offsets as u16 + 4),
    };
    entry(options, kind, index, rng)
}

/// Expander registers; now and then a list that its table cannot hold, or none.
fn expansion(options: &UnitOptions, rng: &mut ChaCha8Rng) -> Vec<Op> {
    let mut table = rng.random_range(1..=2);
    let entries = [options.bases, options.offsets][table - 1] as u32;
    let repeat = rng.random::<bool>();
    let room = rng.random_range(1..=entries.min(24));
    let count0 = rng.random_range(1..=room.min(5));
    let mut count1 = rng.random_range(1..=room / count0);
    let count2 = match repeat {
        true => rng.random_range(0..=4),
        false => rng.random_range(1..=room / count0 / count1),
    };
    let (first, length) = match repeat {
        true => (count0.min(entries - 1), count0 * count1),
        false => (0, count0 * count1 * count2),
    };
    let mut place = match first + length > entries {
        true => first,
        false => rng.random_range(first..=entries - length),
    };
    match rng.random_range(0..8) {
        0 => table = [0, 3][rng.random_range(0..2)],
        1 => place = rng.random_range(0..count0),
        2 | 4 => place = entries - rng.random_range(1..=length.min(3)),
        3 => count1 = 0,
        _ => (),
    }
    let mut step = || match rng.random_range(0..3) {
        0 => rng.random(),
        _ => rng.random_range(-20_i32..100) as u32,
    };
    let values = [
        table as u32,
        place,
        step(),
        count0,
        step(),
        count1,
        step(),
        count2,
        step(),
    ];
    let mut writes: Vec<_> = (16..)
        .zip(values)
        .map(|(index, value)| Write::register(index, value))
        .collect();
    // A nest takes the mask bits of this write.
    writes.push(Write {
        kind: RegisterKind::Register,
        index: 25,
        data: repeat.into(),
        ..entry(options, RegisterKind::Offset, 0, rng)
    });
    writes.into_iter().map(Op::Write).collect()
}

/// Registers of one run; now and then one that cannot start.
fn registers(options: &UnitOptions, rng: &mut ChaCha8Rng) -> Vec<Op> {
    let (rows, cols) = (options.rows as u32, options.cols as u32);
    let (bases, offsets) = (options.bases as u32, options.offsets as u32);
    let count = |most: u32, rng: &mut ChaCha8Rng| match rng.random_range(0..4) {
        0 => rng.random_range(1..=most),
        1 => rows.min(most),
        _ => rng.random_range(1..=most.min(2 * rows + 2)),
    };
    let mut gemm_rows = count(bases, rng);
    let mut taps = count(offsets, rng);
    let mut outputs = rng.random_range(1..=2 * cols + 1);
    let mut base_ptr = rng.random_range(0..=bases - gemm_rows);
    let mut offset_ptr = rng.random_range(0..=offsets - taps);
    let built = 1 | u32::from(options.running) << 1 | u32::from(options.taps > 0) << 2;
    let mut mode = rng.random_range(0..8) & built;
    let mut shift = rng.random_range(0..4);
    match rng.random_range(0..14) {
        0 => *[&mut gemm_rows, &mut taps, &mut outputs][rng.random_range(0..3)] = 0,
        1 => base_ptr = bases - gemm_rows + 1,
        2 => offset_ptr = offsets - taps + 1,
        3 if built != 7 => mode |= 7 & !built,
        4 => shift = rng.random_range(4..8),
        _ => (),
    }
    let values = [
        rng.random(),
        rng.random_range(0..0x10000),
        gemm_rows,
        taps,
        outputs,
        base_ptr,
        offset_ptr,
        shift,
        mode,
    ];
    (0..)
        .zip(values)
        .map(|(index, value)| Op::Write(Write::register(index, value)))
        .collect()
}

/// What one unit does: tables, then runs.
fn program(options: &UnitOptions, runs: usize, rng: &mut ChaCha8Rng) -> Vec<Op> {
    let mut ops = fill(options, rng);
    for _ in 0..runs {
        for _ in 0..[0, 0, 2, 5][rng.random_range(0..4)] {
            ops.push(Op::Write(match rng.random_range(0..3) {
                0 => entry(options, RegisterKind::Base, 0, rng),
                1 => entry(options, RegisterKind::Offset, 1, rng),
                _ => meddle(options, rng),
            }));
        }
        for _ in 0..rng.random_range(0..3) {
            if options.expand {
                ops.extend(expansion(options, rng));
            }
        }
        ops.extend(registers(options, rng));
        ops.push(Op::Ready([100, 100, 90, 50, 15][rng.random_range(0..5)]));
        ops.push(match rng.random_range(0..8) {
            0 => Op::StartWith(meddle(options, rng)),
            _ => Op::Start,
        });
        for _ in 0..[0, 0, 1, 3][rng.random_range(0..4)] {
            ops.push(Op::Clocks(rng.random_range(0..30)));
            ops.push(match rng.random_range(0..3) {
                0 => Op::Disturb,
                _ => Op::Write(meddle(options, rng)),
            });
        }
        ops.push(Op::Wait);
    }
    ops
}

/// Lets all units run.
pub fn traffic(design: &Design, seed: u64, runs: usize) -> Bench {
    let mut bench = Bench::new(design, seed);
    let mut rng = bench.rng();
    for side in &mut bench.sides {
        side.ops.extend(program(&side.options, runs, &mut rng));
    }
    bench.run();
    bench
}

fn all_variants(seed: u64) -> Checked<Coverage> {
    let bench = traffic(&VARIANTS, seed, RUNS);
    if let Some((name, failure)) = bench.failures().first() {
        return Err(format!("{name}: {failure}"));
    }
    let mut coverage = Coverage::default();
    for side in &bench.sides {
        let tally = &side.tally;
        coverage.event("run", tally.runs > 0);
        coverage.event("a count is 0", tally.refusals[1] > 0);
        coverage.event("bases beyond the table", tally.refusals[2] > 0);
        coverage.event("offsets beyond the table", tally.refusals[3] > 0);
        coverage.event("mode not built", tally.refusals[4] > 0);
        coverage.event("write refused", tally.refused_writes > 0);
        coverage.event("expansion", tally.expansions > 0);
        coverage.event("expansion cut", tally.cuts > 0);
        coverage.event("slot waits", tally.waits > 0);
        coverage.event("padded tap", tally.masked > 0);
        coverage.event("start not heard", tally.unheard > 0);
        if tally.runs < RUNS as u64 / 3 {
            return Err(format!("{}: {} runs", side.name, tally.runs));
        }
    }
    Ok(coverage)
}

#[proves("SGCR-01", "SGCR-09", "SGCR-12", "SGCR-13")]
#[test]
fn random_tables_and_counts_in_every_mode() {
    run_seeds(all_variants);
}

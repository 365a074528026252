//! Writes and starts that are refused, waiting, and the clocks of a run.

use super::bench::Bench;
use super::driven::{Driven, Op};
use super::variants::VARIANTS;
use super::{MASKS, STEPS, WEIGHTS, program, registers};
use heddle_sim::blocks::offsets::examples::{self, Lists};
use heddle_sim::blocks::offsets::{RegisterKind, Write};

/// Writes of everything there is, with other values.
fn meddling(bases: u16, offsets: u16) -> Vec<Write> {
    let entry = |kind, index| Write {
        kind,
        index,
        data: 0x5a5a_5a5a,
        row: 0,
        col: 0,
    };
    let mut writes: Vec<_> = (0..9)
        .chain(16..26)
        .map(|n| Write::register(n, 1))
        .collect();
    writes.extend((0..bases).map(|index| entry(RegisterKind::Base, index)));
    writes.extend((0..offsets).map(|index| entry(RegisterKind::Offset, index)));
    writes
}

#[proves("SGCR-01")]
#[test]
fn writes_during_a_run_change_nothing() {
    let mut bench = Bench::new(&VARIANTS, 1);
    for name in ["plain", "plain_all", "every", "every_all"] {
        let unit = bench.run_one(name, program(&examples::asymmetric(), 8, 0));
        let (before, written) = (unit.trace.clocks.clone(), unit.trace.written);
        let refused = unit.tally.refused_writes;
        let writes = meddling(24, 12);
        let count = writes.len() as u64;
        // A run takes hundreds of clocks: all writes come while it is under way.
        let writes = writes.into_iter().map(Op::Write);
        let ops = [Op::Start].into_iter().chain(writes).chain([Op::Wait]);
        let unit = bench.play(name, ops);
        assert_eq!(unit.tally.refused_writes - refused, count, "{name}");
        assert_eq!(unit.trace.written, written, "{name}");
        assert!(unit.state.refused);
        // A start that is not accepted does not forget it, the next accepted one does.
        let unit = bench.play(
            name,
            [Op::Write(Write::register(2, 0)), Op::Start, Op::Clocks(9)],
        );
        assert!(unit.state.refused);
        let unit = bench.run_one(name, vec![Write::register(2, 24)]);
        assert!(!unit.state.refused);
        assert_eq!(unit.trace.clocks, before, "{name}");
    }
}

#[test]
fn registers_and_entries_that_do_not_exist_are_refused() {
    let mut bench = Bench::new(&VARIANTS, 1);
    bench.run_one("plain", program(&examples::small(), 1, 0));
    bench.run_one("every", program(&examples::small(), 1, 0));
    let entry = |kind, index| Write {
        kind,
        index,
        ..Write::register(0, 7)
    };
    for (name, kind, index, refused) in [
        ("plain", RegisterKind::Register, 8, false),
        ("plain", RegisterKind::Register, 9, true),
        ("plain", RegisterKind::Register, 15, true),
        ("plain", RegisterKind::Register, 16, true),
        ("plain", RegisterKind::Register, 25, true),
        ("plain", RegisterKind::Register, 0x100, true),
        ("plain", RegisterKind::Base, 31, false),
        ("plain", RegisterKind::Base, 32, true),
        ("plain", RegisterKind::Base, 0x8000, true),
        ("plain", RegisterKind::Offset, 15, false),
        ("plain", RegisterKind::Offset, 16, true),
        ("plain", RegisterKind::Nothing, 0, true),
        ("every", RegisterKind::Register, 24, false),
        ("every", RegisterKind::Register, 26, true),
    ] {
        let write = entry(kind, index);
        let unit = bench.play(name, [Op::Write(write), Op::Clocks(5)]);
        assert_eq!(unit.state.refused, refused, "{name}: {write:?}");
        bench.run_one(name, registers(4, 9, 1, 0));
    }
}

#[test]
fn starts_that_cannot_run_are_refused_with_their_code() {
    let mut bench = Bench::new(&VARIANTS, 1);
    // 32 bases and 16 offsets.
    for (name, changes, code) in [
        ("plain", vec![(2, 0)], 1),
        ("plain", vec![(3, 0)], 1),
        ("plain", vec![(4, 0)], 1),
        ("plain", vec![(5, 29)], 2),
        ("plain", vec![(2, 33)], 2),
        ("plain", vec![(5, 0xffff)], 2),
        ("plain", vec![(6, 8)], 3),
        ("plain", vec![(3, 0xffff)], 3),
        ("plain", vec![(7, 4)], 4),
        ("plain", vec![(8, STEPS)], 4),
        ("plain", vec![(8, MASKS)], 4),
        ("steps", vec![(8, MASKS)], 4),
        ("masks", vec![(8, STEPS)], 4),
        (
            "every",
            vec![(5, 28), (6, 7), (7, 3), (8, STEPS | WEIGHTS)],
            0,
        ),
    ] {
        // The lists stand at both ends of their tables.
        let ends = examples::small().writes(28, 7);
        bench.play(name, ends.into_iter().map(Op::Write));
        bench.run_one(name, program(&examples::small(), 1, 0));
        let before = bench.side(name).tally;
        let changes = changes.iter();
        let writes = changes.map(|(index, value)| Op::Write(Write::register(*index, *value)));
        let ops: Vec<_> = writes
            .chain([Op::Start, Op::Clocks(20), Op::Wait])
            .collect();
        let after = bench.play(name, ops).tally;
        match code {
            0 => assert_eq!(after.runs, before.runs + 1, "{name}"),
            _ => assert_eq!(after.refusals[code], before.refusals[code] + 1, "{name}"),
        }
    }
}

#[test]
fn outputs_hold_while_nobody_is_ready() {
    let mut bench = Bench::new(&VARIANTS, 1);
    for (name, waiting) in [
        ("plain", 0),
        ("plain_all", 1),
        ("every_all", 1),
        ("many", 0),
    ] {
        for mode in [0, WEIGHTS] {
            let unit = bench.run_one(name, program(&examples::small(), 3, mode));
            let straight = unit.trace.clocks.clone();
            let ops = [
                Op::Ready(0),
                Op::Start,
                Op::Clocks(60),
                Op::Ready(30),
                Op::Wait,
            ];
            let unit = bench.play(name, ops);
            let clocks = &unit.trace.clocks;
            // With broadcast the first step waits, with skew nothing leaves the head.
            let first = clocks.iter().find(|clock| clock.rows[0].is_some());
            let held = clocks.iter().filter(|clock| Some(*clock) == first).count();
            assert!(held >= 40 * waiting, "{name}: {held} clocks");
            // Nothing is lost: each row shows the same steps.
            let steps = |clocks: &[super::pins::Outputs], row: usize| {
                let mut steps: Vec<_> = clocks.iter().map(|clock| clock.rows[row]).collect();
                steps.retain(Option::is_some);
                if waiting == 1 {
                    // No two steps of one pass of this run are equal.
                    steps.dedup();
                }
                steps
            };
            let rows = if waiting == 1 { 1 } else { unit.options.rows };
            for row in 0..rows {
                assert_eq!(
                    steps(clocks, row),
                    steps(&straight, row),
                    "{name}, row {row}"
                );
            }
            bench.play(name, [Op::Ready(100)]);
        }
    }
}

#[proves("SGCR-20")]
#[test]
fn tables_are_read_without_any_other_port() {
    let mut bench = Bench::new(&VARIANTS, 1);
    // Nothing is written or asked for from the start to the end.
    let mut ops: Vec<_> = program(&examples::small(), 8, 0)
        .into_iter()
        .map(Op::Write)
        .collect();
    ops.extend([Op::Start, Op::Wait]);
    let unit = bench.play("plain", ops);
    assert_eq!(unit.trace.written, [4, 9]);
    assert_eq!(unit.trace.offset_reads.len(), 2 * 9);
}

#[test]
fn a_write_in_the_clock_of_a_start_is_refused() {
    let mut bench = Bench::new(&VARIANTS, 1);
    for name in ["plain", "every", "every_all"] {
        let rows = |unit: &Driven| -> Vec<_> {
            let clocks = unit.trace.clocks.iter();
            clocks.map(|clock| clock.rows.clone()).collect()
        };
        let before = rows(bench.run_one(name, program(&examples::small(), 1, 0)));
        let ops = [Op::StartWith(Write::register(0, 77)), Op::Wait];
        let unit = bench.play(name, ops);
        assert!(unit.state.refused, "{name}");
        assert_eq!(rows(unit), before, "{name}");
        let after = rows(bench.play(name, [Op::Start, Op::Wait]));
        assert_eq!(after, before, "{name}");
    }
}

#[proves("SGCR-31")]
#[test]
fn only_the_documented_registers_can_be_written() {
    let mut bench = Bench::new(&VARIANTS, 1);
    let mut accepted = Vec::new();
    // One at a time: `refused_o` stays until the next start.
    for index in (0..64).chain((6..16).map(|bit| 1 << bit)) {
        let counts = (2..5).map(|count| Op::Write(Write::register(count, 1)));
        let entries = Lists::plain(&[0], &[0]).writes(0, 0);
        let mut ops: Vec<Op> = entries.into_iter().map(Op::Write).chain(counts).collect();
        let clean = [5, 6, 7, 8].map(|register| Op::Write(Write::register(register, 0)));
        ops.extend(clean);
        ops.extend([Op::Start, Op::Wait]);
        ops.extend([Op::Write(Write::register(index, 1)), Op::Clocks(2)]);
        let unit = bench.play("plain", ops);
        if !unit.state.refused {
            accepted.push(index);
        }
    }
    assert_eq!(accepted, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
}

#[test]
fn reset_stops_a_run() {
    let mut bench = Bench::new(&VARIANTS, 1);
    for (name, clocks) in [
        ("plain", 1),
        ("every", 4),
        ("plain_all", 8),
        ("ahead_all", 13),
    ] {
        let unit = bench.run_one(name, program(&examples::small(), 9, 0));
        let clean = unit.trace.clocks.clone();
        bench.side(name).ops.push_back(Op::Start);
        for _ in 0..clocks {
            bench.clock();
        }
        bench.reset();
        // Nothing of the run is left; the tables are.
        bench.play(name, [Op::Clocks(30)]);
        let unit = bench.run_one(name, registers(4, 9, 9, 0));
        assert_eq!(unit.trace.clocks, clean, "{name}, after {clocks} clocks");
    }
}

//! Runs one after the other, their clocks, and what is refused.

use super::driven::Op;
use super::examples::{asymmetric, asymmetric_c, bench, connected, names, product, small};
use super::layer::{EACH, Layer, WEIGHTS};
use heddle_sim::blocks::offsets::Write;
use heddle_sim::blocks::offsets::examples::Lists;

#[test]
fn starts_that_cannot_run_are_refused_with_their_code() {
    let mut bench = bench();
    let mut layer = connected().with_mode(WEIGHTS);
    layer.lists.bases = (0..33).map(|m| (m, 0, 0)).collect();
    layer.operands = (0..40).map(|i| (i, i as i8)).collect();
    for name in names() {
        // 33 rows do not fit into 32 sums; output stationary they need none.
        bench.side(&name).load(&layer);
        let start = [Op::Start, Op::Clocks(40)];
        let side = bench.play(&name, start.clone());
        assert_eq!(side.refusals[5], 1, "{name}");
        let counts = [4, 8].map(|register| Op::Write(Write::register(register, 0)));
        let side = bench.play(&name, counts.into_iter().chain(start));
        assert_eq!(side.refusals[1], 1, "{name}");
        bench.run_one(&name, &layer.with_mode(0));
    }
}

#[test]
fn rows_with_one_base_share_a_read_of_a_merging_bank() {
    let mut bench = bench();
    let operands: Vec<i8> = (0..16).collect();
    let lists = Lists::plain(&[4, 4, 0, 4], &[0, 1, 2]);
    let layer = Layer::new(lists, &operands, &[1, 2, 3], 0);
    // Two addresses that are 4 apart, in one bank or not: three reads of one of them.
    for (name, clocks) in [
        ("two", 12),
        ("two_merged", 6),
        ("four_banks", 12),
        ("eight", 9),
    ] {
        let run = bench.run_one(name, &layer);
        assert_eq!(run.sums(), [32, 32, 8, 32], "{name}");
        assert_eq!(run.status.reads, 12, "{name}");
        assert_eq!(run.status.stalls, clocks - 3, "{name}");
        let reads = if name == "two_merged" { 6 } else { 12 };
        assert_eq!(run.counters["operand_reads"], reads, "{name}");
    }
}

#[proves("SGCR-58")]
#[test]
fn a_run_takes_the_documented_clocks() {
    let mut bench = bench();
    for name in ["four", "square", "single", "pair", "tall", "flat", "ahead"] {
        for (layer, [t, k, n]) in [
            (small(), [4, 9, 1]),
            (asymmetric(), [24, 12, 2]),
            (connected(), [3, 7, 5]),
        ] {
            let each = match bench.side(name).options.store_each {
                true => vec![0, EACH],
                false => vec![0],
            };
            let modes = each.into_iter().flat_map(|each| [each, each | WEIGHTS]);
            for mode in modes {
                let options = bench.side(name).options.unit;
                let (r, q) = (options.rows as u64, options.cols as u64);
                let run = bench.run_one(name, &layer.with_mode(mode));
                let steps = match mode {
                    0 => u64::div_ceil(t, r) * (r + u64::div_ceil(n, q) * (k + r - 1)),
                    EACH => u64::div_ceil(t, r) * (r + u64::div_ceil(n, q) * k * r),
                    _ => u64::div_ceil(n, q) * u64::div_ceil(k, r) * (r + t),
                };
                // Rows that keep their bases: a clock more for each row tile, or each pass.
                let more = match (options.prefetch, mode) {
                    (false, _) => 0,
                    (true, 0 | EACH) => u64::div_ceil(t, r),
                    (true, _) => u64::div_ceil(n, q) * u64::div_ceil(k, r),
                };
                // Five clocks to the first slot at the head, one more to `done_o`.
                let clocks = 5 + steps + more + r + q + 5;
                assert_eq!(run.clocks, clocks, "{name}, mode {mode}");
            }
        }
    }
}

#[proves("SGCR-43")]
#[test]
fn runs_follow_while_results_still_leave() {
    let mut bench = bench();
    for name in names() {
        for mode in [0, WEIGHTS] {
            let layer = asymmetric().with_mode(mode);
            bench.run_one(&name, &layer);
            let side = bench.play(&name, [Op::Next, Op::Next, Op::Next, Op::Settled]);
            let runs = std::mem::take(&mut side.runs);
            assert_eq!(runs.len(), 3, "{name}");
            assert!(runs.iter().all(|run| run.overlap), "{name}");
            for run in runs {
                assert_eq!(run.sums(), asymmetric_c(), "{name}, mode {mode}");
            }
            // Registers may be written while results leave.
            let other = layer.with_mode(mode ^ WEIGHTS);
            let side = bench.side(&name);
            side.load_weights(&layer);
            side.ops.extend([Op::Run, Op::Free]);
            let registers = other.registers().into_iter().map(Op::Write);
            let side = bench.play(&name, registers.chain([Op::Settled]));
            let run = side.runs.pop().map(|run| run.sums());
            assert_eq!(run, Some(asymmetric_c()), "{name}, mode {mode}");
        }
    }
}

#[proves("SGCR-01")]
#[test]
fn writes_during_a_run_change_nothing() {
    let mut bench = bench();
    for name in names() {
        let layer = asymmetric();
        bench.run_one(&name, &layer);
        let written = bench.table_writes(&name);
        let side = bench.side(&name);
        side.ops.push_back(Op::Run);
        side.ops
            .extend((0..9).map(|register| Op::Write(Write::register(register, 1))));
        let tables = layer.tables().into_iter().map(Op::Write);
        let side = bench.play(&name, tables.chain([Op::Settled]));
        assert!(side.model.state.refused, "{name}");
        assert_eq!(side.runs.pop().map(|run| run.sums()), Some(asymmetric_c()));
        assert_eq!(bench.table_writes(&name), written, "{name}");
        assert_eq!(bench.run_loaded(&name).sums(), asymmetric_c(), "{name}");
    }
}

#[test]
fn passes_may_be_as_short_as_one_step() {
    let mut bench = bench();
    for name in names() {
        for (rows, taps, outputs) in [(3, 1, 40), (1, 1, 12), (1, 2, 24), (9, 1, 12), (1, 40, 3)] {
            let bases: Vec<i32> = (0..rows).map(|m| m * taps).collect();
            let offsets: Vec<i32> = (0..taps).collect();
            let operands: Vec<i8> = (0..rows * taps).map(|i| (i * 37 + 5) as i8).collect();
            let weights: Vec<i8> = (0..outputs * taps).map(|i| (i * 91 + 7) as i8).collect();
            let layer = Layer::new(Lists::plain(&bases, &offsets), &operands, &weights, 0);
            for mode in [0, WEIGHTS] {
                let run = bench.run_one(&name, &layer.with_mode(mode));
                assert_eq!(
                    run.sums(),
                    product(&layer, taps as usize),
                    "{name}, mode {mode}"
                );
            }
        }
    }
}

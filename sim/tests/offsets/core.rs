//! Results, reads and stalls of the GEMM core.

use super::{MASKS, STEPS, WEIGHTS, options, program};
use heddle_sim::gemm::banks::conflict;
use heddle_sim::gemm::{GemmModel, GemmOptions, GemmRefusal, GemmRun};
use heddle_sim::offsets::examples::{self, Lists};
use heddle_sim::offsets::{UnitOptions, Write};

/// Each iteration is stored.
const STORE_EACH: u32 = 8;

/// A core of this size with small memories.
pub fn core(rows: usize, cols: usize) -> GemmOptions {
    GemmOptions {
        unit: options(rows, cols),
        banks: 0,
        merge: true,
        store_each: false,
        operand_bytes: 1024,
        weight_words: 256,
        results: 64,
    }
}

/// Runs lists on operands at their byte addresses; weight (channel, k).
pub fn run(
    options: &GemmOptions,
    lists: &Lists,
    outputs: usize,
    mode: u32,
    operands: impl Iterator<Item = (u32, i8)>,
    weight: impl Fn(usize, usize) -> i8,
) -> GemmRun {
    let mut model = GemmModel::new(options);
    for write in program(lists, outputs as u32, mode) {
        model.write(&write, false);
    }
    for (address, operand) in operands {
        model.write_operand(address, operand);
    }
    let (rows, cols) = (options.unit.rows, options.unit.cols);
    let taps = lists.offsets.len();
    let length = match mode & WEIGHTS {
        0 => taps,
        _ => taps.next_multiple_of(rows),
    };
    for tile in 0..outputs.div_ceil(cols) {
        for k in 0..length {
            let inside = |j: usize| k < taps && tile * cols + j < outputs;
            let word: Vec<i8> = (0..cols)
                .map(|j| match inside(j) {
                    true => weight(tile * cols + j, k),
                    false => 0,
                })
                .collect();
            model.write_weights((tile * length + k) as u16, &word);
        }
    }
    model.start().expect("the run is legal")
}

/// (row, channel, sum), sorted.
pub fn results(run: &GemmRun) -> Vec<(u16, u16, i32)> {
    let all = run.results.iter().flatten().flatten();
    let mut all: Vec<_> = all.map(|r| (r.row, r.col, r.sum)).collect();
    all.sort_unstable();
    all
}

#[test]
fn sgcr_25_sgcr_35_results_of_the_small_example() {
    let operands = || (0..).zip(examples::SMALL_A);
    for (rows, cols) in [(4, 1), (3, 1), (2, 2), (5, 4), (1, 1)] {
        for mode in [0, STEPS, WEIGHTS, WEIGHTS | STEPS] {
            let lists = match mode & STEPS {
                0 => examples::small(),
                _ => examples::small().steps(),
            };
            let weight = |_, k: usize| examples::SMALL_B[k];
            let run = run(&core(rows, cols), &lists, 1, mode, operands(), weight);
            let expected = [329, 259, 559, 372];
            let expected: Vec<_> = (0..).zip(expected).map(|(m, sum)| (m, 0, sum)).collect();
            assert_eq!(results(&run), expected, "{rows} x {cols}, mode {mode}");
            assert_eq!(run.run.reads(), 36);
            if (rows, mode) == (4, 0) {
                assert_eq!(run.operands, examples::SMALL_VALUES.map(Vec::from));
            }
        }
    }
}

#[test]
fn sgcr_34_all_48_results_of_the_asymmetric_example() {
    for (rows, cols, mode) in [(16, 2, 0), (4, 1, 0), (5, 3, WEIGHTS), (16, 2, WEIGHTS)] {
        let operands = (0..168).map(|i| (2 * i as u32, examples::asymmetric_a(i)));
        let weight = |n: usize, k: usize| examples::asymmetric_b((12 * n + k) as i32);
        let lists = examples::asymmetric();
        let run = run(&core(rows, cols), &lists, 2, mode, operands, weight);
        let rows = (0..).zip(examples::ASYMMETRIC_C);
        let expected: Vec<_> = rows
            .flat_map(|(m, sums)| [(m, 0, sums[0]), (m, 1, sums[1])])
            .collect();
        assert_eq!(results(&run), expected);
    }
}

#[test]
fn sgcr_47_sgcr_48_sgcr_56_padding_by_mask_and_by_border() {
    let expected: Vec<_> = (0..)
        .zip(examples::PADDED_C)
        .map(|(m, sum)| (m, 0, sum))
        .collect();
    let weight = |_, k: usize| k as i8 + 1;
    for mode in [0, WEIGHTS] {
        let input = (0..9).map(|i| (i, i as i8 + 1));
        let lists = examples::padded();
        let masked = run(&core(4, 1), &lists, 1, mode | MASKS, input, weight);
        assert_eq!(results(&masked), expected);
        let border = (0..25).map(|i| {
            let (y, x) = (i / 5, i % 5);
            let inside = (1..4).contains(&y) && (1..4).contains(&x);
            (i, if inside { (3 * (y - 1) + x) as i8 } else { 0 })
        });
        let lists = examples::bordered();
        let bordered = run(&core(4, 1), &lists, 1, mode, border, weight);
        assert_eq!(results(&bordered), expected);
        assert_eq!((masked.run.reads(), bordered.run.reads()), (49, 81));
    }
}

#[test]
fn sgcr_28_each_iteration_stored_ends_with_the_results_stored_once() {
    let lists = examples::asymmetric();
    let operands = || (0..168).map(|i| (2 * i as u32, examples::asymmetric_a(i)));
    let weight = |j: usize, k: usize| examples::asymmetric_b((12 * j + k) as i32);
    let options = GemmOptions {
        store_each: true,
        ..core(5, 2)
    };
    for (mode, iterations) in [(0, 12), (WEIGHTS, 3)] {
        let once = run(&options, &lists, 2, mode, operands(), weight);
        let each = run(&options, &lists, 2, mode | STORE_EACH, operands(), weight);
        assert!(each.store_each && !once.store_each);
        let stored = results(&each);
        assert_eq!(stored.len(), iterations * results(&once).len());
        for place in results(&once) {
            let mut column = each.results[usize::from(place.1)].iter().flatten();
            let last = column.rfind(|r| (r.row, r.col) == (place.0, place.1));
            assert_eq!(last.map(|r| r.sum), Some(place.2), "mode {mode}");
        }
    }
    let small = |mode| {
        let operands = (0..).zip(examples::SMALL_A);
        let weight = |_, k: usize| examples::SMALL_B[k];
        run(&options, &examples::small(), 1, mode, operands, weight)
    };
    let sums = small(STORE_EACH).results[0].clone();
    let sums: Vec<Vec<i32>> = sums
        .iter()
        .map(|pass| pass.iter().map(|result| result.sum).collect())
        .collect();
    assert_eq!(sums, examples::SMALL_SUMS);
}

#[test]
fn each_iteration_is_stored_only_by_cores_that_can() {
    let mut model = GemmModel::new(&core(4, 1));
    for write in program(&examples::small(), 1, STORE_EACH) {
        model.write(&write, false);
    }
    let refusal = model.start().expect_err("bit 3 is not built");
    assert_eq!(refusal.code(), 4);
}

#[test]
fn sgcr_52_clocks_of_banks() {
    for (banks, merge, clocks) in [
        (2, false, 18),
        (4, false, 18),
        (8, false, 9),
        (2, true, 18),
        (4, true, 18),
        (8, true, 9),
    ] {
        let options = GemmOptions {
            unit: UnitOptions {
                broadcast: true,
                ..options(4, 1)
            },
            banks,
            merge,
            ..core(4, 1)
        };
        let operands = (0..).zip(examples::SMALL_A);
        let weight = |_, k: usize| examples::SMALL_B[k];
        let run = run(&options, &examples::small(), 1, 0, operands, weight);
        assert_eq!(run.step_clocks.iter().sum::<usize>(), clocks);
        assert_eq!(run.stalls, clocks - 9);
    }
    // 5.8.2: the reads of one clock of skew.
    for (banks, apart, merged) in [(2, 28, 18), (4, 22, 12), (8, 22, 12)] {
        for (merge, clocks) in [(false, apart), (true, merged)] {
            let step = |clock: &[i32; 4]| {
                let rows = clock.map(|address| u32::try_from(address).ok());
                conflict(&rows, banks, merge).clocks
            };
            let all: usize = examples::SKEW.iter().map(step).sum();
            assert_eq!(all, clocks, "{banks} banks, merge {merge}");
        }
    }
}

#[test]
fn more_rows_than_sums_are_refused() {
    let options = GemmOptions {
        results: 16,
        ..core(4, 1)
    };
    let mut model = GemmModel::new(&options);
    for write in program(&examples::asymmetric(), 1, WEIGHTS) {
        model.write(&write, false);
    }
    model.state.write(&Write::register(9, 0), false);
    let refusal = model.start().expect_err("24 sums in 16 words");
    assert_eq!((refusal, refusal.code()), (GemmRefusal::Results, 5));
    assert!(model.state.refused);
}

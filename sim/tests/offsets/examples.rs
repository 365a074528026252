//! Layouts, fully connected layers, tails and figure 15 on the golden model: results against nested
//! loops over the logical tensor, which know nothing of tables.

use super::core::{core, results, run};
use super::{STEPS, WEIGHTS};
use heddle_sim::gemm::GemmRun;
use heddle_sim::offsets::examples::{self, Lists};

/// Sizes of the array: one row, tails of rows and columns, more rows than entries.
const SIZES: [(usize, usize); 4] = [(1, 1), (4, 2), (3, 4), (16, 3)];

/// What a run must give: of GEMM row m and channel n the sum.
fn expected(
    rows: usize,
    outputs: usize,
    sum: impl Fn(usize, usize) -> i32,
) -> Vec<(u16, u16, i32)> {
    let sum = &sum;
    let rows = (0..rows).flat_map(|m| (0..outputs).map(move |n| (m as u16, n as u16, sum(m, n))));
    rows.collect()
}

/// Operand of row m and tap k that the run reads, as (byte address).
fn addresses(run: &GemmRun, rows: usize, m: usize) -> Vec<u32> {
    let steps = run.run.slots.iter().filter(|slot| slot.load.is_none());
    let tile = steps.filter(|slot| usize::from(slot.held) == m / rows * rows && slot.cols == 0);
    tile.filter_map(|slot| slot.rows[m % rows]).collect()
}

#[test]
fn sgcr_31_sgcr_32_sgcr_51_every_layout_of_5_6_gives_the_results_of_nested_loops() {
    let element = |[n, c, y, x]: [usize; 4]| {
        let place = ((n * 4 + c) * 2 + y) * 3 + x;
        ((place * place * 5 + 41 * place + 7) % 251) as u8 as i8
    };
    let weight = |n: usize, k: usize| ((n * 8 + k) * 29 + 3) as u8 as i8;
    let sum = |m: usize, ko: usize| -> i32 {
        let (n, y, x) = (m / 4, m / 2 % 2, m % 2);
        let mut sum = 0;
        for c in 0..4 {
            for u in 0..2 {
                let operand = element([n, c, y, x + u]);
                sum += i32::from(operand) * i32::from(weight(ko, 2 * c + u));
            }
        }
        sum
    };
    for (number, layout) in examples::LAYOUTS.iter().enumerate() {
        let memory = || {
            (0..48).map(|place| {
                let at = [place / 24, place / 6 % 4, place / 3 % 2, place % 3];
                (examples::layout_place(number, at) as u32, element(at))
            })
        };
        for (rows, cols) in SIZES {
            for (offsets, steps) in [(layout.offsets, 0), (layout.steps, STEPS)] {
                let lists = Lists::plain(&layout.bases, &offsets);
                for mode in [steps, steps | WEIGHTS] {
                    let run = run(&core(rows, cols), &lists, 3, mode, memory(), weight);
                    let label = format!("{}, {rows} x {cols}, mode {mode}", layout.name);
                    assert_eq!(results(&run), expected(8, 3, sum), "{label}");
                }
            }
        }
    }
}

#[test]
fn sgcr_33_fully_connected_layers_and_matrices_of_4_8_give_the_product() {
    let value = |i: usize| ((i * i * 3 + 17 * i + 5) % 255) as u8 as i8;
    let weight = |n: usize, k: usize| ((n * 7 + k) * 53 + 9) as u8 as i8;
    // A of 4 x 7: one image behind the other; lines of 9 elements; by column, columns of 5.
    for (row, tap, bytes) in [(7, 1, 1), (7, 1, 2), (9, 1, 1), (1, 5, 1)] {
        let list = |count: i32, pitch: i32| (0..count).map(|i| i * pitch).collect::<Vec<_>>();
        let lists = Lists::plain(&list(4, row * bytes), &list(7, tap * bytes));
        let memory = || (0..36).map(|i| (i as u32 * bytes as u32, value(i)));
        let sum = |m: usize, n: usize| -> i32 {
            let a = |k: usize| i32::from(value(m * row as usize + k * tap as usize));
            (0..7).map(|k| a(k) * i32::from(weight(n, k))).sum()
        };
        for (rows, cols) in SIZES {
            for mode in [0, WEIGHTS] {
                let run = run(&core(rows, cols), &lists, 5, mode, memory(), weight);
                let label = format!("{row}, {tap}, {rows} x {cols}, mode {mode}");
                assert_eq!(results(&run), expected(4, 5, sum), "{label}");
            }
        }
    }
}

#[test]
fn sgcr_10_rows_of_5_2_add_their_base_to_every_offset() {
    let lists = Lists::plain(&[100, 200], &[0, 3, 7]);
    let memory = (0..256).map(|i| (i, i as u8 as i8));
    let run = run(&core(2, 1), &lists, 1, 0, memory, |_, _| 1);
    assert_eq!(addresses(&run, 2, 0), [100, 103, 107]);
    assert_eq!(addresses(&run, 2, 1), [200, 203, 207]);
}

#[test]
fn sgcr_27_sgcr_45_tails_of_5_4_read_and_store_nothing() {
    let operands = (0..).zip(examples::SMALL_A);
    let weight = |_, k: usize| examples::SMALL_B[k];
    let small = run(&core(3, 1), &examples::small(), 1, 0, operands, weight);
    assert_eq!((small.run.reads(), results(&small).len()), (36, 4));
    let steps = small.run.slots.iter().filter(|slot| slot.load.is_none());
    let tail: Vec<_> = steps.filter(|slot| slot.held == 3).collect();
    assert_eq!(tail.len(), 9);
    assert!(tail.iter().all(|slot| slot.rows[1..] == [None, None]));

    let operands = (0..168).map(|i| (2 * i as u32, examples::asymmetric_a(i)));
    let weight = |n: usize, k: usize| examples::asymmetric_b((12 * n + k) as i32);
    let run = run(
        &core(16, 2),
        &examples::asymmetric(),
        2,
        0,
        operands,
        weight,
    );
    assert_eq!((run.run.steps(), run.run.reads()), (24, 288));
    assert_eq!((results(&run).len(), run.run.offset_reads.len()), (48, 24));
    let in_tile = |held: u16| {
        let steps = run.run.slots.iter().filter(|slot| slot.load.is_none());
        let tile = steps.filter(|slot| slot.held == held);
        tile.flat_map(|slot| &slot.rows).flatten().count()
    };
    assert_eq!((in_tile(0), in_tile(16)), (16 * 12, 8 * 12));
}

#[test]
fn sgcr_37_sgcr_38_sgcr_39_figure_15_gives_the_convolution() {
    let element = |at: usize| (at as u8).wrapping_mul(53) as i8;
    let weight = |_, k: usize| k as i8 + 1;
    let image = |n: i32| (0..5).flat_map(move |h| (0..5).map(move |w| n * 84 + h * 7 + w));
    let m_base: Vec<i32> = image(0).chain(image(1)).collect();
    let k_memory_offset = [0, 1, 2, 7, 8, 9, 42, 43, 44, 49, 50, 51];
    let lists = Lists::plain(&m_base, &k_memory_offset);
    let sum = |m: usize, _: usize| -> i32 {
        let (n, h, w) = (m / 25, m % 25 / 5, m % 5);
        let operand = |k: usize| {
            let (c, s, r) = (k / 6, k / 3 % 2, k % 3);
            i32::from(element(((n * 2 + c) * 6 + h + s) * 7 + w + r))
        };
        (0..12).map(|k| operand(k) * (k as i32 + 1)).sum()
    };
    for (rows, cols) in SIZES {
        for mode in [0, WEIGHTS] {
            let memory = (0..168).map(|at| (at as u32, element(at)));
            let run = run(&core(rows, cols), &lists, 1, mode, memory, weight);
            assert_eq!(results(&run), expected(50, 1, sum), "{rows} x {cols}");
            if mode == 0 {
                // 5.7: m = 31, k = 8 and m = 49, k = 11.
                let at = |m: usize, k: usize| addresses(&run, rows, m)[k];
                assert_eq!((at(31, 8), at(49, 11)), (136, 167));
            }
        }
    }
}

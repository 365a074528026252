//! Weight words, walked by a pointer that is only incremented.

use heddle_compiler::offsets::Request;
use heddle_compiler::offsets::order::weight_order;
use heddle_compiler::offsets::pack::Weights;

use super::{asymmetric, asymmetric_a, asymmetric_b, tables};

#[test]
fn words_of_4_10_are_tile_tap_column() {
    let values: Vec<i64> = (0..15).collect();
    let order = [0, 1, 2, 3, 4];
    let weights = Weights {
        values: &values,
        order: &order,
    };
    // Three outputs of five taps on two columns: B[j0 + j][k].
    let expected = [
        0, 5, 1, 6, 2, 7, 3, 8, 4, 9, 10, 0, 11, 0, 12, 0, 13, 0, 14, 0,
    ];
    assert_eq!(weights.output_stationary(2), expected);
    assert_eq!(weights.output_stationary(1), values);
    // Weight stationary on 3 rows: taps rounded up to 6.
    let expected = [
        0, 5, 1, 6, 2, 7, 3, 8, 4, 9, 0, 0, 10, 0, 11, 0, 12, 0, 13, 0, 14, 0, 0, 0,
    ];
    assert_eq!(weights.weight_stationary(3, 2), expected);
    let turned = Weights {
        values: &values,
        order: &[4, 0, 3, 1, 2],
    };
    assert_eq!(turned.output_stationary(3)[..6], [4, 9, 14, 0, 5, 10]);
}

/// The tiled loops of 4.10 with R rows and Q columns, B by a pointer.
fn output_stationary(request: &Request, rows: usize, columns: usize) -> Vec<i64> {
    let tables = tables(request);
    let (a, b) = (asymmetric_a(), asymmetric_b());
    let order = weight_order(request);
    let weights = Weights {
        values: &b,
        order: &order,
    };
    let words = weights.output_stationary(columns);
    let distances = tables.distances();
    let (outputs, pixels) = (tables.outputs as usize, tables.pixels as usize);
    let mut c = vec![0; tables.bases.len() * outputs];
    for t0 in (0..tables.bases.len()).step_by(rows) {
        let mut pointer = 0;
        for j0 in (0..outputs).step_by(columns) {
            for tap in 0..distances.len() {
                let word = &words[pointer..pointer + columns];
                pointer += columns;
                for row in t0..(t0 + rows).min(tables.bases.len()) {
                    let address = tables.address(&distances, row, tap).expect("no padding");
                    for output in j0..(j0 + columns).min(outputs) {
                        let place = (row / pixels * outputs + output) * pixels + row % pixels;
                        c[place] += a[address as usize / 2] * word[output - j0];
                    }
                }
            }
        }
        assert_eq!(pointer, words.len(), "each row tile walks all words");
    }
    c
}

/// The loops of 4.14, weight stationary: one walk over all words.
fn weight_stationary(request: &Request, rows: usize, columns: usize) -> Vec<i64> {
    let tables = tables(request);
    let (a, b) = (asymmetric_a(), asymmetric_b());
    let order = weight_order(request);
    let weights = Weights {
        values: &b,
        order: &order,
    };
    let words = weights.weight_stationary(rows, columns);
    let mut rest = words.chunks(columns);
    let distances = tables.distances();
    let (outputs, pixels) = (tables.outputs as usize, tables.pixels as usize);
    let mut c = vec![0; tables.bases.len() * outputs];
    for j0 in (0..outputs).step_by(columns) {
        for k0 in (0..distances.len()).step_by(rows) {
            for tap in k0..k0 + rows {
                let word = rest.next().expect("a word for each row");
                if tap >= distances.len() {
                    assert!(
                        word.iter().all(|w| *w == 0),
                        "no weight beyond the last tap"
                    );
                    continue;
                }
                for row in 0..tables.bases.len() {
                    let address = tables.address(&distances, row, tap).expect("no padding");
                    for output in j0..(j0 + columns).min(outputs) {
                        let place = (row / pixels * outputs + output) * pixels + row % pixels;
                        c[place] += a[address as usize / 2] * word[output - j0];
                    }
                }
            }
        }
    }
    assert_eq!(rest.next(), None);
    c
}

#[test]
fn sgcr_53_a_pointer_that_only_increments_gives_the_results_of_5_3() {
    for reuse_order in [false, true] {
        let wanted = Request {
            reuse_order,
            ..asymmetric()
        };
        for (rows, columns) in [(1, 1), (4, 2), (5, 1), (16, 3), (24, 2)] {
            let expected = super::asymmetric::C;
            assert_eq!(
                output_stationary(&wanted, rows, columns),
                expected,
                "{rows} {columns}"
            );
            assert_eq!(
                weight_stationary(&wanted, rows, columns),
                expected,
                "{rows} {columns}"
            );
        }
    }
}

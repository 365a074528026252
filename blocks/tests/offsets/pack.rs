//! Weight words, walked by a pointer that is only incremented.

use heddle_blocks::offsets::order::weight_order;
use heddle_blocks::offsets::pack::Weights;
use heddle_blocks::offsets::{Request, Tables};

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

/// Tables, A and C of 5.3, and the weight words of one column tile after the other.
struct Loops {
    tables: Tables,
    a: Vec<i64>,
    c: Vec<i64>,
    words: Vec<i64>,
}

impl Loops {
    fn new(request: &Request, pack: impl Fn(&Weights<i64>) -> Vec<i64>) -> Self {
        let tables = tables(request);
        let weights = Weights {
            values: &asymmetric_b(),
            order: &weight_order(request),
        };
        Self {
            a: asymmetric_a(),
            c: vec![0; tables.bases.len() * tables.outputs as usize],
            words: pack(&weights),
            tables,
        }
    }

    /// Adds the products of a tap of a row with a word for the outputs from `j0` on.
    fn add(&mut self, row: usize, tap: usize, j0: usize, word: &[i64]) {
        let distances = self.tables.distances();
        let address = self
            .tables
            .address(&distances, row, tap)
            .expect("no padding");
        let (outputs, pixels) = (self.tables.outputs as usize, self.tables.pixels as usize);
        for (output, weight) in (j0..outputs).zip(word) {
            let place = (row / pixels * outputs + output) * pixels + row % pixels;
            self.c[place] += self.a[address as usize / 2] * weight;
        }
    }
}

/// The tiled loops of 4.10 with R rows and Q columns, B by a pointer.
fn output_stationary(request: &Request, rows: usize, columns: usize) -> Vec<i64> {
    let mut loops = Loops::new(request, |weights| weights.output_stationary(columns));
    let words = loops.words.clone();
    let (bases, taps) = (loops.tables.bases.len(), loops.tables.offsets.len());
    for t0 in (0..bases).step_by(rows) {
        // Each row tile walks all words.
        let mut words = words.chunks(columns);
        for j0 in (0..loops.tables.outputs as usize).step_by(columns) {
            for tap in 0..taps {
                let word = words.next().expect("a word for each tap");
                for row in t0..(t0 + rows).min(bases) {
                    loops.add(row, tap, j0, word);
                }
            }
        }
        assert_eq!(words.next(), None);
    }
    loops.c
}

/// The loops of 4.14, weight stationary: one walk over all words.
fn weight_stationary(request: &Request, rows: usize, columns: usize) -> Vec<i64> {
    let mut loops = Loops::new(request, |weights| weights.weight_stationary(rows, columns));
    let words = loops.words.clone();
    let mut words = words.chunks(columns);
    let (bases, taps) = (loops.tables.bases.len(), loops.tables.offsets.len());
    for j0 in (0..loops.tables.outputs as usize).step_by(columns) {
        for tap in 0..taps.next_multiple_of(rows) {
            let word = words.next().expect("a word for each row");
            if tap >= taps {
                assert!(word.iter().all(|w| *w == 0), "a weight beyond the last tap");
                continue;
            }
            for row in 0..bases {
                loops.add(row, tap, j0, word);
            }
        }
    }
    assert_eq!(words.next(), None);
    loops.c
}

#[proves("SGCR-53")]
#[test]
fn a_pointer_that_only_increments_gives_the_results_of_5_3() {
    for reuse_order in [false, true] {
        let wanted = Request {
            reuse_order,
            ..asymmetric()
        };
        for (rows, columns) in [(1, 1), (4, 2), (5, 1), (16, 3), (24, 2)] {
            for loops in [output_stationary, weight_stationary] {
                let found = loops(&wanted, rows, columns);
                assert_eq!(found, super::asymmetric::c(), "{rows} {columns}");
            }
        }
    }
}

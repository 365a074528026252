//! Products whose sums begin with those of a round before.
//!
//! The array starts every column with 0 then. What the round before has left is in the results buffer and is
//! added where the column ends, in the clock in which its sum leaves the array.

use heddle_arch::isa::{Drain, DrainPlace, Instruction, LoadWeights, Matmul, Record, Wait};
use heddle_arch::requantise::Scale;
use heddle_compiler::matrix::{MatrixPlace, Shape};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::bench::{Bench, Matrix};
use super::probe;
use crate::machines::pair::row;
use crate::rtl::Checked;

/// Column tile with a bias and scale 1.
const TILE: u8 = 6;
const VECTORS: u32 = 7;
const SIDE: u32 = 4;

const ALL: Wait = Wait {
    weights: true,
    stream: true,
    drain: true,
};

/// Loads a matrix of 4 x 4 and streams another one past it; the sums stay in bank 0 of the results buffer.
fn round(weights: &MatrixPlace, moving: &MatrixPlace, first: bool) -> Vec<Instruction> {
    vec![
        Instruction::LoadWeights(LoadWeights {
            wait: ALL,
            rows: SIDE,
            record: Record {
                rows: vec![row(0, weights.base, &[])],
            },
            ..LoadWeights::default()
        }),
        Instruction::Matmul(Matmul {
            rows: SIDE,
            first,
            last: false,
            macs: SIDE * SIDE,
            record: Record {
                rows: vec![
                    row(0, TILE.into(), &[]),
                    row(1, moving.base, &[(VECTORS, 1)]),
                ],
            },
            ..Matmul::default()
        }),
    ]
}

/// Sends the stored sums to the state buffer.
fn dump(result: &MatrixPlace) -> Vec<Instruction> {
    vec![
        Instruction::Drain(Drain {
            wait: ALL,
            columns: SIDE,
            tile: TILE,
            place: Some(DrainPlace::default()),
            record: Record {
                rows: vec![row(0, result.base, &[(VECTORS, 1)])],
            },
            ..Drain::default()
        }),
        Instruction::Matmul(Matmul {
            first: false,
            last: false,
            threshold: 0,
            macs: 0,
            record: Record {
                rows: vec![row(2, 0, &[(VECTORS, 1)])],
            },
            ..Matmul::default()
        }),
    ]
}

/// Two rounds as programs of their own; `first` of the second one.
fn two_rounds(first: bool) -> Checked {
    let machine = probe::machine(SIDE, SIDE);
    let mut bench = Bench::new(&machine, 1)?;
    bench.pair.set_zero(0);
    let params = bench.params();
    let mut rng = ChaCha8Rng::seed_from_u64(57);
    let mut small = |cols| Matrix::new(SIDE, cols, |_| rng.random_range(-3..=3));
    let (weights, moving) = ([small(SIDE), small(SIDE)], [small(VECTORS), small(VECTORS)]);
    let biases: Vec<i32> = (0..SIDE as i32).map(|column| 5 * column - 8).collect();
    for (column, bias) in (0..).zip(&biases) {
        let one = Scale::new(1 << 30, 1).expect("scale 1");
        bench.pair.write_column(column, TILE.into(), *bias, one);
    }
    let square = Shape {
        rows: SIDE,
        cols: SIDE,
    };
    let weight_places = [0, 64].map(|base| MatrixPlace::new(square, base, params));
    let streamed = |bank: u32, base| {
        let (rows, cols) = (SIDE, VECTORS);
        MatrixPlace::streamed(
            Shape { rows, cols },
            bank * params.bank_bytes() + base,
            params,
        )
    };
    let moving_places = [streamed(1, 0), streamed(1, 64)];
    let result = streamed(2, 0);
    for index in 0..2 {
        bench.write(&weight_places[index], &weights[index]);
        bench.write(&moving_places[index], &moving[index]);
    }
    let products = [0, 1].map(|i| {
        // Exact: no sum of four products of numbers up to 3 leaves a byte.
        weights[i].transposed_times(&moving[i])
    });

    bench.run(round(&weight_places[0], &moving_places[0], true))?;
    // Another program in between; the sums of the round before stay.
    bench.run(Vec::new())?;
    let trace = probe::run(
        &mut bench,
        round(&weight_places[1], &moving_places[1], first),
    )?;
    for column in 0..SIDE {
        let stores = trace.stores(column as usize);
        if stores.len() as u32 != VECTORS {
            return Err(format!("column {column} stores {} sums", stores.len()));
        }
        for (vector, (clock, store)) in (0..).zip(&stores) {
            let array = trace.clocks[clock - 1].sums[column as usize];
            let before = i32::from(products[0].at(column, vector)) + biases[column as usize];
            if store.sum != before + array {
                return Err(format!(
                    "column {column}, vector {vector}: {} is stored, round before {before}, array {array}",
                    store.sum
                ));
            }
            if array != i32::from(products[1].at(column, vector)) {
                return Err(format!("column {column}, vector {vector}: array {array}"));
            }
        }
    }
    bench.run(dump(&result))?;
    let expected = Matrix::new(SIDE, VECTORS, |(r, c)| {
        let sum = i32::from(products[0].at(r, c)) + i32::from(products[1].at(r, c));
        (sum + biases[r as usize]).clamp(-128, 127) as i8
    });
    bench.check(&result, &expected)
}

#[test]
fn a_round_adds_to_the_result_of_the_round_before() {
    two_rounds(false).unwrap();
    let alone = two_rounds(true);
    println!(
        "a round that begins anew: {}",
        alone.expect_err("other sums")
    );
}

//! Transposes of elements that are wider than the multipliers.

use heddle_compiler::matrix::{MatrixPlace, MatrixShape, Portions, WideTranspose, portion_factors};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::bench::{Bench, Matrix, UNIT_TILE};
use crate::machines::{self, Machine};

/// Source, portions and destination in bank 0, the identities in bank 1.
struct Places {
    transpose: WideTranspose,
    identity: Matrix,
    spread: Matrix,
}

fn places(bench: &mut Bench, rows: u32, cols: u32, element_bytes: u32) -> Places {
    let params = bench.params();
    let row = params.array.rows;
    let mut next = 0;
    let mut place = |rows, cols| {
        let place = MatrixPlace::new(MatrixShape { rows, cols }, next, params);
        next = place.end();
        place
    };
    let source = place(rows, element_bytes * cols);
    let planes = (0..element_bytes).map(|_| place(rows, cols)).collect();
    let destination = place(cols, element_bytes * rows);
    let identity = Matrix::new(row, row, |(row, col)| i8::from(row == col));
    let loaded = MatrixPlace::new(identity.shape, params.bank_bytes(), params);
    let width = element_bytes * row + element_bytes - 1;
    let spread = Matrix::new(row, width, |(row, col)| {
        i8::from(col == element_bytes * row + element_bytes - 1)
    });
    let streamed = MatrixPlace::streamed(spread.shape, loaded.end(), params);
    bench.pair.set_zero(0);
    bench.write(&loaded, &identity);
    bench.write(&streamed, &spread);
    Places {
        transpose: WideTranspose {
            source,
            destination,
            planes,
            identity: loaded,
            portions: Portions::Placed(streamed),
            tile: UNIT_TILE,
        },
        identity,
        spread,
    }
}

/// Elements of several bytes change their places as wholes.
fn transposed(matrix: &Matrix, element_bytes: u32) -> Matrix {
    let MatrixShape { rows, cols } = matrix.shape;
    Matrix::new(cols / element_bytes, element_bytes * rows, |(row, col)| {
        matrix.at(
            col / element_bytes,
            row * element_bytes + col % element_bytes,
        )
    })
}

#[proves("PET-X1")]
#[test]
fn elements_of_16_bits_of_the_annex() {
    let machine = Machine::new(machines::tiny());
    let mut bench = Bench::new(&machine, 1).unwrap();
    let Places { transpose, .. } = places(&mut bench, 2, 2, 2);
    let bytes = |cols: u32, bytes: &[u8]| {
        Matrix::new(2, cols, |(row, col)| {
            bytes[(row * cols + col) as usize] as i8
        })
    };
    // 0x1234, 0xABCD and 0x00FF, 0xFF00, the lowest byte first.
    let source = bytes(4, &[0x34, 0x12, 0xCD, 0xAB, 0xFF, 0x00, 0x00, 0xFF]);
    bench.write(&transpose.source, &source);
    let params = bench.params();
    bench.run(transpose.instructions(params).unwrap()).unwrap();
    // Portion 0 and portion 1, then the elements.
    let [low, high] = &transpose.planes[..] else {
        panic!("two portions");
    };
    bench
        .check(low, &bytes(2, &[0x34, 0xCD, 0xFF, 0x00]))
        .unwrap();
    bench
        .check(high, &bytes(2, &[0x12, 0xAB, 0x00, 0xFF]))
        .unwrap();
    let expected = bytes(4, &[0x34, 0x12, 0xFF, 0x00, 0xCD, 0xAB, 0x00, 0xFF]);
    bench.check(&transpose.destination, &expected).unwrap();
    bench.check(&transpose.source, &source).unwrap();
}

#[test]
fn a_pass_fills_the_places_of_its_portion_and_clears_the_others() {
    let machine = Machine::new(machines::tall());
    let mut bench = Bench::new(&machine, 1).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let Places { transpose, .. } = places(&mut bench, 7, 4, 3);
    let source = Matrix::random(&mut rng, 7, 12);
    bench.write(&transpose.source, &source);
    let params = bench.params();
    bench.run(transpose.instructions(params).unwrap()).unwrap();
    let whole = transposed(&source, 3);
    bench.check(&transpose.destination, &whole).unwrap();
    for portion in 0..3 {
        let pass = transpose.passes(&[portion], params).unwrap();
        bench.run(pass).unwrap();
        let one = Matrix::new(4, 21, |(row, col)| match col % 3 == portion {
            true => whole.at(row, col),
            false => 0,
        });
        bench.check(&transpose.destination, &one).unwrap();
    }
    // The order of the passes does not matter.
    let passes = transpose.passes(&[2, 0, 1], params).unwrap();
    bench.run(passes).unwrap();
    bench.check(&transpose.destination, &whole).unwrap();
}

/// Elements of 8 bits in two portions of 4: added up in the results buffer they are what their places say.
#[proves("PET-X3")]
#[test]
fn adding_portions_gives_what_placing_gives() {
    let machine = Machine::new(machines::tiny());
    for seed in 1..=3 {
        let mut bench = Bench::new(&machine, seed).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (rows, cols) = (rng.random_range(1..=9), rng.random_range(1..=9));
        for (count, bits) in [(2, 4), (4, 2), (3, 2), (7, 1)] {
            let Places {
                mut transpose,
                identity,
                spread,
            } = places(&mut bench, rows, cols, count);
            assert_eq!(spread.shape, WideTranspose::spread(count, bench.params()));
            let portion = |_| rng.random_range(0..1 << bits);
            let source = Matrix::new(rows, count * cols, portion);
            bench.write(&transpose.source, &source);
            let params = bench.params();
            bench.run(transpose.instructions(params).unwrap()).unwrap();
            let placed = transposed(&source, count);
            bench.check(&transpose.destination, &placed).unwrap();
            // The bytes of an element as one number.
            let recombined = Matrix::new(cols, rows, |(row, col)| {
                let bytes = (0..count).map(|s| placed.at(row, count * col + s) as u8);
                let portions = bytes
                    .zip(0..)
                    .map(|(byte, s): (u8, u32)| byte << (s * bits));
                portions.sum::<u8>() as i8
            });

            let mut base = params.bank_bytes() + 1024;
            let mut scaled = Vec::new();
            for factor in portion_factors(count, bits).unwrap() {
                let place = MatrixPlace::streamed(identity.shape, base, params);
                let matrix = Matrix {
                    shape: identity.shape,
                    elements: identity.elements.iter().map(|one| one * factor).collect(),
                };
                bench.write(&place, &matrix);
                base = place.end();
                scaled.push(place);
            }
            transpose.portions = Portions::Added(scaled);
            let shape = recombined.shape;
            transpose.destination = MatrixPlace::new(shape, transpose.destination.base, params);
            bench.run(transpose.instructions(params).unwrap()).unwrap();
            bench.check(&transpose.destination, &recombined).unwrap();
        }
    }
    let error = portion_factors(2, 8).unwrap_err().to_string();
    assert!(
        error.starts_with("2 portions of 8 bits cannot be added"),
        "{error}"
    );
    assert!(portion_factors(8, 1).is_err(), "2^7 is no operand");
}

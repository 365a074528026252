//! Identity matrices that a program makes of a stored 1 and a stored 0.

use heddle_compiler::matrix::{IdentityBuild, MatrixPlace, MatrixShape};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::bench::{Bench, Matrix, UNIT_TILE, places};
use crate::machines::{self, Machine};
use crate::rtl::Checked;

/// Builds the identity and transposes with it, in one program; `one` is the constant 1.
fn built(machine: &Machine, seed: u64, one: i8) -> Checked {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut bench = Bench::new(machine, seed)?;
    let params = bench.params();
    bench.pair.set_zero(0);
    let (rows, cols) = (params.array.rows, params.array.cols);
    let square = MatrixShape { rows, cols: rows };
    let weights = MatrixShape { rows: 1, cols };
    // All in the bank of the identity; the rest of the memory is random.
    let identity = MatrixPlace::streamed(square, params.bank_bytes(), params);
    let constants = MatrixPlace::new(weights, identity.end(), params);
    let build = IdentityBuild {
        identity,
        constants: constants.base,
        scratch: constants.end(),
        tile: UNIT_TILE,
    };
    let word = [one as u8, 0, 0, 0, 0, 0, 0, 0];
    bench.pair.write_word(0, build.constants / 8, word);
    let matrix = Matrix::random(&mut rng, rows, cols);
    let transpose = places(matrix.shape, identity, params);
    bench.write(&transpose.source, &matrix);
    let at = |error: &dyn std::fmt::Display| format!("{rows} x {cols}: {error}");
    let mut program = build.instructions(params).map_err(|e| at(&e))?;
    program.extend(transpose.instructions(params).map_err(|e| at(&e))?);
    bench.run(program)?;
    let expected = Matrix::new(rows, rows, |(row, col)| i8::from(row == col));
    bench.check(&identity, &expected)?;
    bench.check(&transpose.destination, &matrix.transposed())
}

#[proves("PET-39")]
#[test]
fn an_identity_built_from_a_stored_1_and_a_stored_0() {
    for params in machines::configurations() {
        let machine = Machine::new(params);
        for seed in 1..=3 {
            built(&machine, seed, 1).unwrap();
        }
        built(&machine, 1, 0).expect_err("without a 1");
    }
}

//! Identity matrices that a program makes of a stored 1 and a stored 0.

use heddle_compiler::matrix::{DrainForm, IdentityBuild, MatrixPlace, Shape, Transpose};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use heddle_arch::isa::Instruction;
use heddle_arch::params::Params;
use heddle_arch::requantise::Scale;
use heddle_sim::machine::Machine as Golden;

use super::bench::{Bench, Matrix, UNIT_TILE};
use crate::machines::pair::HALT;
use crate::machines::{self, Machine};
use crate::rtl::Checked;

/// Builds the identity and transposes with it, in one program; `one` is the constant 1.
fn built(machine: &Machine, seed: u64, one: i8) -> Checked {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut bench = Bench::new(machine, seed)?;
    let params = bench.params();
    bench.pair.set_zero(0);
    let (rows, cols) = (params.array.rows, params.array.cols);
    let square = Shape { rows, cols: rows };
    let weights = Shape { rows: 1, cols };
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
    let source = MatrixPlace::new(matrix.shape, 0, params);
    let transpose = Transpose {
        source,
        destination: MatrixPlace::new(matrix.shape.transposed(), source.end(), params),
        identity,
        tile: UNIT_TILE,
        form: DrainForm::Direct,
    };
    bench.write(&source, &matrix);
    let at = |error: &dyn std::fmt::Display| format!("{rows} x {cols}: {error}");
    let mut program = build.instructions(params).map_err(|e| at(&e))?;
    program.extend(transpose.instructions(params).map_err(|e| at(&e))?);
    bench.run(program)?;
    let expected = Matrix::new(rows, rows, |(row, col)| i8::from(row == col));
    bench.check(&identity, &expected)?;
    bench.check(&transpose.destination, &matrix.transposed())
}

#[test]
fn pet_39_an_identity_built_from_a_stored_1_and_a_stored_0() {
    for params in machines::configurations() {
        let machine = Machine::new(params);
        for seed in 1..=3 {
            built(&machine, seed, 1).unwrap();
        }
        built(&machine, 1, 0).expect_err("without a 1");
    }
}

/// Sizes whose Verilog takes minutes to build: a block of 128 x 64 by an identity of 128 x 128, in all forms.
#[test]
fn an_identity_of_128_rows_on_the_golden_machine() {
    let mut params = Params::from_json(include_str!("../../../configs/huge.json")).unwrap();
    params.array.cols = 64;
    params.program.words = 1 << 13;
    let (rows, cols) = (params.array.rows, params.array.cols);
    let mut golden = Golden::new(&params);
    let square = Shape { rows, cols: rows };
    let identity = MatrixPlace::streamed(square, params.bank_bytes(), &params);
    let constants = MatrixPlace::new(Shape { rows: 1, cols }, identity.end(), &params);
    let build = IdentityBuild {
        identity,
        constants: constants.base,
        scratch: constants.end(),
        tile: UNIT_TILE,
    };
    for column in 0..cols {
        let scale = Scale::new(1 << 30, 1).expect("scale 1");
        golden.write_scale(column, UNIT_TILE.into(), scale);
    }
    golden.write_word(0, build.constants / 8, [1, 0, 0, 0, 0, 0, 0, 0]);
    for partition in 0..rows {
        for word in identity.base / 8..identity.end() / 8 {
            golden.write_word(partition, word, [0x55; 8]);
        }
    }
    let run = |golden: &mut Golden, mut program: Vec<Instruction>| {
        program.push(HALT);
        let words: Vec<u32> = program.iter().flat_map(Instruction::encode).collect();
        golden.write_program(0, &words);
        golden.run(0, 1_000_000).expect("HALT");
    };
    run(&mut golden, build.instructions(&params).unwrap());
    let element = |golden: &Golden, place: &MatrixPlace, row, col| {
        let (partition, address) = place.element(row, col);
        golden.read_word(partition, address / 8)[(address % 8) as usize] as i8
    };
    for (row, col) in (0..rows).flat_map(|row| (0..rows).map(move |col| (row, col))) {
        assert_eq!(
            element(&golden, &identity, row, col),
            i8::from(row == col),
            "{row}, {col}"
        );
    }
    let source = MatrixPlace::new(Shape { rows, cols }, 0, &params);
    let value = |row: u32, col: u32| (row + 3 * col) as u8;
    for row in 0..rows {
        for group in 0..cols / 8 {
            let word = std::array::from_fn(|k| value(row, 8 * group + k as u32));
            golden.write_word(row, source.base / 8 + group, word);
        }
    }
    for form in [
        DrainForm::Direct,
        DrainForm::Row,
        DrainForm::Part,
        DrainForm::All,
    ] {
        let place = MatrixPlace::new(source.shape.transposed(), source.end(), &params);
        let transpose = Transpose {
            source,
            destination: place,
            identity,
            tile: UNIT_TILE,
            form,
        };
        run(&mut golden, transpose.instructions(&params).unwrap());
        for (row, col) in (0..cols).flat_map(|row| (0..rows).map(move |col| (row, col))) {
            let found = element(&golden, &place, row, col);
            assert_eq!(found, value(col, row) as i8, "{form:?}: {row}, {col}");
        }
        for partition in 0..cols {
            for word in place.base / 8..place.end() / 8 {
                golden.write_word(partition, word, [0x55; 8]);
            }
        }
    }
}

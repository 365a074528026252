//! Transposes by a product with the identity.

use heddle_arch::isa::{Drain, Instruction, OP_LOAD_WEIGHTS};
use heddle_arch::params::Params;
use heddle_compiler::matrix::{DrainForm, MatrixPlace, Shape, Transpose};

use super::bench::{Bench, Matrix, UNIT_TILE};
use super::probe;
use crate::machines::{self, Machine};

fn count(program: &[Instruction], opcode: u32) -> usize {
    program.iter().filter(|i| i.opcode() == opcode).count()
}

/// Partitions in which the drains begin.
fn first_partitions(program: &[Instruction], params: &Params) -> Vec<u32> {
    let drains = program.iter().filter_map(|instruction| match instruction {
        Instruction::Drain(Drain { place, .. }) => Some(place.unwrap_or_default()),
        _ => None,
    });
    drains
        .map(|place| place.rotate * params.partition_step() + place.first_column)
        .collect()
}

/// Source from address 0 on, destination behind it, identity in bank 1.
pub fn places(shape: Shape, identity: MatrixPlace, params: &Params) -> Transpose {
    let source = MatrixPlace::new(shape, 0, params);
    Transpose {
        source,
        destination: MatrixPlace::new(shape.transposed(), source.end(), params),
        identity,
        tile: UNIT_TILE,
        form: DrainForm::Direct,
    }
}

#[test]
fn pet_14_pet_21_pet_22_the_matrix_of_figure_3() {
    let machine = Machine::new(machines::tiny());
    let mut bench = Bench::new(&machine, 1).unwrap();
    let params = bench.params();
    let matrix = Matrix::new(4, 4, |(row, col)| (4 * row + col + 1) as i8);
    let identity = bench.write_identity(params.bank_bytes());
    let transpose = places(matrix.shape, identity, params);
    bench.write(&transpose.source, &matrix);
    // Partition r holds row r, elements in consecutive columns from address 0.
    assert_eq!(transpose.source.element(2, 3), (2, 3));
    let program = transpose.instructions(params).unwrap();
    bench.run(program).unwrap();
    let expected = [1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15, 4, 8, 12, 16];
    let expected = Matrix::new(4, 4, |(row, col)| expected[(4 * row + col) as usize]);
    bench.check(&transpose.destination, &expected).unwrap();
    bench.check(&transpose.source, &matrix).unwrap();
}

#[test]
fn pet_14_the_wrong_orientation_reverses_every_partition() {
    let machine = Machine::new(machines::tiny());
    let mut bench = Bench::new(&machine, 1).unwrap();
    let params = bench.params();
    let matrix = Matrix::new(4, 4, |(row, col)| (4 * row + col + 1) as i8);
    let exchange = Matrix::new(4, 4, |(row, col)| i8::from(row + col == 3));
    let identity = MatrixPlace::new(exchange.shape, params.bank_bytes(), params);
    bench.write(&identity, &exchange);
    let transpose = places(matrix.shape, identity, params);
    bench.write(&transpose.source, &matrix);
    bench.run(transpose.instructions(params).unwrap()).unwrap();
    let reversed = Matrix::new(4, 4, |(row, col)| matrix.at(3 - col, row));
    bench.check(&transpose.destination, &reversed).unwrap();
    let right = bench.check(&transpose.destination, &matrix.transposed());
    assert!(right.is_err(), "the order of the identity must matter");
}

#[test]
fn pet_32_pet_33_pet_34_partial_pieces_of_two_levels() {
    let mut params = machines::tiny();
    params.name = "tiny_4x2".to_string();
    params.array.cols = 2;
    let machine = Machine::new(params);
    let mut bench = Bench::new(&machine, 1).unwrap();
    let params = bench.params();
    let matrix = Matrix::new(5, 6, |(row, col)| (10 * row + col) as i8);
    let identity = bench.write_identity(params.bank_bytes());
    let transpose = places(matrix.shape, identity, params);
    bench.write(&transpose.source, &matrix);
    let program = transpose.instructions(params).unwrap();
    // Two bands of rows times three groups of columns: each sub-block is loaded once.
    assert_eq!(count(&program, OP_LOAD_WEIGHTS), 6);
    assert_eq!(first_partitions(&program, params), [0, 2, 0]);
    bench.run(program).unwrap();
    bench
        .check(&transpose.destination, &matrix.transposed())
        .unwrap();
}

#[test]
fn pet_22_pet_23_pet_29_pet_32_two_sub_blocks_side_by_side() {
    let machine = probe::machine(8, 4);
    let mut bench = Bench::new(&machine, 1).unwrap();
    let params = bench.params();
    let matrix = Matrix::new(8, 8, |(row, col)| (8 * row + col) as i8);
    let identity = bench.write_identity(params.bank_bytes());
    let transpose = places(matrix.shape, identity, params);
    bench.write(&transpose.source, &matrix);
    let program = transpose.instructions(params).unwrap();
    // Columns 0 to 3 become rows 0 to 3, columns 4 to 7 rows 4 to 7.
    assert_eq!(first_partitions(&program, params), [0, 4]);
    bench.run(program).unwrap();
    bench
        .check(&transpose.destination, &matrix.transposed())
        .unwrap();
    bench.check(&transpose.source, &matrix).unwrap();

    // A block of 8 x 4 is loaded at once: its transpose may take its place.
    let block = Matrix::new(8, 4, |(row, col)| (4 * row + col + 100) as u8 as i8);
    let mut transpose = places(block.shape, identity, params);
    transpose.destination.base = transpose.source.base;
    bench.write(&transpose.source, &block);
    bench.run(transpose.instructions(params).unwrap()).unwrap();
    bench
        .check(&transpose.destination, &block.transposed())
        .unwrap();
}

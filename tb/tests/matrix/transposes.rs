//! Transposes by a product with the identity.

use heddle_arch::isa::{Drain, Instruction, OP_LOAD_WEIGHTS};
use heddle_arch::params::Params;
use heddle_compiler::matrix::MatrixPlace;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::bench::{Bench, Matrix};
use super::probe;
use super::stored::block;
use crate::machines::{self, Machine};

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

#[proves("PET-14", "PET-21", "PET-22")]
#[test]
fn the_matrix_of_figure_3() {
    let machine = Machine::new(machines::tiny());
    let mut bench = Bench::new(&machine, 1).unwrap();
    let matrix = block(4, 4);
    let transpose = bench.transpose(&matrix);
    // Partition r holds row r, elements in consecutive columns from address 0.
    assert_eq!(transpose.source.element(2, 3), (2, 3));
    bench.check_transpose(&transpose, &matrix);
    let expected = [1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15, 4, 8, 12, 16];
    let expected = Matrix::new(4, 4, |(row, col)| expected[(4 * row + col) as usize]);
    bench.check(&transpose.destination, &expected).unwrap();
    bench.check(&transpose.source, &matrix).unwrap();
}

#[proves("PET-14")]
#[test]
fn the_wrong_orientation_reverses_every_partition() {
    let machine = Machine::new(machines::tiny());
    let mut bench = Bench::new(&machine, 1).unwrap();
    let matrix = block(4, 4);
    let mut transpose = bench.transpose(&matrix);
    let exchange = Matrix::new(4, 4, |(row, col)| i8::from(row + col == 3));
    let params = bench.params();
    transpose.identity = MatrixPlace::new(exchange.shape, params.bank_bytes(), params);
    bench.write(&transpose.identity, &exchange);
    bench.run(transpose.instructions(params).unwrap()).unwrap();
    let reversed = Matrix::new(4, 4, |(row, col)| matrix.at(3 - col, row));
    bench.check(&transpose.destination, &reversed).unwrap();
    let right = bench.check(&transpose.destination, &matrix.transposed());
    assert!(right.is_err(), "the order of the identity must matter");
}

#[proves("PET-32", "PET-33", "PET-34")]
#[test]
fn partial_pieces_of_two_levels() {
    let mut params = machines::tiny();
    params.name = "tiny_4x2".to_string();
    params.array.cols = 2;
    let machine = Machine::new(params);
    let mut bench = Bench::new(&machine, 1).unwrap();
    let matrix = Matrix::new(5, 6, |(row, col)| (10 * row + col) as i8);
    let transpose = bench.transpose(&matrix);
    let program = transpose.instructions(bench.params()).unwrap();
    // Two bands of rows times three groups of columns: each sub-block is loaded once.
    let loads = program.iter().filter(|i| i.opcode() == OP_LOAD_WEIGHTS);
    assert_eq!(loads.count(), 6);
    assert_eq!(first_partitions(&program, bench.params()), [0, 2, 0]);
    bench.check_transpose(&transpose, &matrix);
}

#[proves("PET-22", "PET-23", "PET-29", "PET-32")]
#[test]
fn two_sub_blocks_side_by_side() {
    let machine = probe::machine(8, 4);
    let mut bench = Bench::new(&machine, 1).unwrap();
    let matrix = Matrix::new(8, 8, |(row, col)| (8 * row + col) as i8);
    let transpose = bench.transpose(&matrix);
    let program = transpose.instructions(bench.params()).unwrap();
    // Columns 0 to 3 become rows 0 to 3, columns 4 to 7 rows 4 to 7.
    assert_eq!(first_partitions(&program, bench.params()), [0, 4]);
    bench.check_transpose(&transpose, &matrix);
    bench.check(&transpose.source, &matrix).unwrap();

    // A block of 8 x 4 is loaded at once: its transpose may take its place.
    let block = Matrix::new(8, 4, |(row, col)| (4 * row + col + 100) as u8 as i8);
    let mut transpose = bench.transpose(&block);
    transpose.destination.base = transpose.source.base;
    bench.check_transpose(&transpose, &block);
}

/// An array of the same proportions takes the block in 16 x 16 pieces; the array that takes it at once is built with `--all`.
#[proves("PET-30")]
#[test]
fn a_block_of_128_x_64_becomes_64_x_128_on_an_array_of_8_x_4() {
    let mut params = machines::tiny();
    params.name = "tiny_8x4".to_string();
    params.array.rows = 8;
    params.state_buffer.words_per_bank = 512;
    params.program.words = 16384;
    let machine = Machine::new(params);
    let mut bench = Bench::new(&machine, 1).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(30);
    let matrix = Matrix::random(&mut rng, 128, 64);
    let transpose = bench.transpose(&matrix);
    let [from, to] = [transpose.source, transpose.destination].map(|place| place.shape);
    assert_eq!(
        [(from.rows, from.cols), (to.rows, to.cols)],
        [(128, 64), (64, 128)]
    );
    bench.check_transpose(&transpose, &matrix);
}

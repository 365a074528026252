//! What happens around transposes: the host, blocks of larger tensors, the order of stores and loads.

use heddle_arch::host::Register;
use heddle_arch::isa::Wait;
use heddle_compiler::matrix::{
    DrainForm, MatrixPlace, MatrixShape, Product, Scaling, Transpose, blocks,
};
use heddle_tb::host::Access;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::bench::{Bench, Matrix, UNIT_TILE};
use super::probe::{self, Trace};
use super::stored::{block, transposed};
use crate::rtl::Checked;

#[proves("PET-01")]
#[test]
fn the_state_buffer_holds_the_block_of_figure_3() {
    let machine = probe::machine(4, 4);
    let mut bench = Bench::new(&machine, 1).unwrap();
    bench.pair.set_zero(0);
    let matrix = block(4, 4);
    let place = MatrixPlace::new(matrix.shape, 0, bench.params());
    let dump = |bench: &mut Bench| -> Vec<[u8; 4]> {
        let words = probe::memory(bench, place.base / 8);
        let firsts = words
            .iter()
            .map(|word| [word[0], word[1], word[2], word[3]]);
        firsts.collect()
    };
    let before = [
        [1, 2, 3, 4],
        [5, 6, 7, 8],
        [9, 10, 11, 12],
        [13, 14, 15, 16],
    ];
    assert_ne!(dump(&mut bench), before, "random memories");
    bench.write(&place, &matrix);
    assert_eq!(dump(&mut bench), before);
}

/// The host writes where the program begins and starts it; then nothing until the machine is done.
fn check_host(trace: &Trace) -> Checked {
    let starts = [Register::StartPc.address(), Register::Ctrl.address()];
    let accesses = trace.accesses.iter().map(|access| match access {
        Access::Write { address, .. } => Some(*address),
        _ => None,
    });
    if !accesses.eq(starts.map(Some)) {
        return Err(format!("the host does {:?}", trace.accesses));
    }
    match trace.when(|clock| clock.host)[..] {
        [] => Ok(()),
        [first, ..] => Err(format!("the host asks in clock {first}")),
    }
}

#[proves("PET-36", "PET-37")]
#[test]
fn the_host_does_nothing_during_a_transpose() {
    let machine = probe::machine(4, 4);
    let mut bench = Bench::new(&machine, 1).unwrap();
    let matrix = block(8, 4);
    for form in [DrainForm::Direct, DrainForm::Row, DrainForm::All] {
        let trace = transposed(&mut bench, form, &matrix).unwrap();
        check_host(&trace).unwrap();
    }
    // A host that asks for something is seen.
    let params = bench.params();
    let program = bench.transpose(&matrix).instructions(params).unwrap();
    let trace = probe::run_disturbed(&mut bench, program, Some(20)).unwrap();
    check_host(&trace).expect_err("a host that asks");
}

/// Nothing of a matrix is loaded before all of it is stored.
fn check_order(trace: &Trace, place: &MatrixPlace) -> Checked {
    let words = place.base / 8..place.end() / 8;
    let inside = |address: u32| words.contains(&(address / 8));
    let stored = trace.when(|clock| clock.writes.iter().flatten().any(|w| words.contains(w)));
    let loaded = trace.when(|clock| clock.weight.is_some_and(inside));
    let (Some(stored), Some(loaded)) = (stored.last(), loaded.first()) else {
        return Err("the matrix is not stored and loaded".to_string());
    };
    match stored < loaded {
        true => Ok(()),
        false => Err(format!("loaded in clock {loaded}, stored in {stored}")),
    }
}

#[proves("PET-73")]
#[test]
fn a_block_is_stored_before_it_is_loaded() {
    let machine = probe::machine(4, 4);
    let mut bench = Bench::new(&machine, 1).unwrap();
    let params = bench.params();
    bench.pair.set_zero(0);
    let identity = bench.write_identity(params.bank_bytes());
    let place = |rows, cols, base| MatrixPlace::new(MatrixShape { rows, cols }, base, params);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut small = |rows, cols| Matrix::new(rows, cols, |_| rng.random_range(-1..=1));
    let (a, x) = (small(4, 4), small(4, 4));
    let product = Product {
        weights: place(4, 4, 0),
        moving: place(4, 4, 2 * params.bank_bytes()),
        result: place(4, 4, 128),
        scaling: Scaling::unchanged(UNIT_TILE),
    };
    let transpose = Transpose {
        source: product.result,
        destination: place(4, 4, 256),
        identity,
        tile: UNIT_TILE,
        form: DrainForm::Part,
    };
    // The block has no more rows and columns than the state buffer.
    let MatrixShape { rows, cols } = transpose.source.shape;
    assert!(rows <= params.array.rows && cols <= params.partition_bytes());
    bench.write(&product.weights, &a);
    bench.write(&product.moving, &x);
    let first = product.instructions(params).unwrap();
    let second = transpose.instructions(params).unwrap();
    let program = [first.clone(), second.clone()].concat();
    let trace = probe::run(&mut bench, program).unwrap();
    check_order(&trace, &transpose.source).unwrap();
    let expected = a.transposed_times(&x).transposed();
    bench.check(&transpose.destination, &expected).unwrap();

    // Without waiting the block is loaded too early.
    let mut hasty = second;
    let load = hasty.remove(1);
    hasty.insert(0, load);
    for instruction in &mut hasty {
        *instruction.wait_mut() = Wait::default();
    }
    let trace = probe::run(&mut bench, [first, hasty].concat()).unwrap();
    check_order(&trace, &transpose.source).expect_err("loaded too early");
}

/// Partitions and words that are written, each once.
fn written(trace: &Trace) -> Checked<Vec<(usize, u32)>> {
    let clocks = trace.clocks.iter();
    let words = clocks.flat_map(|clock| clock.writes.iter().enumerate());
    let mut words: Vec<_> = words.filter_map(|(p, word)| Some((p, (*word)?))).collect();
    let count = words.len();
    words.sort_unstable();
    words.dedup();
    match words.len() == count {
        true => Ok(words),
        false => Err("a word is written twice".to_string()),
    }
}

#[proves("PET-74")]
#[test]
fn more_columns_than_partitions_drain_into_those_that_exist() {
    for (rows, cols) in [(3, 5), (4, 4)] {
        let machine = probe::machine(rows, cols);
        let mut bench = Bench::new(&machine, 1).unwrap();
        for width in [rows + 1, rows + 2, 2 * rows + 1] {
            let matrix = Matrix::new(rows, width, |(row, col)| (width * row + col + 1) as i8);
            let trace = transposed(&mut bench, DrainForm::Direct, &matrix).unwrap();
            let params = bench.params();
            let source = MatrixPlace::new(matrix.shape, 0, params);
            let place = MatrixPlace::new(matrix.shape.transposed(), source.end(), params);
            // A row of the transpose is a column of the block; row j is in partition j mod p.
            let mut words: Vec<(usize, u32)> = Vec::new();
            for col in 0..width {
                for row in 0..rows {
                    let (partition, address) = place.element(col, row);
                    assert_eq!(partition, col % rows);
                    words.push((partition as usize, address / 8));
                }
            }
            words.sort_unstable();
            words.dedup();
            assert_eq!(written(&trace).unwrap(), words, "{rows} x {width}");
            // No drain takes more columns than there are partitions.
            let pieces = trace.when(|clock| clock.starts[2]).len() as u32;
            assert!(pieces >= width.div_ceil(rows), "{pieces} drains");
            let busy = trace.clocks.iter().map(|clock| {
                let lanes = clock.lanes.iter().filter(|valid| **valid);
                lanes.count()
            });
            assert!(busy.max().expect("clocks") <= rows as usize);
        }
    }
}

/// A matrix as the host reads it from the hardware.
fn read(bench: &mut Bench, place: &MatrixPlace) -> Matrix {
    let MatrixShape { rows, cols } = place.shape;
    Matrix::new(rows, cols, |(row, col)| {
        let (partition, address) = place.element(row, col);
        let words = bench.pair.host.read_words(&[(partition, address / 8)]);
        words.expect("a word")[0][(address % 8) as usize] as i8
    })
}

/// A tensor of more bytes than all partitions have: the host brings one block after the other and takes its transpose to where it
/// belongs. There are ceil(rows / p) x ceil(columns / q) blocks of p x q.
#[proves("PET-31", "PET-33", "PET-34", "PET-78")]
#[test]
fn a_tensor_larger_than_the_state_buffer() {
    let machine = probe::machine(4, 4);
    let mut bench = Bench::new(&machine, 1).unwrap();
    let params = bench.params();
    let [larger, block] = [(70, 120), (8, 24)];
    assert!(larger.0 * larger.1 > params.array.rows * params.partition_bytes());
    for (shape, [p, q], count) in [
        (larger, block.into(), 9 * 5),
        ((9, 10), [4, 4], 9),
        ((4, 4), [4, 4], 1),
        ((5, 4), [4, 4], 2),
        ((3, 13), [4, 4], 4),
    ] {
        let mut rng = ChaCha8Rng::seed_from_u64(u64::from(shape.1));
        let tensor = Matrix::random(&mut rng, shape.0, shape.1);
        let mut result = Matrix::new(shape.1, shape.0, |_| 0);
        let mut used = 0;
        for block in blocks(tensor.shape, p, q) {
            let part = Matrix::new(block.shape.rows, block.shape.cols, |(row, col)| {
                tensor.at(block.row + row, block.col + col)
            });
            let transpose = bench.transpose(&part);
            bench.check_transpose(&transpose, &part);
            used += 1;
            let found = read(&mut bench, &transpose.destination);
            for row in 0..block.shape.cols {
                for col in 0..block.shape.rows {
                    let at = (block.col + row) * shape.0 + block.row + col;
                    result.elements[at as usize] = found.at(row, col);
                }
            }
        }
        assert_eq!(used, count);
        assert_eq!(result, tensor.transposed());
    }
}

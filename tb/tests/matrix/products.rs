//! Products, and chains of products and transposes that never leave the machine.

use heddle_arch::isa::Instruction;
use heddle_compiler::matrix::{
    DrainForm, MatrixError, MatrixPlace, Product, Scaling, Shape, Transpose,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::bench::{Bench, Matrix, UNIT_TILE};
use crate::machines::{self, Machine};
use crate::rtl::{self, Checked, Coverage};

/// Small elements, so that most sums are bytes.
fn small(rng: &mut ChaCha8Rng, rows: u32, cols: u32) -> Matrix {
    Matrix::new(rows, cols, |_| rng.random_range(-4..=4))
}

fn run_products(machine: &Machine, seed: u64, count: u32) -> Checked<Coverage> {
    let mut coverage = Coverage::default();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut bench = Bench::new(machine, seed)?;
    let params = bench.params();
    let (rows, cols) = (params.array.rows, params.array.cols);
    bench.pair.set_zero(0);
    let mut refused = 0;
    for number in 0..count {
        let k = rng.random_range(1..=2 * rows + 1);
        let n = rng.random_range(1..=2 * cols + 1);
        let t = rng.random_range(1..=2 * cols + 3);
        let at = |error| format!("{number}: {k} x {n}, {t}: {error}");
        let weights = small(&mut rng, k, n);
        let moving = small(&mut rng, k, t);
        let place = |matrix: Shape, base| MatrixPlace::new(matrix, base, params);
        let product = Product {
            weights: place(weights.shape, 0),
            moving: place(moving.shape, params.bank_bytes()),
            result: place(
                Shape { rows: n, cols: t },
                place(moving.shape, params.bank_bytes()).end(),
            ),
            scaling: Scaling::unchanged(UNIT_TILE),
        };
        let program = match product.instructions(params) {
            Ok(program) => program,
            Err(MatrixError::SameBank { .. } | MatrixError::Outside { .. }) => {
                refused += 1;
                continue;
            }
            Err(error) => return Err(at(error.to_string())),
        };
        coverage.event("several bands", k > rows);
        coverage.event("several groups", n > cols);
        bench.write(&product.weights, &weights);
        bench.write(&product.moving, &moving);
        bench.run(program).map_err(at)?;
        let expected = weights.transposed_times(&moving);
        bench.check(&product.result, &expected).map_err(at)?;
    }
    coverage.event("most products fit", refused < count / 2);
    Ok(coverage)
}

#[test]
fn pet_08_pet_09_products_on_all_shapes_of_the_array() {
    for params in machines::configurations() {
        let machine = Machine::new(params);
        rtl::run_seeds(|seed| run_products(&machine, seed, 20));
    }
}

#[test]
fn pet_35_pet_40_a_chain_of_product_transpose_and_product() {
    let machine = Machine::new(machines::tall());
    for seed in 1..=4 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut bench = Bench::new(&machine, seed).unwrap();
        let params = bench.params();
        bench.pair.set_zero(0);
        let identity = bench.write_identity(params.bank_bytes());
        let place = |rows, cols, base| MatrixPlace::new(Shape { rows, cols }, base, params);
        let sparse = |rng: &mut ChaCha8Rng, rows, cols| {
            Matrix::new(rows, cols, |_| rng.random_range(-1..=1))
        };
        // B = A^T X is 7 x 6, its transpose 6 x 7; D = (B^T)^T Y = B Y is 7 x 4.
        let a = sparse(&mut rng, 8, 7);
        let x = sparse(&mut rng, 8, 6);
        let y = sparse(&mut rng, 6, 4);
        let bank = params.bank_bytes();
        let first = Product {
            weights: place(8, 7, 0),
            moving: place(8, 6, 2 * bank),
            result: place(7, 6, 256),
            scaling: Scaling::unchanged(UNIT_TILE),
        };
        let transpose = Transpose {
            source: first.result,
            destination: place(6, 7, 512),
            identity,
            tile: UNIT_TILE,
            form: DrainForm::Direct,
        };
        let second = Product {
            weights: transpose.destination,
            moving: place(6, 4, 2 * bank + 256),
            result: place(7, 4, 3 * bank),
            scaling: Scaling::unchanged(UNIT_TILE),
        };
        bench.write(&first.weights, &a);
        bench.write(&first.moving, &x);
        bench.write(&second.moving, &y);
        // One program: the host does nothing between the first load and the last drain.
        let program: Vec<Instruction> = [
            first.instructions(params).unwrap(),
            transpose.instructions(params).unwrap(),
            second.instructions(params).unwrap(),
        ]
        .concat();
        bench.run(program).unwrap();
        let b = a.transposed_times(&x);
        bench.check(&first.result, &b).unwrap();
        bench
            .check(&transpose.destination, &b.transposed())
            .unwrap();
        let d = b.transposed().transposed_times(&y);
        bench.check(&second.result, &d).unwrap();
    }
}

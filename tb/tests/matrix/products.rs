//! Chains of products and transposes that never leave the machine.

use heddle_arch::isa::Instruction;
use heddle_compiler::matrix::{DrainForm, MatrixPlace, Product, Scaling, Shape, Transpose};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::bench::{Bench, Matrix, UNIT_TILE};
use crate::machines::{self, Machine};

/// Small elements, so that most sums are bytes.
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

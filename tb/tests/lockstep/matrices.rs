//! Transposes and products of matrices as parts of random programs.

use heddle_arch::isa::Instruction;
use heddle_arch::params::Params;
use heddle_compiler::matrix::{
    DrainForm, IdentityBuild, MatrixPlace, MatrixShape, Product, Scaling, Transpose,
};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::matrix::bench::{Bench, Matrix, UNIT_TILE};

/// A transpose or product, and what it gives if nothing is written in between.
pub struct Piece {
    pub name: &'static str,
    pub instructions: Vec<Instruction>,
    /// Of the matrix that is loaded.
    pub loaded: MatrixShape,
    pub result: MatrixPlace,
    pub expected: Matrix,
}

/// An identity matrix in the state buffer.
pub struct Identity {
    pub place: MatrixPlace,
    /// Instructions that build it from two constants; none if the host has written it.
    pub instructions: Vec<Instruction>,
}

/// Places in the memory that are tried before a matrix is given up.
const TRIES: u32 = 12;

const FORMS: [(&str, DrainForm); 4] = [
    ("direct", DrainForm::Direct),
    ("by row", DrainForm::Row),
    ("by column", DrainForm::Part),
    ("at the end", DrainForm::All),
];

fn random_base(rng: &mut ChaCha8Rng, params: &Params) -> u32 {
    let bank = rng.random_range(0..params.work_banks());
    let within = rng.random_range(0..params.bank_bytes() * 3 / 4);
    bank * params.bank_bytes() + within
}

/// An identity at a random place.
pub fn identity(rng: &mut ChaCha8Rng, bench: &mut Bench) -> Option<Identity> {
    let params = bench.params();
    let rows = params.array.rows;
    let square = MatrixShape { rows, cols: rows };
    let place = (0..TRIES)
        .map(|_| MatrixPlace::streamed(square, random_base(rng, params), params))
        .find(|place| place.end() <= params.work_bytes())?;
    if rng.random_bool(0.3) {
        let row = MatrixShape {
            rows: 1,
            cols: params.array.cols,
        };
        for _ in 0..TRIES {
            let constants = MatrixPlace::new(row, random_base(rng, params), params).base;
            let build = IdentityBuild {
                identity: place,
                constants,
                scratch: MatrixPlace::new(row, random_base(rng, params), params).base,
                tile: UNIT_TILE,
            };
            if let Ok(instructions) = build.instructions(params) {
                let mut word = [0; 8];
                word[0] = 1;
                bench.pair.write_word(0, constants / 8, word);
                return Some(Identity {
                    place,
                    instructions,
                });
            }
        }
    }
    bench.write(&place, &Matrix::new(rows, rows, |(r, c)| i8::from(r == c)));
    Some(Identity {
        place,
        instructions: Vec::new(),
    })
}

/// A transpose of a random matrix in a random form.
pub fn transpose(rng: &mut ChaCha8Rng, bench: &mut Bench, identity: MatrixPlace) -> Option<Piece> {
    let params = bench.params();
    for _ in 0..TRIES {
        let shape = MatrixShape {
            rows: rng.random_range(1..=2 * params.array.rows + 1),
            cols: rng.random_range(1..=2 * params.array.cols + 1),
        };
        let source = MatrixPlace::new(shape, random_base(rng, params), params);
        let (mut name, form) = FORMS[rng.random_range(0..FORMS.len())];
        let mut base = random_base(rng, params);
        if rng.random_bool(0.2) {
            (name, base) = ("in place", source.base);
        }
        let transpose = Transpose {
            source,
            destination: MatrixPlace::new(shape.transposed(), base, params),
            identity,
            tile: UNIT_TILE,
            form,
        };
        let Ok(instructions) = transpose.instructions(params) else {
            continue;
        };
        let matrix = Matrix::random(rng, shape.rows, shape.cols);
        bench.write(&source, &matrix);
        return Some(Piece {
            name,
            instructions,
            loaded: shape,
            result: transpose.destination,
            expected: matrix.transposed(),
        });
    }
    None
}

/// A product of two random matrices.
pub fn product(rng: &mut ChaCha8Rng, bench: &mut Bench) -> Option<Piece> {
    let params = bench.params();
    for _ in 0..TRIES {
        let k = rng.random_range(1..=2 * params.array.rows + 1);
        let n = rng.random_range(1..=2 * params.array.cols + 1);
        let t = rng.random_range(1..=params.results_buffer.depth + 3);
        let place = |rng: &mut ChaCha8Rng, rows, cols| {
            MatrixPlace::new(MatrixShape { rows, cols }, random_base(rng, params), params)
        };
        let product = Product {
            weights: place(rng, k, n),
            moving: place(rng, k, t),
            result: place(rng, n, t),
            scaling: Scaling::unchanged(UNIT_TILE),
        };
        let Ok(instructions) = product.instructions(params) else {
            continue;
        };
        let most = rng.random_range(1..=127);
        let weights = Matrix::new(k, n, |_| rng.random_range(-most..=most));
        let moving = Matrix::new(k, t, |_| rng.random_range(-9..=9));
        bench.write(&product.weights, &weights);
        bench.write(&product.moving, &moving);
        return Some(Piece {
            name: "product",
            instructions,
            loaded: weights.shape,
            result: product.result,
            expected: weights.transposed_times(&moving),
        });
    }
    None
}

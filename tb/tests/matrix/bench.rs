//! A machine and its golden model with matrices in their state buffers.

use std::collections::HashMap;

use heddle_arch::isa::Instruction;
use heddle_arch::params::Params;
use heddle_arch::requantise::Scale;
use heddle_compiler::matrix::{DrainForm, MatrixPlace, MatrixShape, Transpose};
use heddle_sim::machine::Counters;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::machines::Machine;
use crate::machines::pair::{End, HALT, Pair};
use crate::rtl::Checked;

/// Column tile with bias 0 and scale 1; those before it make pauses.
pub const UNIT_TILE: u16 = 5;

/// Elements of a matrix, row by row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matrix {
    pub shape: MatrixShape,
    pub elements: Vec<i8>,
}

impl Matrix {
    pub fn new(rows: u32, cols: u32, element: impl FnMut((u32, u32)) -> i8) -> Self {
        let places = (0..rows).flat_map(|row| (0..cols).map(move |col| (row, col)));
        Self {
            shape: MatrixShape { rows, cols },
            elements: places.map(element).collect(),
        }
    }

    pub fn random(rng: &mut ChaCha8Rng, rows: u32, cols: u32) -> Self {
        Self::new(rows, cols, |_| rng.random())
    }

    pub fn at(&self, row: u32, col: u32) -> i8 {
        self.elements[(row * self.shape.cols + col) as usize]
    }

    pub fn transposed(&self) -> Self {
        let shape = self.shape;
        Self::new(shape.cols, shape.rows, |(row, col)| self.at(col, row))
    }

    /// The product of this matrix transposed and another one, clamped to a byte.
    pub fn transposed_times(&self, other: &Self) -> Self {
        Self::new(self.shape.cols, other.shape.cols, |(row, col)| {
            let sum: i32 = (0..self.shape.rows)
                .map(|k| i32::from(self.at(k, row)) * i32::from(other.at(k, col)))
                .sum();
            sum.clamp(-128, 127) as i8
        })
    }
}

/// Source from address 0 on, destination behind it.
pub fn places(shape: MatrixShape, identity: MatrixPlace, params: &Params) -> Transpose {
    let source = MatrixPlace::new(shape, 0, params);
    Transpose {
        source,
        destination: MatrixPlace::new(shape.transposed(), source.end(), params),
        identity,
        tile: UNIT_TILE,
        form: DrainForm::Direct,
    }
}

/// Both machines, with scale 1 in [`UNIT_TILE`].
pub struct Bench<'a> {
    pub pair: Pair<'a>,
    image: HashMap<(u32, u32), [u8; 8]>,
}

impl<'a> Bench<'a> {
    pub fn new(machine: &'a Machine, seed: u64) -> Checked<Self> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut pair = Pair::new(machine, seed, &mut rng)?;
        for column in 0..pair.params().array.cols {
            let scale = Scale::reciprocal(1);
            pair.write_column(column, UNIT_TILE.into(), 0, scale);
        }
        Ok(Self {
            pair,
            image: HashMap::new(),
        })
    }

    pub fn params(&self) -> &'a Params {
        self.pair.params()
    }

    /// Writes a matrix over the host port.
    pub fn write(&mut self, place: &MatrixPlace, matrix: &Matrix) {
        assert_eq!(place.shape, matrix.shape);
        let mut words = Vec::new();
        for row in 0..place.shape.rows {
            for col in 0..place.shape.cols {
                let (partition, address) = place.element(row, col);
                let word = self.image.entry((partition, address / 8)).or_default();
                word[(address % 8) as usize] = matrix.at(row, col) as u8;
                words.push((partition, address / 8));
            }
        }
        words.sort_unstable();
        words.dedup();
        for (partition, word) in words {
            self.pair
                .write_word(partition, word, self.image[&(partition, word)]);
        }
    }

    /// Writes an identity matrix of R x R.
    pub fn write_identity(&mut self, base: u32) -> MatrixPlace {
        let rows = self.params().array.rows;
        let identity = Matrix::new(rows, rows, |(row, col)| i8::from(row == col));
        let place = MatrixPlace::streamed(identity.shape, base, self.params());
        self.write(&place, &identity);
        place
    }

    /// Writes a matrix and, into bank 1, the identity that transposes it.
    pub fn transpose(&mut self, matrix: &Matrix) -> Transpose {
        self.pair.set_zero(0);
        let identity = self.write_identity(self.params().bank_bytes());
        let transpose = places(matrix.shape, identity, self.params());
        self.write(&transpose.source, matrix);
        transpose
    }

    /// Runs a transpose and compares with the matrix turned.
    #[track_caller]
    pub fn check_transpose(&mut self, transpose: &Transpose, matrix: &Matrix) {
        let program = transpose.instructions(self.params()).unwrap();
        self.run(program).unwrap();
        let turned = matrix.transposed();
        self.check(&transpose.destination, &turned).unwrap();
    }

    /// Runs instructions to HALT on both machines and compares counters and state buffers.
    pub fn run(&mut self, mut program: Vec<Instruction>) -> Checked<Counters> {
        program.push(HALT);
        match self.pair.run_instructions(&program)? {
            End::Halt(counters) => {
                self.pair.compare()?;
                Ok(counters)
            }
            end => Err(self
                .pair
                .message(format!("ends with {end:?}, expected HALT"))),
        }
    }

    /// Compares a matrix with what the machines hold, which are alike.
    pub fn check(&self, place: &MatrixPlace, expected: &Matrix) -> Checked {
        assert_eq!(place.shape, expected.shape);
        for row in 0..place.shape.rows {
            for col in 0..place.shape.cols {
                let (partition, address) = place.element(row, col);
                let word = self.pair.golden.read_word(partition, address / 8);
                let (found, expected) = (word[(address % 8) as usize] as i8, expected.at(row, col));
                if found != expected {
                    return Err(self.pair.message(format!(
                        "element {row}, {col} is {found}, expected {expected}"
                    )));
                }
            }
        }
        Ok(())
    }
}

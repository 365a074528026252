//! Matrices on their way through pooling and activation functions.

use heddle_arch::isa::{Drain, Instruction, Pooling, Reduction};
use heddle_arch::requantise::Scale;
use heddle_blocks::activation::{Function, Quantisation, table};
use heddle_compiler::matrix::{MatrixPlace, MatrixShape, Product, Scaling};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::bench::{Bench, Matrix, UNIT_TILE};
use crate::machines::pair::row;
use crate::machines::{self, Machine};
use crate::rtl::{self, Checked, Coverage};

/// Column tile whose scale a test chooses.
const OTHER_TILE: u16 = 2;

/// What all drains of a program do besides scaling.
fn through(program: &mut [Instruction], table: u8, windows: Option<Pooling>) {
    for instruction in program {
        if let Instruction::Drain(Drain {
            activation,
            pooling,
            ..
        }) = instruction
        {
            (*activation, *pooling) = (table, windows);
        }
    }
}

fn write_table(bench: &mut Bench, number: u8, entries: &[u8; 256]) {
    for (byte, &entry) in (0..=u8::MAX).zip(entries) {
        bench
            .pair
            .write_activation(u32::from(number) - 1, byte, entry);
    }
}

/// Random matrices of up to two sub-blocks in each direction, transposed through a table or windows.
fn run_transposes(
    machine: &Machine,
    seed: u64,
    number: u8,
    windows: Option<Pooling>,
) -> Checked<Coverage> {
    let mut coverage = Coverage::default();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut bench = Bench::new(machine, seed)?;
    let params = bench.params();
    bench.pair.set_zero(0);
    if number > 0 {
        let unit = Quantisation::new(1.0, 0).expect("a legal scale");
        let entries = table(Function::Identity, unit, unit).expect("a legal function");
        write_table(&mut bench, number, &entries);
    }
    for _ in 0..8 {
        let (rows, cols) = (rng.random_range(1..=8), rng.random_range(1..=8));
        let matrix = Matrix::random(&mut rng, rows, cols);
        let transpose = bench.transpose(&matrix);
        let mut program = transpose.instructions(params).expect("fits");
        through(&mut program, number, windows);
        bench.run(program)?;
        bench.check(&transpose.destination, &matrix.transposed())?;
        coverage.event("several sub-blocks", rows > 4 && cols > 4);
        coverage.event("a single one", rows <= 4 && cols <= 4);
    }
    Ok(coverage)
}

#[proves("PET-24")]
#[test]
fn transposes_go_through_the_activation_functions_unchanged() {
    let machine = Machine::new(machines::pooling());
    rtl::run_seeds(|seed| run_transposes(&machine, seed, 2, None));
}

#[proves("PET-25")]
#[test]
fn transposes_go_through_pooling_unchanged() {
    let machine = Machine::new(machines::pooling());
    use Reduction::{Max, Min, Product, Sum};
    for reduction in [Max, Min, Sum, Product] {
        let windows = Pooling {
            reduction,
            window: 1,
        };
        rtl::run_seeds(|seed| run_transposes(&machine, seed, 0, Some(windows)));
    }
}

#[proves("PET-24")]
#[test]
fn another_table_than_the_identity_is_no_transpose() {
    let machine = Machine::new(machines::pooling());
    let mut bench = Bench::new(&machine, 1).unwrap();
    let params = bench.params();
    let matrix = Matrix::new(4, 4, |(row, col)| (4 * row + col) as i8 - 7);
    let unit = Quantisation::new(1.0, 0).unwrap();
    write_table(&mut bench, 3, &table(Function::Ramp, unit, unit).unwrap());
    let transpose = bench.transpose(&matrix);
    let mut program = transpose.instructions(params).unwrap();
    through(&mut program, 3, None);
    bench.run(program).unwrap();
    let turned = matrix.transposed();
    let ramp = Matrix::new(4, 4, |(row, col)| turned.at(row, col).max(0));
    bench.check(&transpose.destination, &ramp).unwrap();
}

/// W transposed times X with its columns in windows: what leaves the machine.
struct Pooled {
    weights: Matrix,
    moving: Matrix,
    windows: Pooling,
    activation: u8,
    tile: u16,
}

impl Pooled {
    /// Sums of the product, before pooling.
    fn sums(&self, row: u32, window: u32) -> Vec<i32> {
        let columns = window * self.windows.window..(window + 1) * self.windows.window;
        columns
            .map(|col| {
                (0..self.weights.shape.rows)
                    .map(|k| i32::from(self.weights.at(k, row)) * i32::from(self.moving.at(k, col)))
                    .sum()
            })
            .collect()
    }

    /// Runs it and compares with a result for each window of sums.
    fn check(&self, bench: &mut Bench, result: impl Fn(&[i32]) -> i8) -> Checked {
        let params = bench.params();
        let (n, t) = (self.weights.shape.cols, self.moving.shape.cols);
        let count = t / self.windows.window;
        let weights = MatrixPlace::new(self.weights.shape, 0, params);
        let moving = MatrixPlace::new(self.moving.shape, params.bank_bytes(), params);
        let full = MatrixPlace::new(MatrixShape { rows: n, cols: t }, moving.end(), params);
        let product = Product {
            weights,
            moving,
            result: full,
            scaling: Scaling::unchanged(self.tile),
        };
        let mut program = product.instructions(params).expect("fits");
        through(&mut program, self.activation, Some(self.windows));
        for instruction in &mut program {
            if let Instruction::Drain(Drain { record, .. }) = instruction {
                record.rows = vec![row(0, moving.end(), &[(count, 1)])];
            }
        }
        bench.write(&weights, &self.weights);
        bench.write(&moving, &self.moving);
        bench.run(program)?;
        for row in 0..n {
            for window in 0..count {
                let address = moving.end() + window;
                let word = bench.pair.golden.read_word(row, address / 8);
                let found = word[(address % 8) as usize] as i8;
                let sums = self.sums(row, window);
                let expected = result(&sums);
                if found != expected {
                    return Err(bench.pair.message(format!(
                        "row {row}, window {window}: {found}, expected {expected} of {sums:?}"
                    )));
                }
            }
        }
        Ok(())
    }
}

fn small(rng: &mut ChaCha8Rng, rows: u32, cols: u32) -> Matrix {
    Matrix::new(rows, cols, |_| rng.random_range(-5..=5))
}

/// Up to two bands of rows, so that sums wait in the results buffer before they are pooled.
fn run_products(
    machine: &Machine,
    seed: u64,
    reduction: Reduction,
    scale: Option<(u32, Scale)>,
    result: impl Fn(&[i32]) -> i8,
) -> Checked<Coverage> {
    let mut coverage = Coverage::default();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut bench = Bench::new(machine, seed)?;
    bench.pair.set_zero(0);
    let mut tile = UNIT_TILE;
    if let Some((_, scale)) = scale {
        tile = OTHER_TILE;
        for column in 0..bench.params().array.cols {
            bench.pair.write_column(column, tile.into(), 0, scale);
        }
    }
    for _ in 0..8 {
        let window = match scale {
            Some((window, _)) => window,
            None => rng.random_range(1..=4),
        };
        let count = rng.random_range(1..=7);
        let k = rng.random_range(1..=8);
        let n = rng.random_range(1..=4);
        let pooled = Pooled {
            weights: small(&mut rng, k, n),
            moving: small(&mut rng, k, window * count),
            windows: Pooling { reduction, window },
            activation: 0,
            tile,
        };
        pooled.check(&mut bench, &result)?;
        coverage.event("stored sums", k > 4);
        coverage.event("windows of several sums", window > 1);
    }
    Ok(coverage)
}

fn clamped(sum: i32) -> i8 {
    sum.clamp(-128, 127) as i8
}

/// A reduction, window and scale if they are not random, and the result for the sums of a window.
type Row = (Reduction, Option<(u32, Scale)>, fn(&[i32]) -> i8);

#[proves("PET-59")]
#[test]
fn products_with_windows_of_every_kind() {
    let machine = Machine::new(machines::pooling());
    // The scale carries 1/n: 2^30 stands for one half.
    let scale = |window, multiplier, shift| {
        let scale = Scale::new(multiplier, shift).expect("a legal scale");
        Some((window, scale))
    };
    let rows: [Row; 7] = [
        (Reduction::Max, None, |sums| {
            clamped(*sums.iter().max().expect("a sum"))
        }),
        (Reduction::Min, None, |sums| {
            clamped(*sums.iter().min().expect("a sum"))
        }),
        (Reduction::Sum, None, |sums| clamped(sums.iter().sum())),
        (Reduction::Product, None, |sums| {
            clamped(sums.iter().fold(1, |p, s| p.wrapping_mul(*s)))
        }),
        // Double rounding: two thirds, then half of that, halves away from zero.
        (Reduction::Sum, scale(3, 1_431_655_765, -1), |sums| {
            let thirds = (f64::from(sums.iter().sum::<i32>()) * 2.0 / 3.0).round();
            clamped((thirds / 2.0).round() as i32)
        }),
        // Double rounding: halves of the doubled product go up, those of the shift away from 0.
        (Reduction::Sum, scale(4, 1 << 30, -1), |sums| {
            let halves = (sums.iter().sum::<i32>() + 1).div_euclid(2);
            clamped((f64::from(halves) / 2.0).round() as i32)
        }),
        (Reduction::Median, scale(9, 1 << 30, 0), |sums| {
            let mut sums = sums.to_vec();
            sums.sort_unstable();
            clamped(sums[4])
        }),
    ];
    for (reduction, scale, result) in rows {
        rtl::run_seeds(|seed| run_products(&machine, seed, reduction, scale, result));
    }
}

#[proves("PET-58", "PET-59")]
#[test]
fn sigmoid_of_the_largest_sum() {
    let machine = Machine::new(machines::pooling());
    let mut bench = Bench::new(&machine, 1).unwrap();
    bench.pair.set_zero(0);
    let input = Quantisation::new(1.0 / 16.0, 0).unwrap();
    let output = Quantisation::new(1.0 / 256.0, -128).unwrap();
    let entries = table(Function::Sigmoid, input, output).unwrap();
    write_table(&mut bench, 1, &entries);
    let mut rng = ChaCha8Rng::seed_from_u64(58);
    let pooled = Pooled {
        weights: small(&mut rng, 7, 4),
        moving: small(&mut rng, 7, 14),
        windows: Pooling {
            reduction: Reduction::Max,
            window: 2,
        },
        activation: 1,
        tile: UNIT_TILE,
    };
    let sigmoid = |sums: &[i32]| {
        let x = f64::from(clamped(*sums.iter().max().expect("a sum"))) / 16.0;
        // Stored less its zero point: 256 times the function, as a byte.
        let units = (256.0 / (1.0 + (-x).exp())).round().min(255.0);
        units as u8 as i8
    };
    pooled.check(&mut bench, sigmoid).unwrap();
}

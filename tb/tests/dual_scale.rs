//! Exact sums of two inputs on emitted machines: two K tiles with diagonal matrices as weights, and a factor for each input.

use heddle_arch::isa::{Drain, Instruction, Matmul, RowBlock};
use heddle_arch::params::Params;
use heddle_arch::requantise::{DualScale, Scale};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::machines::pair::{End, HALT, Pair, row};
use crate::machines::{Machine, build, pooling, tiny, with_dual_scales, with_sums_at_top};

/// Byte addresses of an input from the other one, and of the results.
const STRIDE: u32 = 64;
const RESULTS: u32 = 1024;

/// What a column computes: clamped (bias + weights\[0\] x) factors\[0\] + weights\[1\] y factors\[1\], divided and rounded once.
struct Column {
    bias: i32,
    weights: [i32; 2],
    factors: [u32; 2],
    shift: u32,
}

impl Column {
    fn random(rng: &mut ChaCha8Rng) -> Self {
        let factors = [0, 1].map(|_| rng.random_range(1 << 15..1 << 17));
        Self {
            bias: rng.random_range(-60..60),
            weights: [rng.random_range(-63..64), rng.random_range(-128..128)],
            factors,
            shift: rng.random_range(21..27),
        }
    }

    fn result(&self, operands: [i32; 2]) -> i8 {
        let [w, v] = self.weights;
        let parts = [self.bias + w * operands[0], v * operands[1]];
        let terms = parts.iter().zip(self.factors);
        let total: i64 = terms.map(|(&part, f)| i64::from(part) * i64::from(f)).sum();
        let rounded = (total + (1 << (self.shift - 1))) >> self.shift;
        rounded.clamp(-128, 127) as i8
    }
}

/// A product with both inputs as its K tiles, or one for each input, which may have another zero point.
fn products(vectors: u32, operands: u32, thresholds: [u8; 2]) -> Vec<Instruction> {
    let tensor = |base, tiles| row(1, base, &[(vectors, 1), (tiles, STRIDE)]);
    let matmul = |rows: Vec<RowBlock>, ends: (bool, bool), threshold| {
        Instruction::Matmul(Matmul {
            first: ends.0,
            last: ends.1,
            raised: ends.0,
            threshold,
            ..build::matmul(4, rows)
        })
    };
    let prologue = row(0, 0, &[]);
    match thresholds[0] == thresholds[1] {
        true => {
            let rows = vec![prologue, tensor(operands, 2)];
            vec![matmul(rows, (true, true), thresholds[0])]
        }
        false => {
            let first = vec![prologue, tensor(operands, 1)];
            let second = vec![tensor(operands + STRIDE, 1)];
            let (first, second) = (
                matmul(first, (true, false), thresholds[0]),
                matmul(second, (false, true), thresholds[1]),
            );
            vec![first, second]
        }
    }
}

/// Writes columns, weights and inputs; gives the columns, and both operands of each vector and row.
fn prepare(
    pair: &mut Pair,
    rng: &mut ChaCha8Rng,
    thresholds: [u8; 2],
) -> (Vec<Column>, Vec<[[i32; 2]; 4]>) {
    let operands = pair.params().bank_bytes() / 8;
    let columns: Vec<Column> = (0..4).map(|_| Column::random(rng)).collect();
    for (c, column) in (0..).zip(&columns) {
        pair.write_column(c, 0, column.bias, Scale::ZERO);
        let scale = DualScale::new(column.factors, column.shift).expect("in range");
        pair.write_dual_scale(c, 0, scale);
        for (tile, weight) in (0..).zip(column.weights) {
            let mut word = [0; 8];
            word[c as usize] = weight as u8;
            pair.write_word(c, tile, word);
        }
    }
    let vectors = (0..STRIDE).map(|_| {
        [(); 4].map(|()| {
            let mut of = |i: usize| {
                let most = i32::from(thresholds[i]);
                rng.random_range(most - 255..=most)
            };
            [of(0), of(1)]
        })
    });
    let vectors: Vec<[[i32; 2]; 4]> = vectors.collect();
    for partition in 0..4 {
        for (word, eight) in (0..).zip(vectors.chunks_exact(8)) {
            for input in 0..2 {
                let bytes = |k: usize| eight[k][partition as usize][input as usize] as u8;
                let at = operands + input * STRIDE / 8 + word;
                pair.write_word(partition, at, std::array::from_fn(bytes));
            }
        }
    }
    (columns, vectors)
}

#[track_caller]
fn check(params: Params) {
    let machine = Machine::new(params);
    let mut pair = machine.pair(1);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for thresholds in [[127, 127], [100, 100], [255, 0], [90, 200]] {
        for vectors in [1, 2, 3, 16, 64] {
            let (columns, inputs) = prepare(&mut pair, &mut rng, thresholds);
            let mut program = vec![
                Instruction::LoadWeights(build::load(4, 0, &[(1, 8), (2, 8)])),
                Instruction::Drain(Drain {
                    single: true,
                    dual: true,
                    ..build::drain(4, RESULTS, &[(vectors, 1)])
                }),
            ];
            let operands = pair.params().bank_bytes();
            program.extend(products(vectors, operands, thresholds));
            program.push(HALT);
            let end = pair.run_instructions(&program);
            assert!(matches!(end, Ok(End::Halt(_))), "{end:?}");
            pair.compare().unwrap_or_else(|message| panic!("{message}"));
            for (m, operands) in (0..).zip(&inputs[..vectors as usize]) {
                for (c, column) in (0..).zip(&columns) {
                    let word = pair.golden.read_word(c, (RESULTS + m) / 8);
                    let found = word[m as usize % 8] as i8;
                    let expected = column.result(operands[c as usize]);
                    assert_eq!(found, expected, "vector {m} of {vectors}, column {c}");
                }
            }
        }
    }
}

#[test]
fn both_inputs_have_their_factor() {
    check(with_dual_scales(tiny()));
}

#[test]
fn both_inputs_have_their_factor_beside_all_options() {
    check(pooling());
}

#[test]
fn both_inputs_have_their_factor_with_sums_at_the_top() {
    check(with_dual_scales(with_sums_at_top(tiny())));
}

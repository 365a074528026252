//! Programs that are mostly nonsense.

use heddle_arch::isa::{Instruction, Matmul};
use heddle_arch::params::Params;
use rand::Rng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use crate::machines::build;
use crate::machines::dump::encode;
use crate::machines::pair::row;
use crate::machines::programs::random_program;

/// Loads weights from the bank from which operands are streamed at the same time.
fn conflict() -> Vec<Instruction> {
    let load = |words| Instruction::LoadWeights(build::load(1, 0, &[(words, 8)]));
    let matmul = Instruction::Matmul(Matmul {
        last: false,
        threshold: 0,
        macs: 0,
        ..build::matmul(1, vec![row(1, 0, &[(30, 8)])])
    });
    vec![load(1), matmul, load(8)]
}

/// Mostly headers of instructions with small fields, so that some are legal.
pub fn nonsense(rng: &mut ChaCha8Rng, params: &Params) -> Vec<u32> {
    let mut words = match rng.random_range(0..30) {
        0 => encode(&conflict()),
        1..10 => encode(&random_program(rng, params)),
        _ => Vec::new(),
    };
    while words.len() < 60 {
        if rng.random_bool(0.1) {
            words.push(rng.random());
            continue;
        }
        let opcode = *[1, 2, 3, 4, 5, 7].choose(rng).expect("not empty");
        let loops = rng.random_range(0..=2);
        let table = opcode == 3 && rng.random_bool(0.3);
        let pooled = opcode == 4 && params.post.pooling && rng.random_bool(0.5);
        let fixed = match opcode {
            2 => 2,
            _ => 3 + u32::from(table) + u32::from(pooled),
        };
        let alone = matches!(opcode, 1 | 7);
        let length = if alone { 1 } else { fixed + 2 + 3 * loops };
        words.push(opcode | length << 8 | (rng.random_range(0..8) & rng.random_range(0..8)) << 16);
        if alone {
            continue;
        }
        let mut first = rng.random_range(1..=params.lanes());
        if opcode == 3 {
            first |= rng.random_range(0..8) << 9 | rng.random_range(0..256) << 16;
            first |= u32::from(table) << 15 | u32::from(rng.random_bool(0.1)) << 25;
        }
        if opcode == 4 && params.post.activations > 0 {
            first |= rng.random_range(0..=params.post.activations + 1) << 11;
            first |= u32::from(pooled) << 15;
        }
        if opcode == 4 {
            first |= u32::from(rng.random_bool(0.1)) << 28;
        }
        words.push(first);
        match opcode {
            2 => {}
            5 => words.push((8 * rng.random_range(0..params.partition_words() + 2)) & 0xffff),
            _ => words.push(rng.random_range(0..256)),
        }
        if table {
            let entries = params.state_buffer.row_offsets;
            words.push(rng.random_range(0..entries + 4) << 24 | rng.random_range(0..256));
        }
        if pooled {
            let window = rng.random_range(0..6) * rng.random_range(0..3);
            words.push(rng.random_range(0..6) | window << 8);
        }
        words.push(rng.random_range(0..3) | loops << 4);
        words.push(rng.random_range(0..params.partition_bytes() + 16));
        for _ in 0..loops {
            words.extend([0, rng.random_range(1..4), rng.random_range(0..12)]);
        }
    }
    for _ in 0..rng.random_range(0..4) {
        let at = rng.random_range(0..words.len());
        words[at] ^= 1 << rng.random_range(0..32);
    }
    words
}

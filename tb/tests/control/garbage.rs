//! Programs that are mostly nonsense.

use heddle_arch::isa::{ErrorCode, Instruction, Record, Wait};
use heddle_arch::params::Params;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::machines::pair::{End, Pair, row};
use crate::machines::programs::random_program;
use crate::machines::{self, Machine};
use crate::programs::{encode, fill_tables};
use crate::rtl::{self, Checked, Coverage};

/// Loads weights from the bank from which operands are streamed at the same time.
fn conflict() -> Vec<Instruction> {
    let load = |words| Instruction::LoadWeights {
        wait: Wait::default(),
        rows: 1,
        tile_level: 0,
        flip: 0,
        streamed: false,
        record: Record {
            rows: vec![row(0, 0, &[(words, 8)])],
        },
    };
    let matmul = Instruction::Matmul {
        wait: Wait::default(),
        rows: 1,
        first: true,
        last: false,
        bank: false,
        tile_level: 0,
        threshold: 0,
        macs: 0,
        table: None,
        repeat: None,
        record: Record {
            rows: vec![row(1, 0, &[(30, 8)])],
        },
    };
    vec![load(1), matmul, load(8)]
}

/// Mostly headers of instructions with small fields, so that some are legal.
fn garbage(rng: &mut ChaCha8Rng, params: &Params) -> Vec<u32> {
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
        let opcode = rng.random_range(1..=4);
        let loops = rng.random_range(0..=2);
        let table = opcode == 3 && rng.random_bool(0.3);
        let pooled = opcode == 4 && params.post.pooling && rng.random_bool(0.5);
        let fixed = match opcode {
            2 => 2,
            _ => 3 + u32::from(table) + u32::from(pooled),
        };
        let length = if opcode == 1 {
            1
        } else {
            fixed + 2 + 3 * loops
        };
        words.push(opcode | length << 8 | (rng.random_range(0..8) & rng.random_range(0..8)) << 16);
        if opcode == 1 {
            continue;
        }
        let mut first = rng.random_range(1..=params.lanes());
        if opcode == 3 {
            first |= rng.random_range(0..8) << 9 | rng.random_range(0..256) << 16;
            first |= u32::from(table) << 15;
        }
        if opcode == 4 && params.post.activations > 0 {
            first |= rng.random_range(0..=params.post.activations + 1) << 11;
            first |= u32::from(pooled) << 15;
        }
        words.push(first);
        if opcode != 2 {
            words.push(rng.random_range(0..256));
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

fn run_garbage(machine: &Machine, seed: u64, programs: u32) -> Checked<Coverage> {
    let mut coverage = Coverage::default();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut pair = Pair::new(machine, seed, &mut rng)?;
    let place = pair.place.clone();
    for number in 0..programs {
        pair.place = format!("{place}, program {number}");
        fill_tables(&mut pair, &mut rng);
        let words = garbage(&mut rng, &machine.params);
        pair.write_program(0, &words);
        let end = pair.run_end(0, 40_000)?;
        coverage.event("halted", matches!(end, End::Halt(_)));
        coverage.event("not judged", matches!(end, End::Conflict));
        for code in &ErrorCode::ALL[..6] {
            coverage.event(
                code.name(),
                matches!(end, End::Error(found, _) if found == *code),
            );
        }
        coverage.event("all", true);
        if end == End::Endless {
            // A loop of step 0: both sides still ran, and the hardware was reset.
            coverage.event("endless", true);
            pair = Pair::new(machine, seed, &mut rng)?;
        }
    }
    Ok(coverage)
}

/// Garbage for a machine; few of the programs never end.
#[track_caller]
fn check_garbage(params: Params) {
    let machine = Machine::new(params);
    rtl::run_seeds(|seed| {
        let coverage = run_garbage(&machine, seed, 400)?;
        let (endless, all) = (coverage.count("endless"), coverage.count("all"));
        match endless * 50 < all {
            true => Ok(coverage),
            false => Err(format!(
                "seed {seed}: {endless} of {all} programs never end"
            )),
        }
    });
}

#[test]
fn garbage_programs_stop_with_the_predicted_error() {
    check_garbage(machines::tiny());
}

#[test]
fn pet_58_pet_59_garbage_programs_stop_with_pooling_and_activation_functions() {
    check_garbage(machines::pooling());
}

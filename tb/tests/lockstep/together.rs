//! All clients of the state buffer at once: the array reads operands, the drain writes results that pooling and tables have made, loads
//! and stores move words.

use heddle_arch::isa::{Drain, Instruction, Pooling, Reduction};
use heddle_arch::params::Params;

use super::traffic::Moved;
use super::watch;
use crate::machines::build;
use crate::machines::dump::encode;
use crate::machines::pair::{End, HALT, row};
use crate::machines::{self, Machine};
use crate::matrix::bench::Bench;
use crate::rtl::Checked;

/// A machine with all options of post-processing and four banks.
fn pooling_in_four_banks() -> Params {
    let mut params = machines::open(machines::pooling());
    params.name = "pooling_four".into();
    params.state_buffer.banks = 4;
    params.state_buffer.words_per_bank = 128;
    params.validate().expect("as many words as before");
    params
}

/// Products whose results all pass pooling and a table: weights in bank 0, operands in bank 1, results in bank 2.
fn beside_pooling(machine: &Machine, seed: u64) -> Checked<Moved> {
    /// Times that each table is used.
    const TURNS: u32 = 4;
    const WINDOW: u32 = 2;
    let params = &machine.params;
    let (rows, bank) = (params.array.rows, params.bank_bytes());
    let vectors = params.results_buffer.depth;
    let mut bench = Bench::new(machine, seed)?;
    let weights = build::load(rows, 0, &[(params.weight_words(), 8)]);
    let product = build::matmul(rows, vec![row(0, 0, &[]), row(1, bank, &[(vectors, 8)])]);
    let mut program = Vec::new();
    for turn in 0..TURNS * params.post.activations {
        let table = 1 + turn % params.post.activations;
        let pooling = Pooling {
            reduction: Reduction::Max,
            window: WINDOW,
        };
        let base = 2 * bank + turn * vectors / WINDOW;
        program.extend([
            Instruction::LoadWeights(weights.clone()),
            Instruction::Drain(Drain {
                activation: table as u8,
                pooling: Some(pooling),
                ..build::drain(params.array.cols, base, &[(vectors / WINDOW, 1)])
            }),
            Instruction::Matmul(product.clone()),
        ]);
    }
    program.push(HALT);
    bench.pair.write_program(0, &encode(&program));
    let mut moved = Moved::default();
    for seed in 0..64 {
        let seen = watch::run(&mut bench, 0, 500_000, Some(seed))?;
        if !matches!(seen.end, End::Halt(_)) {
            return Err(bench.pair.message(format!("{:?}", seen.end)));
        }
        watch::settle(&mut bench, &seen, 0, true)?;
        moved.add(seen.moved);
    }
    Ok(moved)
}

#[proves("PET-75")]
#[test]
fn array_pooling_tables_and_dma_use_banks_of_their_own_in_one_clock() {
    let moved = beside_pooling(&Machine::new(pooling_in_four_banks()), 1);
    let moved = moved.unwrap_or_else(|message| panic!("{message}"));
    println!("{moved:?}");
    let [loads, stores, _] = moved.meetings;
    assert!(loads > 200 && stores > 100, "{moved:?}");
}

//! Windows and activation tables in small programs, worked out by hand.

use heddle_arch::host::Counter;
use heddle_arch::isa::{
    Drain, ErrorCode, Instruction, LoadWeights, Loop, Matmul, Pooling, Record, Reduction, RowBlock,
    Wait,
};
use heddle_arch::params::{Params, Post};
use heddle_arch::requantise::Scale;
use heddle_sim::machine::{Machine, MachineError};

/// First address of the second bank.
const WEIGHTS: u32 = 128;
const RESULTS: u32 = 64;

fn params(post: Post) -> Params {
    let text = r#"{"name": "test", "array": {"rows": 2, "cols": 2},
        "traversal": {"rows": 3, "loops": 3, "offset_bits": 16, "address_bits": 24},
        "state_buffer": {"banks": 2, "words_per_bank": 16,
          "slices": {"word_bytes": 8, "widths": [3, 5]}},
        "results_buffer": {"depth": 16}, "column_tiles": 2, "program": {"words": 64}}"#;
    let mut params = Params::from_json(text).unwrap();
    params.post = post;
    params
}

const OPTIONS: Post = Post {
    pooling: true,
    product: false,
    median: 0,
    activations: 1,
};

fn row(row: u8, base: u32, trips: u32) -> RowBlock {
    RowBlock {
        row,
        base,
        loops: vec![Loop {
            initial: 0,
            step: 1,
            end: trips,
        }],
    }
}

/// Weights 1 and 2, then a drain, then so many vectors.
fn program(
    activation: u8,
    pooling: Option<Pooling>,
    results: u32,
    vectors: u32,
) -> Vec<Instruction> {
    let wait = Wait::default();
    vec![
        Instruction::LoadWeights(LoadWeights {
            wait,
            rows: 2,
            record: Record {
                rows: vec![RowBlock {
                    row: 0,
                    base: WEIGHTS,
                    loops: vec![],
                }],
            },
            ..LoadWeights::default()
        }),
        Instruction::Drain(Drain {
            wait,
            columns: 2,
            activation,
            pooling,
            record: Record {
                rows: vec![row(0, RESULTS, results)],
            },
            ..Drain::default()
        }),
        Instruction::Matmul(Matmul {
            wait,
            rows: 2,
            macs: 4,
            record: Record {
                rows: vec![
                    RowBlock {
                        row: 0,
                        base: 0,
                        loops: vec![],
                    },
                    row(1, 0, vectors),
                ],
            },
            ..Matmul::default()
        }),
        Instruction::Halt { wait },
    ]
}

/// Operands 1, 2, 3 and so on in row 0; a table that adds 100.
fn machine(post: Post, program: &[Instruction]) -> Machine {
    let mut machine = Machine::new(&params(post));
    let words: Vec<u32> = program.iter().flat_map(Instruction::encode).collect();
    machine.write_program(0, &words);
    for column in 0..2 {
        machine.write_scale(column, 0, Scale::new(1 << 30, 1).unwrap());
    }
    for table in 0..post.activations {
        for byte in 0..=u8::MAX {
            machine.write_activation(table, byte, byte.wrapping_add(100));
        }
    }
    machine.write_word(0, 0, [1, 2, 3, 4, 5, 6, 7, 8]);
    machine.write_word(0, WEIGHTS / 8, [1, 2, 0, 0, 0, 0, 0, 0]);
    machine
}

const PAIRS: Option<Pooling> = Some(Pooling {
    reduction: Reduction::Sum,
    window: 2,
});

#[test]
fn pet_58_pet_59_sums_of_pairs_go_through_a_table_in_the_promised_cycles() {
    let mut machine = machine(OPTIONS, &program(1, PAIRS, 2, 4));
    let counters = machine.run(0, 1000).unwrap();
    // 1 + 2, 3 + 4, and twice as much in the second column.
    let results = [0, 1].map(|row| machine.read_word(row, RESULTS / 8));
    assert_eq!(results[0], [103, 107, 0, 0, 0, 0, 0, 0]);
    assert_eq!(results[1], [106, 114, 0, 0, 0, 0, 0, 0]);
    // LOAD_WEIGHTS 4 words: START in 5. DRAIN 9 words: START in 16. MATMUL 10 words: START in 28,
    // prologue accepted in 32, the last of four vectors in 36, its drain address taken in
    // 36 + 1 + 9 = 46. HALT goes on in 46 + 2 + 16 + 3 = 67.
    assert_eq!(counters.get(Counter::Cycles), 68);
}

#[test]
fn pet_58_a_drain_without_table_and_windows_only_takes_longer() {
    let plain = machine(Post::default(), &program(0, None, 4, 4)).run(0, 1000);
    let longer = machine(OPTIONS, &program(0, None, 4, 4)).run(0, 1000);
    let cycles = [plain, longer].map(|counters| counters.unwrap().get(Counter::Cycles));
    assert_eq!(cycles[0] + 3, cycles[1]);
}

#[test]
fn pet_59_windows_and_addresses_that_do_not_match_are_errors() {
    let end = |results, vectors| {
        let error = machine(OPTIONS, &program(0, PAIRS, results, vectors)).run(0, 10_000);
        match error.expect_err("an error") {
            MachineError::Stopped { code, pc, .. } => (code, pc),
            other => panic!("{other}"),
        }
    };
    // One sum too many finds no address; the drain stands behind the load.
    assert_eq!(end(2, 5), (ErrorCode::DrainUnderflow, 4));
    assert_eq!(end(1, 4), (ErrorCode::DrainUnderflow, 4));
    // The last window is not complete: HALT waits for ever.
    assert_eq!(end(2, 3), (ErrorCode::Stuck, 4 + 9 + 10));
    assert_eq!(end(3, 4), (ErrorCode::Stuck, 4 + 9 + 10));
}

#[test]
fn pet_58_pet_59_options_that_are_not_there_are_bad_fields() {
    let only = |pooling, activations| Post {
        pooling,
        activations,
        ..Post::default()
    };
    let median = Some(Pooling {
        reduction: Reduction::Median,
        window: 2,
    });
    for (post, activation, pooling) in [
        (only(false, 2), 3, None),
        (only(true, 0), 1, None),
        (only(false, 8), 0, PAIRS),
        (only(true, 0), 0, median),
    ] {
        let error = machine(post, &program(activation, pooling, 2, 4)).run(0, 1000);
        let stopped = match error.expect_err("an error") {
            MachineError::Stopped { code, pc, .. } => (code, pc),
            other => panic!("{other}"),
        };
        assert_eq!(stopped, (ErrorCode::BadField, 4), "{post:?}");
    }
}

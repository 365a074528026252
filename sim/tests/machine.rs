//! Small programs whose results, counters and errors are worked out by hand.

use heddle_arch::host::Counter;
use heddle_arch::isa::{
    Drain, ErrorCode, Instruction, LoadWeights, Loop, Matmul, Record, RowBlock, RowTable, Wait,
};
use heddle_arch::params::Params;
use heddle_arch::requantise::Scale;
use heddle_sim::machine::{Counters, Machine, MachineError};

const ROWS: u32 = 2;
const COLS: u32 = 2;
/// First address of the second bank.
const WEIGHTS: u32 = 128;
const RESULTS: u32 = 64;

fn params() -> Params {
    let text = r#"{"name": "test", "array": {"rows": 2, "cols": 2},
        "traversal": {"rows": 3, "loops": 3, "offset_bits": 16, "address_bits": 24},
        "state_buffer": {"banks": 2, "words_per_bank": 16,
          "slices": {"word_bytes": 8, "widths": [3, 5]}},
        "results_buffer": {"depth": 16}, "column_tiles": 2, "program": {"words": 64}}"#;
    Params::from_json(text).unwrap()
}

fn row(row: u8, base: u32, loops: &[(u32, u32)]) -> RowBlock {
    let loops = loops.iter().map(|&(trips, step)| Loop {
        initial: 0,
        step,
        end: trips * step,
    });
    RowBlock {
        row,
        base,
        loops: loops.collect(),
    }
}

fn load(loops: &[(u32, u32)]) -> Instruction {
    Instruction::LoadWeights(LoadWeights {
        rows: ROWS,
        record: Record {
            rows: vec![row(0, WEIGHTS, loops)],
        },
        ..LoadWeights::default()
    })
}

fn drain(loops: &[(u32, u32)]) -> Instruction {
    Instruction::Drain(Drain {
        columns: COLS,
        tile: 1,
        lo: -100,
        hi: 100,
        record: Record {
            rows: vec![row(0, RESULTS, loops)],
        },
        ..Drain::default()
    })
}

/// A MATMUL of the given rows, whose threshold makes operands -27..=228.
fn matmul(first: bool, last: bool, rows: Vec<RowBlock>) -> Instruction {
    Instruction::Matmul(Matmul {
        rows: ROWS,
        first,
        last,
        threshold: 228,
        macs: ROWS * COLS,
        record: Record { rows },
        ..Matmul::default()
    })
}

const HALT: Instruction = Instruction::Halt {
    wait: Wait {
        weights: false,
        stream: false,
        drain: false,
    },
};

/// A machine with bias 5 and -7, scale 1 and 1/2 in column tile 1.
fn machine(program: &[Instruction]) -> Machine {
    let mut machine = Machine::new(&params());
    let words: Vec<u32> = program.iter().flat_map(Instruction::encode).collect();
    machine.write_program(0, &words);
    for (column, bias, shift) in [(0, 5, 1), (1, -7, 0)] {
        machine.write_bias(column, 1, bias);
        machine.write_scale(column, 1, Scale::new(1 << 30, shift).unwrap());
    }
    machine
}

#[track_caller]
fn check_counters(counters: &Counters, expected: [u32; 13]) {
    for ((counter, found), expected) in counters.iter().zip(expected) {
        assert_eq!(found, expected, "{}", counter.name());
    }
}

#[test]
fn one_vector_takes_the_promised_cycles() {
    let operands = vec![row(0, 1, &[]), row(1, 3, &[])];
    let mut machine = machine(&[load(&[]), drain(&[]), matmul(true, true, operands), HALT]);
    // Operands 10 and -20, weights (2, 3) and (-1, 4): sums 5 + 20 + 20 and -7 + 30 - 80.
    machine.write_word(0, 0, [0, 0, 0, 10, 0, 0, 0, 0]);
    machine.write_word(1, 0, [1, 2, 3, 236, 0, 0, 0, 0]);
    machine.write_word(0, WEIGHTS / 8, [2, 3, 0, 0, 0, 0, 0, 0]);
    machine.write_word(1, WEIGHTS / 8, [255, 4, 0, 0, 0, 0, 0, 0]);
    let counters = machine.run(0, 1000).unwrap();
    // Scale 1 keeps 45; half of -57 is rounded upwards.
    assert_eq!(machine.read_word(0, RESULTS / 8), [45, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(machine.read_word(1, RESULTS / 8)[0] as i8, -28);

    // LOAD_WEIGHTS 4 words: START in 5. DRAIN 5 words: START in 12. MATMUL 7 words: START in 21,
    // prologue accepted in 25, vector in 26, drain address taken in 26 + 1 + 9 = 36. HALT is in
    // HEAD from 23 on and goes on in 36 + 2 + 16 = 54.
    let slices = [4, 2, 4, 2, 1, 0];
    let [mr, mw, ar, aw, br, bw] = slices;
    // Neither operand is zero.
    check_counters(&counters, [0, 55, 1, 4, 0, 31, 4, mr, mw, ar, aw, br, bw]);
}

#[test]
fn weights_of_one_word_for_one_vector_stall_the_stream() {
    // Three K tiles of one vector each on one operand word: bytes 0, 1, 2.
    let operands = vec![row(0, 1, &[]), row(1, 0, &[(1, 1), (3, 1)])];
    let program = [
        load(&[(1, 8), (3, 8)]),
        drain(&[]),
        matmul(true, true, operands),
        HALT,
    ];
    let mut machine = machine(&program);
    machine.write_word(0, 0, [1, 2, 3, 0, 0, 0, 0, 0]);
    for (tile, weight) in [(0, 1), (1, 10), (2, 20)] {
        machine.write_word(0, WEIGHTS / 8 + tile, [weight, 0, 0, 0, 0, 0, 0, 0]);
    }
    let counters = machine.run(0, 1000).unwrap();
    assert_eq!(machine.read_word(0, RESULTS / 8)[0], 5 + 1 + 20 + 60);
    assert_eq!(counters.get(Counter::Vectors), 3);
    // Tile 1 is swapped in with vector 0 in cycle d; the next word is accepted in d + 2, swapped
    // in d + 3, used in d + 4: vector 2 stalls in d + 2 and d + 3.
    assert_eq!(counters.get(Counter::StallWeights), 2);
    // Both rows read operand word 0 once and three weight words; row 1 holds zeros only.
    assert_eq!(counters.get(Counter::MaskReads), 2 + 6);
    assert_eq!(counters.get(Counter::SliceReads(0)), 1 + 3);
}

/// A product with row tables, from this entry on.
fn matmul_by(entry: u8, rows: Vec<RowBlock>) -> Instruction {
    let mut matmul = matmul(true, true, rows);
    if let Instruction::Matmul(Matmul { table, .. }) = &mut matmul {
        *table = Some(RowTable {
            first_entry: entry,
            last_macs: 1,
        });
    }
    matmul
}

#[test]
fn sgcr_54_sgcr_55_each_row_adds_the_offset_of_its_k_tile() {
    // Three taps on two rows: two K tiles of two vectors; row 1 has nothing in the second.
    let operands = vec![row(0, 1, &[]), row(1, 0, &[(2, 1), (2, 1)])];
    let program = [
        load(&[(1, 8), (2, 8)]),
        drain(&[(2, 1)]),
        matmul_by(3, operands),
        HALT,
    ];
    let mut machine = machine(&program);
    for partition in 0..ROWS {
        machine.write_word(partition, 0, [1, 2, 3, 4, 5, 6, 7, 8]);
        machine.write_word(
            partition,
            WEIGHTS / 8,
            [1 + partition as u8, 0, 0, 0, 0, 0, 0, 0],
        );
        machine.write_word(partition, WEIGHTS / 8 + 1, [10, 0, 0, 0, 0, 0, 0, 0]);
    }
    // The loop over the K tiles adds 1 itself.
    for (row, entry, offset) in [
        (0, 3, Some(0)),
        (1, 3, Some(2)),
        (0, 4, Some(4)),
        (1, 4, None),
    ] {
        machine.write_row_offset(row, entry, offset);
    }
    let counters = machine.run(0, 1000).unwrap();
    let result = machine.read_word(0, RESULTS / 8);
    assert_eq!(
        result[..2],
        [5 + 1 + 2 * 3 + 10 * 6, 5 + 2 + 2 * 4 + 10 * 7]
    );
    assert_eq!(counters.get(Counter::Macs), 2 * ROWS * COLS + 2);
    assert_eq!(counters.get(Counter::ZeroOperands), 0);
    // One operand word in each row, two weight words in each.
    assert_eq!(counters.get(Counter::MaskReads), 2 + 4);
    // Another pass with the same tables.
    for partition in 0..ROWS {
        machine.write_word(partition, 0, [11, 12, 13, 14, 15, 16, 17, 18]);
    }
    machine.run(0, 1000).unwrap();
    let result = machine.read_word(0, RESULTS / 8);
    assert_eq!(result[0], 100, "the clamp of 5 + 11 + 2 * 13 + 10 * 16");
}

#[test]
fn entries_and_sums_beyond_their_memory_are_address_errors() {
    let operands = |base| vec![row(1, base, &[(2, 1), (2, 1)])];
    let loads = load(&[(1, 8), (2, 8)]);
    // Entry 32 of 32.
    let beyond = matmul_by(31, operands(0));
    check_error(
        &[loads.clone(), drain(&[(2, 1)]), beyond, HALT],
        ErrorCode::Address,
        2,
    );
    for (base, good) in [(0, true), (1, true), (2, false)] {
        // The last address of 256 bytes is base + 1 + 1 + offset.
        let program = [
            loads.clone(),
            drain(&[(2, 1)]),
            matmul_by(0, operands(base)),
            HALT,
        ];
        let mut machine = machine(&program);
        machine.write_row_offset(0, 0, Some(252));
        machine.write_row_offset(1, 1, Some(252));
        let end = machine.run(0, 1000);
        assert_eq!(end.is_ok(), good, "base {base}: {end:?}");
        if let Err(error) = end {
            assert_eq!(
                error.to_string(),
                "ADDRESS at program word 18: the sum of operand address and row offset lies \
                 beyond the memory"
            );
        }
    }
}

#[test]
fn sums_wait_in_the_results_buffer_and_epilogues_read_them() {
    // Two vectors of one K tile are stored; a second MATMUL adds a tile and stores again; the
    // epilogue sends both to post in the opposite order.
    let operands = |base| row(1, base, &[(2, 1)]);
    let epilogue = |address| row(2, address, &[]);
    let accumulate = |prologue: Option<RowBlock>, first, base| {
        let rows = prologue.into_iter().chain([operands(base)]).collect();
        matmul(first, false, rows)
    };
    let program = [
        load(&[(1, 8), (2, 8)]),
        accumulate(Some(row(0, 1, &[])), true, 0),
        accumulate(None, false, 2),
        drain(&[(2, 1)]),
        matmul(false, false, vec![epilogue(1)]),
        matmul(false, false, vec![epilogue(0)]),
        HALT,
    ];
    assert!(program.iter().map(Instruction::words).sum::<usize>() <= 64);
    let mut machine = machine(&program);
    machine.write_word(0, 0, [1, 2, 3, 4, 0, 0, 0, 0]);
    machine.write_word(0, WEIGHTS / 8, [1, 0, 0, 0, 0, 0, 0, 0]);
    machine.write_word(0, WEIGHTS / 8 + 1, [10, 0, 0, 0, 0, 0, 0, 0]);
    let counters = machine.run(0, 1000).unwrap();
    let result = machine.read_word(0, RESULTS / 8);
    assert_eq!(result[..2], [5 + 2 + 40, 5 + 1 + 30]);
    assert_eq!(counters.get(Counter::Vectors), 4);
}

#[track_caller]
fn check_error(program: &[Instruction], expected: ErrorCode, at: usize) {
    let words: Vec<u32> = program.iter().flat_map(Instruction::encode).collect();
    let pc = program[..at].iter().map(Instruction::words).sum::<usize>();
    check_error_words(&words, expected, pc as u32);
}

#[track_caller]
fn check_error_words(words: &[u32], expected: ErrorCode, at: u32) {
    let mut machine = Machine::new(&params());
    machine.write_program(0, words);
    match machine.run(0, 100_000) {
        Err(MachineError::Stopped { code, pc, .. }) => {
            assert_eq!((code, pc), (expected, at));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn errors_stop_the_machine_with_their_code() {
    let vector = |address| matmul(true, true, vec![row(1, address, &[])]);
    let beyond = params().partition_bytes();
    check_error(&[load(&[]), vector(0), HALT], ErrorCode::DrainUnderflow, 0);
    check_error(&[load(&[(2, 128)]), HALT], ErrorCode::Address, 0);
    check_error(&[load(&[]), vector(beyond), HALT], ErrorCode::Address, 1);
    let prologue = matmul(true, true, vec![row(0, 2, &[])]);
    check_error(&[load(&[]), prologue, HALT], ErrorCode::Address, 1);
    let many = matmul(true, false, vec![row(1, 0, &[(17, 1)])]);
    check_error(&[load(&[]), many, HALT], ErrorCode::Address, 1);
    check_error(&[drain(&[(2, 192)]), HALT], ErrorCode::Stuck, 1);
    check_error(&[vector(0), HALT], ErrorCode::Stuck, 1);
    let mut tall = load(&[]);
    if let Instruction::LoadWeights(LoadWeights { rows, .. }) = &mut tall {
        *rows = ROWS + 1;
    }
    check_error(&[load(&[]), tall], ErrorCode::BadField, 1);
    check_error_words(&[], ErrorCode::IllegalOpcode, 0);
    check_error_words(&[0x0000_0106], ErrorCode::IllegalOpcode, 0);
    check_error_words(&[0x0000_0105], ErrorCode::BadLength, 0);
    check_error_words(&[0x0000_0207], ErrorCode::BadLength, 0);
    check_error_words(&[0x0000_0505, 1, 4], ErrorCode::BadField, 0);
    check_error_words(&[0x0000_0102], ErrorCode::BadLength, 0);
    check_error_words(&[0x0000_0202, 1], ErrorCode::BadLength, 0);
    check_error_words(&[0x0000_0402, 1, 0x10, 0], ErrorCode::BadLength, 0);
    check_error_words(&[0x0000_0201], ErrorCode::BadLength, 0);
    check_error_words(&[0x0080_0101], ErrorCode::BadField, 0);
}

#[test]
fn a_program_without_halt_ends_with_the_memory() {
    let mut machine = Machine::new(&params());
    machine.write_program(60, &load(&[]).encode());
    let error = machine.run(60, 1000).unwrap_err();
    assert_eq!(
        error.to_string(),
        "PROGRAM_END at program word 64: no word left"
    );
}

#[test]
fn a_program_that_runs_too_long_is_given_up() {
    let mut machine = machine(&[load(&[]), HALT]);
    let error = machine.run(0, 5).unwrap_err();
    assert_eq!(error, MachineError::StillRunning { cycles: 5 });
}

#[test]
fn operands_and_weights_of_one_bank_are_refused() {
    // The second LOAD_WEIGHTS reads bank 0 while 16 operands of bank 0 are streamed.
    let mut early = load(&[]);
    if let Instruction::LoadWeights(LoadWeights { record, .. }) = &mut early {
        record.rows[0].base = 0;
    }
    let operands = vec![row(1, 0, &[(16, 8)])];
    let program = [load(&[]), matmul(true, false, operands), early, HALT];
    let mut machine = machine(&program);
    let error = machine.run(0, 1000).unwrap_err();
    let pc = program[..2].iter().map(Instruction::words).sum::<usize>() as u32;
    assert_eq!(error, MachineError::BankConflict { pc, bank: 0 });
}

#[test]
fn host_bytes_pass_the_zero_codec() {
    let mut machine = Machine::new(&params());
    machine.set_host_zero(-128);
    machine.write_word(1, 3, [128, 127, 0, 255, 128, 128, 128, 129]);
    assert_eq!(
        machine.read_word(1, 3),
        [128, 127, 0, 255, 128, 128, 128, 129]
    );
    machine.set_host_zero(0);
    assert_eq!(machine.read_word(1, 3), [0, 255, 128, 127, 0, 0, 0, 1]);
}

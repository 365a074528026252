//! Copies and SYNC on the golden machine: words, clocks and errors worked out by hand.

use heddle_arch::host::Counter;
use heddle_arch::isa::{
    CopyWords, Drain, ErrorCode, Instruction, LoadWeights, Loop, Matmul, Record, RowBlock, Wait,
};
use heddle_arch::params::Params;
use heddle_arch::requantise::Scale;
use heddle_sim::machine::{Counters, Machine, MachineError, WrittenWord};

const ROWS: u32 = 2;
/// Bytes of a bank.
const BANK: u32 = 128;

fn params() -> Params {
    let text = r#"{"name": "test", "array": {"rows": 2, "cols": 2},
        "traversal": {"rows": 3, "loops": 3, "offset_bits": 16, "address_bits": 24},
        "state_buffer": {"banks": 2, "words_per_bank": 16,
          "slices": {"word_bytes": 8, "widths": [3, 5]}},
        "results_buffer": {"depth": 16}, "column_tiles": 2, "program": {"words": 64}}"#;
    Params::from_json(text).unwrap()
}

fn record(row: u8, base: u32, loops: &[(u32, u32)]) -> Record {
    let loops = loops.iter().map(|&(trips, step)| Loop {
        initial: 0,
        step,
        end: trips * step,
    });
    let block = RowBlock {
        row,
        base,
        loops: loops.collect(),
    };
    Record { rows: vec![block] }
}

fn copy(rows: u32, from: u32, to: u32, loops: &[(u32, u32)]) -> Instruction {
    Instruction::Copy(CopyWords {
        rows,
        distance: to.wrapping_sub(from) & 0xffff,
        record: record(0, from, loops),
        ..CopyWords::default()
    })
}

const NONE: Wait = Wait {
    weights: false,
    stream: false,
    drain: false,
};
const HALT: Instruction = Instruction::Halt { wait: NONE };

fn load(base: u32) -> Instruction {
    Instruction::LoadWeights(LoadWeights {
        wait: NONE,
        rows: ROWS,
        record: record(0, base, &[]),
        ..LoadWeights::default()
    })
}

/// A product whose sums go to post, or else to the results buffer.
fn matmul(last: bool, base: u32, vectors: u32) -> Instruction {
    Instruction::Matmul(Matmul {
        wait: NONE,
        rows: ROWS,
        last,
        macs: 4,
        record: record(1, base, &[(vectors, 8)]),
        ..Matmul::default()
    })
}

fn drain(base: u32) -> Instruction {
    Instruction::Drain(Drain {
        wait: NONE,
        columns: 2,
        record: record(0, base, &[]),
        ..Drain::default()
    })
}

/// A machine whose words say where they are.
fn machine(program: &[Instruction]) -> Machine {
    let mut machine = Machine::new(&params());
    let words: Vec<u32> = program.iter().flat_map(Instruction::encode).collect();
    machine.write_program(0, &words);
    for column in 0..2 {
        machine.write_scale(column, 0, Scale::new(1 << 30, 1).unwrap());
    }
    for partition in 0..ROWS {
        for word in 0..32 {
            machine.write_word(partition, word, named(partition, word));
        }
    }
    machine
}

fn named(partition: u32, word: u32) -> [u8; 8] {
    [partition as u8 + 1, word as u8, 0, 0, 0, 0, 0, 0]
}

#[track_caller]
fn check(counters: &Counters, expected: &[(Counter, u32)]) {
    for &(counter, expected) in expected {
        assert_eq!(counters.get(counter), expected, "{}", counter.name());
    }
}

#[test]
fn pet_54_a_copy_takes_the_promised_cycles() {
    let sync = Instruction::Sync {
        wait: Wait {
            weights: true,
            ..NONE
        },
    };
    let mut machine = machine(&[copy(1, 16, BANK + 8, &[(3, 8)]), sync, HALT]);
    let mut written = Vec::new();
    let counters = machine.run_watched(0, 1000, |word| match word {
        WrittenWord::Copied(copied) => written.push((copied.cycle, copied.partition, copied.word)),
        WrittenWord::Drained(drained) => panic!("{drained:?}"),
    });
    // Eight words: START in 9, addresses accepted in 13, 14, 15; the unit is idle from 15 + 2 + 6 = 23 on. SYNC is in
    // HEAD from 11 on, goes on in 23, HALT in 25.
    assert_eq!(written, [(13, 0, 17), (14, 0, 18), (15, 0, 19)]);
    let expected = [
        (Counter::Cycles, 26),
        (Counter::StallWait, 12),
        (Counter::Instructions, 3),
        (Counter::MaskReads, 3),
        (Counter::MaskWrites, 3),
        (Counter::SliceWrites(0), 3),
        (Counter::SliceWrites(1), 0),
    ];
    check(&counters.unwrap(), &expected);
    for (partition, word) in (0..ROWS).flat_map(|p| (0..32).map(move |w| (p, w))) {
        let copied = partition == 0 && (17..20).contains(&word);
        let from = if copied { word - 15 } else { word };
        assert_eq!(machine.read_word(partition, word), named(partition, from));
    }
}

#[test]
fn pet_54_a_copy_and_a_drain_wait_for_each_other() {
    let wait = Wait {
        drain: true,
        ..NONE
    };
    let program = [
        load(BANK),
        drain(64),
        matmul(true, 0, 1),
        copy(2, 64, 72, &[]),
        drain(64),
        Instruction::Halt { wait },
    ];
    let mut machine = machine(&program);
    let error = machine.run(0, 10_000).unwrap_err();
    let pc: usize = program[..5].iter().map(Instruction::words).sum();
    // The second drain gets no results: HALT waits for it for ever.
    let MachineError::Stopped { code, pc: at, .. } = error else {
        panic!("{error}");
    };
    assert_eq!((code, at), (ErrorCode::Stuck, pc as u32));
    // Operand 1 of row 0 and 2 of row 1, weights 1 and 16, 2 and 16.
    for (partition, sum) in [(0, 1 + 4), (1, 16 + 32)] {
        assert_eq!(machine.read_word(partition, 9)[0], sum);
        assert_eq!(machine.read_word(partition, 8)[0], sum);
    }

    let mut machine = self::machine(&[program[0].clone(), drain(64), matmul(true, 0, 1), HALT]);
    let alone = machine.run(0, 1000).unwrap().get(Counter::Cycles);
    let mut machine = self::machine(&[
        program[0].clone(),
        drain(64),
        matmul(true, 0, 1),
        copy(2, 64, 72, &[]),
        HALT,
    ]);
    let counters = machine.run(0, 1000).unwrap();
    // It goes on where HALT would: START 5 cycles later, its address 4 behind that, idle 8 cycles behind that.
    check(&counters, &[(Counter::Cycles, alone + 5 + 4 + 8)]);
}

#[test]
fn pet_54_copies_outside_the_memory_are_address_errors() {
    let end = 2 * BANK;
    for (from, to, copied) in [(end - 8, 0, 1), (0, end - 8, 1), (0, end, 0)] {
        let mut machine = machine(&[copy(2, from, to, &[(3, 8)]), HALT]);
        let error = machine.run(0, 1000).unwrap_err();
        let message = match from > to {
            true => "weight address is 256, expected at most 255",
            false => "destination of a copy is 256, expected at most 255",
        };
        assert_eq!(
            error.to_string(),
            format!("ADDRESS at program word 0: {message}")
        );
        let moved = (0..32).filter(|&word| machine.read_word(1, word) != named(1, word));
        assert_eq!(moved.count(), copied, "{from} to {to}");
    }
}

#[test]
fn pet_54_operands_and_words_to_be_copied_of_one_bank_are_refused() {
    let program = |from| {
        [
            load(BANK),
            matmul(false, 0, 16),
            copy(2, from, 64, &[(9, 8)]),
            HALT,
        ]
    };
    let pc = program(0)[..2]
        .iter()
        .map(Instruction::words)
        .sum::<usize>() as u32;
    let mut refused = machine(&program(0));
    assert_eq!(
        refused.run(0, 1000).unwrap_err(),
        MachineError::BankConflict { pc, bank: 0 }
    );
    // From the other bank nothing is wrong with it.
    let mut fine = machine(&program(BANK));
    check(&fine.run(0, 1000).unwrap(), &[(Counter::Vectors, 16)]);
}

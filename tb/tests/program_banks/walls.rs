//! Nothing that runs reaches the program: weights, results, copies and operands in its banks are errors.

use heddle_arch::isa::{ErrorCode, Instruction, Matmul, RowTable};
use heddle_arch::params::Params;

use crate::machines::build;
use crate::machines::pair::{End, HALT, Pair, row};
use crate::machines::{self, Machine};
use crate::rtl::OrPanic;

fn load(params: &Params, base: u32, loops: &[(u32, u32)]) -> Instruction {
    Instruction::LoadWeights(build::load(params.array.rows, base, loops))
}

fn copy(base: u32, distance: u32, words: u32) -> Instruction {
    Instruction::Copy(build::copy(2, base, base + distance, &[(words, 8)]))
}

fn matmul(base: u32, vectors: u32, entry: Option<u8>) -> Instruction {
    let rows = vec![row(0, 0, &[]), row(1, base, &[(vectors, 1)])];
    Instruction::Matmul(Matmul {
        table: entry.map(|first| RowTable {
            first_entry: first,
            last_macs: 1,
        }),
        ..build::matmul(3, rows)
    })
}

fn drain(base: u32, count: u32) -> Instruction {
    Instruction::Drain(build::drain(1, base, &[(count, 1)]))
}

/// Runs instructions on both machines: `at` is the number of the one with an ADDRESS error, if there is one. The state
/// buffer, program included, holds what is predicted, and the same program runs again.
#[track_caller]
pub fn check(pair: &mut Pair, program: &[Instruction], at: Option<usize>) {
    pair.set_zero(0);
    let end = pair.run_instructions(program).or_panic();
    match at {
        Some(at) => {
            let pc: usize = program[..at].iter().map(Instruction::words).sum();
            assert_eq!(
                end,
                End::Error(ErrorCode::Address, pc as u32),
                "{}",
                pair.place
            );
        }
        None => assert!(matches!(end, End::Halt(_)), "{}: {end:?}", pair.place),
    }
    pair.compare().or_panic();
    assert_eq!(pair.run(0, 200_000).map(|again| again == end), Ok(true));
    pair.prepare().or_panic();
}

#[proves("PET-60")]
#[test]
fn addresses_in_a_program_bank_are_errors() {
    let machine = Machine::new(machines::banked());
    let pair = &mut machine.pair(1);
    let params = pair.params();
    let (work, operands) = (params.work_bytes(), params.operand_bytes());
    let (end, bank) = (params.partition_bytes(), params.bank_bytes());
    assert!(work < operands && operands < end);

    for base in [operands, operands + 8, end - 8] {
        check(pair, &[load(params, base, &[(1, 8)]), HALT], Some(0));
        check(pair, &[drain(base, 1), HALT], Some(0));
        check(pair, &[copy(base, 0, 1), HALT], Some(0));
        // To the program, and within it.
        check(pair, &[copy(8, base - 8, 1), HALT], Some(0));
    }
    // Copies up to the last work word.
    check(pair, &[copy(8, work - 16, 1), HALT], None);
    check(pair, &[copy(8, work - 16, 2), HALT], Some(0));

    // Operands: from the input bank, then out of it.
    let product = |base, vectors| {
        [
            load(params, 0, &[(params.weight_words(), 8)]),
            drain(bank, vectors),
            matmul(base, vectors, None),
            HALT,
        ]
    };
    check(pair, &product(operands - 8, 8), None);
    check(pair, &product(operands - 8, 9), Some(2));
    for base in [operands, operands + 100, end - 1, end] {
        check(pair, &product(base, 1), Some(2));
    }
}

#[proves("PET-60")]
#[test]
fn sums_with_row_offsets_in_a_program_bank_are_errors() {
    let machine = Machine::new(machines::banked());
    let pair = &mut machine.pair(2);
    let params = pair.params();
    let (operands, bank) = (params.operand_bytes(), params.bank_bytes());
    let product = |base| {
        [
            load(params, 0, &[(params.weight_words(), 8)]),
            drain(bank, 4),
            matmul(base, 4, Some(3)),
            HALT,
        ]
    };
    for row in [0, 2] {
        for other in 0..params.array.rows {
            pair.write_row_offset(other, 3, Some(0));
        }
        let base = 2 * bank;
        // The last vector reads the last operand byte, then one after it.
        let most = (operands - 1 - 3 - base) as u16;
        for (offset, at) in [
            (most, None),
            (most + 1, Some(2)),
            (most + 4, Some(2)),
            (most + 100, Some(2)),
            (u16::MAX, Some(2)),
        ] {
            pair.write_row_offset(row, 3, Some(offset));
            check(pair, &product(base), at);
        }
    }
}

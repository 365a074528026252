//! Every error of the instruction set on the emitted machine, worked out by hand and held against
//! the golden machine.

use crate::machines;
use crate::rtl::OrPanic;
use heddle_arch::host::{CTRL_START, Register};
use heddle_arch::isa::{
    ErrorCode, Instruction, LoadWeights, Matmul, OP_COPY, OP_DRAIN, OP_LOAD_WEIGHTS, OP_MATMUL,
    RowBlock, RowTable,
};
use heddle_arch::params::{MachineUnit, Params};
use heddle_arch::requantise::Scale;

use crate::machines::Machine;
use crate::machines::build;
use crate::machines::dump::encode;
use crate::machines::pair::{End, HALT, Pair, row};

pub fn load(params: &Params, rows: u32, base: u32, tiles: u32) -> Instruction {
    let words = params.weight_words();
    Instruction::LoadWeights(build::load(rows, base, &[(words, 8), (tiles, 8)]))
}

pub fn matmul(last: bool, rows: Vec<RowBlock>) -> Instruction {
    Instruction::Matmul(Matmul {
        last,
        ..build::matmul(1, rows)
    })
}

pub fn drain(base: u32, count: u32, step: u32) -> Instruction {
    Instruction::Drain(build::drain(1, base, &[(count, step)]))
}

/// Runs words from `pc` on; checks code and program word, the state buffer, and that a good program
/// runs right afterwards.
#[track_caller]
fn check(pair: &mut Pair, pc: u32, words: &[u32], code: ErrorCode, at: u32) {
    if !words.is_empty() {
        pair.write_program(pc, words);
    }
    let end = pair.run(pc, 100_000).or_panic();
    assert_eq!(end, End::Error(code, at), "{}", pair.place);
    pair.compare().or_panic();

    // The next program: a product of two vectors, drained in the middle of a word.
    let params = pair.params();
    let operands = vec![row(0, 0, &[]), row(1, params.bank_bytes(), &[(2, 1)])];
    let good = [
        load(params, params.array.rows, 0, 1),
        drain(8 * 7 + 2, 2, 3),
        matmul(true, operands),
        HALT,
    ];
    check_halt(pair, &good);
    pair.compare().or_panic();
}

/// Runs a program that comes to its HALT.
#[track_caller]
fn check_halt(pair: &mut Pair, program: &[Instruction]) {
    let end = pair.run_instructions(program).or_panic();
    assert!(matches!(end, End::Halt(_)), "{}", pair.place);
}

/// As [`check`] for instructions from word 0 on; the error is at instruction `at`.
#[track_caller]
fn check_instructions(pair: &mut Pair, program: &[Instruction], code: ErrorCode, at: usize) {
    let pc: usize = program[..at].iter().map(Instruction::words).sum();
    check(pair, 0, &encode(program), code, pc as u32);
}

/// Runs a test on a square, a tall and a wide machine.
fn on_machines(test: impl Fn(&mut Pair)) {
    for params in [machines::tiny(), machines::tall(), machines::wide()] {
        test(&mut Machine::new(params).pair(1));
    }
}

#[test]
fn illegal_instructions_stop_with_their_code() {
    on_machines(|pair| {
        for header in [0, 0x06, 0x08, 0xff, 0x0106, 0xffff_ff08] {
            check(pair, 3, &[header], ErrorCode::IllegalOpcode, 3);
        }
        for words in [
            &[0x0002u32][..],
            &[0x0102],
            &[0x0302, 1, 0],
            &[0x0303, 1, 0],
            &[0x0201, 0],
            &[0x0001],
            &[0x0007],
            &[0x0207, 0],
            &[0x0005],
            &[0x0305, 1, 8],
            &[0x0405, 1, 8, 0],
            // Records that do not end with their instruction.
            &[0x0502, 1, 0, 0, 0],
            &[0x0602, 1, 0x10, 0, 0, 1],
            &[0x0503, 1 | 1 << 15, 0, 0, 0],
            &[0x0403, 1, 0, 0],
        ] {
            check(pair, 3, words, ErrorCode::BadLength, 3);
        }
        let params = pair.params();
        let rows = params.array.rows;
        for words in [
            [0x0008_0402, 1, 0, 0, 0],
            [0x0402, 0, 0, 0, 0],
            [0x0402, rows + 1, 0, 0, 0],
            [0x0402, 1 | 1 << 9, 0, 0, 0],
            [0x0402, 1 | 1 << 21, 0, 0, 0],
            [0x0504, 1 | 1 << 27, 0, 0, 0],
            [0x0503, 1 | 1 << 25, 0, 0, 0],
            [0x0402, 1, 1 << 8, 0, 0],
            [0x0503, rows + 1, 0, 0, 0],
            [0x0503, 1 | 1 << 15, 0, 1 << 17, 0],
            [0x0503, 1, 1 << 17, 0, 0],
            [0x0503, 1, 0, 3, 0],
            [0x0505, 0, 0, 0, 0],
            [0x0505, rows + 1, 0, 0, 0],
            [0x0505, 1 | 1 << 9, 0, 0, 0],
            [0x0505, 1 | 1 << 20, 0, 0, 0],
            [0x0505, 1, 4, 0, 0],
            [0x0505, 1, 1 << 16, 0, 0],
            [0x0504, 0, 0, 0, 0],
            [0x0504, params.lanes() + 1, 0, 0, 0],
            [0x0504, 1 | 1 << 11, 0, 0, 0],
            // With all 1024 tiles none is missing.
            [
                0x0504,
                1 | (params.column_tiles << 16 | u32::from(params.column_tiles == 1024) << 11)
                    & 0x03ff_ffff,
                0,
                0,
                0,
            ],
            [0x0504, 1, 1 << 9, 0, 0],
            [0x0504, 1, 1 << 25, 0, 0],
        ] {
            check(pair, 3, &words, ErrorCode::BadField, 3);
        }
        let placed = 1 | 1 << 10;
        for word in [params.array.cols, params.rotations() << 16, 1 << 8, 1 << 24] {
            let words = [0x0604, placed, 0, word, 0, 0];
            check(pair, 3, &words, ErrorCode::BadField, 3);
        }
        check(pair, 3, &[0x0404, placed, 0, 0], ErrorCode::BadLength, 3);
        check(pair, 3, &[0x0008_0101], ErrorCode::BadField, 3);
        check(pair, 3, &[0x8000_0107], ErrorCode::BadField, 3);
        let bits = params.traversal.address_bits;
        if bits < 32 {
            check(pair, 3, &[0x0402, 1, 0, 1 << bits], ErrorCode::BadField, 3);
        }
        let wide = 1 << params.traversal.offset_bits;
        for at in 4..7 {
            let mut words = [0x0702, 1, 0x10, 0, 0, 0, 0];
            words[at] = wide;
            check(pair, 3, &words, ErrorCode::BadField, 3);
        }
    });
}

/// A row or a level too many, and a loop too many in each row, for every instruction with a record.
#[test]
fn a_unit_has_no_more_than_its_rows_and_loops() {
    on_machines(|pair| {
        let traversal = pair.params().traversal.clone();
        for (unit, opcode, parameters, level) in [
            (MachineUnit::Weights, OP_LOAD_WEIGHTS, 1, Some(12)),
            (MachineUnit::Weights, OP_COPY, 2, None),
            (MachineUnit::Stream, OP_MATMUL, 2, Some(12)),
            (MachineUnit::Drain, OP_DRAIN, 2, Some(27)),
        ] {
            let loops = traversal.unit_loops(unit);
            let rows = match unit {
                MachineUnit::Stream => loops.len().min(3),
                _ => loops.len(),
            };
            let mut wrong = vec![(1, rows as u32)];
            wrong.extend(
                (0..)
                    .zip(&loops[..rows])
                    .map(|(row, n)| (1, row | (n + 1) << 4)),
            );
            let most = loops.iter().max().expect("a row");
            let advancing = u32::from(opcode == OP_DRAIN) << 26;
            wrong.extend(level.map(|lsb| (1 | advancing | most << lsb, 0)));
            for (first, row) in wrong {
                let mut words = vec![opcode | (parameters + 3) << 8, first];
                words.extend((1..parameters).map(|_| 0));
                words.extend([row, 0]);
                check(pair, 3, &words, ErrorCode::BadField, 3);
            }
        }
    });
}

#[test]
fn the_first_wrong_word_counts() {
    on_machines(|pair| {
        // Rows 0 in the second word, a record that is too short at the end.
        check(pair, 0, &[0x0502, 0, 0, 0, 0], ErrorCode::BadField, 0);
        check(pair, 0, &[0x0502, 1, 0, 0, 0], ErrorCode::BadLength, 0);
        // The program ends before the wrong word comes.
        let end = pair.params().program.words;
        for (word, code) in [(0, ErrorCode::ProgramEnd), (0x100, ErrorCode::BadField)] {
            check(pair, end - 3, &[0x0502, 1, word], code, end - 3);
        }
    });
}

#[test]
fn a_program_ends_with_its_memory() {
    on_machines(|pair| {
        let words = load(pair.params(), 1, 0, 1).encode();
        let end = pair.params().program.words;
        let pc = end - words.len() as u32;
        check(pair, pc, &words, ErrorCode::ProgramEnd, end);
        check(pair, end - 1, &words[..1], ErrorCode::ProgramEnd, end - 1);
        check(pair, end - 2, &words[..2], ErrorCode::ProgramEnd, end - 2);
        check(pair, end, &[], ErrorCode::ProgramEnd, end);
        check(pair, 0xffff, &[], ErrorCode::ProgramEnd, 0xffff);
    });
}

#[test]
fn addresses_outside_their_memory_stop_the_unit_that_made_them() {
    on_machines(|pair| {
        let params = pair.params();
        let (bytes, bank, depth) = (
            params.partition_bytes(),
            params.bank_bytes(),
            params.results_buffer.depth,
        );
        let weights = load(params, 1, 0, 1);
        let code = ErrorCode::Address;
        check_instructions(pair, &[load(params, 1, bytes, 1), HALT], code, 0);
        check_instructions(pair, &[load(params, 1, bytes - 8, 2), HALT], code, 0);
        let operand = |base| matmul(false, vec![row(1, base, &[(2, 1)])]);
        check_instructions(pair, &[weights.clone(), operand(bytes - 1), HALT], code, 1);
        let prologue = matmul(false, vec![row(0, params.column_tiles, &[])]);
        check_instructions(pair, &[prologue, HALT], code, 0);
        let epilogue = matmul(false, vec![row(2, depth, &[])]);
        check_instructions(pair, &[drain(bank, 1, 1), epilogue, HALT], code, 1);
        let many = matmul(false, vec![row(1, bank, &[(depth + 1, 1)])]);
        check_instructions(pair, &[weights.clone(), many, HALT], code, 1);
        // The address counts when the unit offers it, even if no result asks for it.
        check_instructions(pair, &[drain(bytes, 1, 1), HALT], code, 0);
    });
}

/// A product of two K tiles of two vectors, by row tables.
pub fn matmul_by(entry: u8, rows: u32, base: u32) -> Instruction {
    let mut instruction = matmul(false, vec![row(1, base, &[(2, 1), (2, 1)])]);
    if let Instruction::Matmul(Matmul {
        rows: of, table, ..
    }) = &mut instruction
    {
        *of = rows;
        *table = Some(RowTable {
            first_entry: entry,
            last_macs: 0,
        });
    }
    instruction
}

#[test]
fn sums_beyond_the_memory_and_entries_beyond_the_table_stop_the_stream_unit() {
    on_machines(|pair| {
        let params = pair.params();
        let (bytes, bank, rows) = (
            params.partition_bytes(),
            params.bank_bytes(),
            params.array.rows,
        );
        let code = ErrorCode::Address;
        let weights = load(params, rows, 0, 2);
        let last = (params.state_buffer.row_offsets - 1) as u8;
        // The shared address ends at bank + 2.
        let far = (bytes - bank - 3) as u16;
        for beyond in 0..rows {
            for offset in [far, far + 1, u16::MAX] {
                pair.write_row_offset(beyond, 5, Some(offset));
                let program = [weights.clone(), matmul_by(4, rows, bank), HALT];
                if offset > far {
                    check_instructions(pair, &program, code, 1);
                    // Rows behind the last one in use have no address to lose.
                    let fewer = [weights.clone(), matmul_by(4, beyond.max(1), bank), HALT];
                    if beyond > 0 {
                        check_halt(pair, &fewer);
                    }
                } else {
                    check_halt(pair, &program);
                }
            }
            pair.write_row_offset(beyond, 5, None);
        }
        let entry = [weights.clone(), matmul_by(last, rows, bank), HALT];
        check_instructions(pair, &entry, code, 1);
        check_halt(
            pair,
            &[weights.clone(), matmul_by(last - 1, rows, bank), HALT],
        );
        let entry = [weights, matmul_by(255, rows, bank), HALT];
        check_instructions(pair, &entry, code, 1);
    });
}

/// The fault comes to light when the next product has passed ISSUE: that one is named.
#[test]
fn a_late_fault_names_the_last_product() {
    on_machines(|pair| {
        let params = pair.params();
        let (bank, rows) = (params.bank_bytes(), params.array.rows);
        pair.write_row_offset(rows - 1, 1, Some(u16::MAX));
        let weights = load(params, rows, 0, 3);
        let epilogue = matmul(false, vec![row(0, 0, &[])]);
        for distance in 0..3 {
            let mut program = vec![weights.clone(), matmul_by(0, rows, bank)];
            program.extend(vec![epilogue.clone(); distance]);
            program.push(HALT);
            let end = pair.run_instructions(&program).or_panic();
            assert!(
                matches!(end, End::Error(ErrorCode::Address, _)),
                "{}: {end:?}",
                pair.place
            );
            pair.compare().or_panic();
        }
    });
}

#[test]
fn results_without_an_address_and_addresses_without_a_result() {
    on_machines(|pair| {
        let params = pair.params();
        let bank = params.bank_bytes();
        let weights = load(params, 1, 0, 1);
        let vectors = |count| matmul(true, vec![row(1, bank, &[(count, 1)])]);
        // A program without DRAIN, behind one with a DRAIN at another word.
        let code = ErrorCode::DrainUnderflow;
        check_instructions(pair, &[weights.clone(), vectors(1), HALT], code, 0);
        let short = [weights.clone(), drain(bank + 64, 5, 1), vectors(9), HALT];
        check_instructions(pair, &short, code, 1);
        let code = ErrorCode::Stuck;
        let long = [weights, drain(bank + 64, 9, 1), vectors(5), HALT];
        check_instructions(pair, &long, code, 3);
        check_instructions(pair, &[vectors(1), HALT], code, 1);
    });
}

#[test]
fn a_wait_without_progress_is_stuck_in_its_clock() {
    on_machines(|pair| {
        pair.write_program(0, &encode(&[drain(8, 1, 1), HALT]));
        let host = &mut pair.host;
        host.write(Register::StartPc.address(), 0).expect("taken");
        host.write(Register::Ctrl.address(), CTRL_START)
            .expect("taken");
        let model = host.model();
        let error = model.port("error_o").expect("the machine has error_o");
        let clocks = model.run_until(error, 1, 10_000);
        // Prime; DRAIN of eight words takes Fetch, eight clocks and Start; HALT Fetch and 4096 clocks in Issue; then a register.
        assert_eq!(clocks, Some(1 + 10 + 1 + 4096 + 1), "{}", pair.place);
        assert!(pair.await_end(1000));
        let status = pair.host.status().expect("STATUS answers");
        assert_eq!(status.error_code(), Some(ErrorCode::Stuck));
    });
}

/// A drain that is stopped in the middle of a word: bytes wait in the byte packers.
#[test]
fn a_stopped_drain_leaves_no_bytes_to_the_next_one() {
    on_machines(|pair| {
        let params = pair.params();
        let (bytes, bank) = (params.partition_bytes(), params.bank_bytes());
        // Scale 1 and a bias make every byte of the stopped drain differ from 0.
        let one = Scale::reciprocal(1);
        for column in 0..params.array.cols {
            pair.write_column(column, 0, 64, one);
        }
        for count in 1..params.results_buffer.depth {
            let operands = vec![row(0, 0, &[]), row(1, bank, &[(count, 1)])];
            let mut program = vec![
                load(params, params.array.rows, 0, 1),
                drain(8 * 7, 80, 1),
                matmul(true, operands),
                // The error, when the results have just gone to post.
                load(params, 1, bytes, 1),
                HALT,
            ];
            if let Instruction::LoadWeights(LoadWeights { wait, .. }) = &mut program[3] {
                wait.stream = true;
            }
            check_instructions(pair, &program, ErrorCode::Address, 3);
        }
    });
}

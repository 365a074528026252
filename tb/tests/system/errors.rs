//! Where errors come from: code, source and instruction of each unit in the registers.

use heddle_arch::isa::sparse::{SparseCommand, SparseLoad, UnitRegister};
use heddle_arch::isa::{self, ErrorCode, Instruction, Matmul, Wait};
use heddle_arch::params::RegisterBus;
use heddle_arch::registers::{error, error_pc};

use super::machine::{TINY, machine};
use crate::errors::{drain, load, matmul, matmul_by};
use crate::machines::build;
use crate::machines::dump::encode;
use crate::machines::pair::{End, HALT, Pair, row};
use crate::rtl::OrPanic;
use crate::sparse::machine::small;

/// Runs a program that instruction `at` of it stops.
#[track_caller]
fn check(pair: &mut Pair, program: &[Instruction], (code, source): (ErrorCode, u32), at: usize) {
    let pc: usize = program[..at].iter().map(Instruction::words).sum();
    pair.write_program(0, &encode(program));
    let end = pair.run(0, 100_000).or_panic();
    assert_eq!(end, End::Error(code, pc as u32), "{}", pair.place);
    check_registers(pair, (code, source), pc as u32);
}

#[track_caller]
fn check_registers(pair: &mut Pair, (code, source): (ErrorCode, u32), pc: u32) {
    let (model, port) = pair.host.registers().expect("a machine with registers");
    let found = [error::REGISTER, error_pc::REGISTER].map(|register| port.get(model, register));
    let expected = error::CODE.put(code.number().into()) | error::SOURCE.put(source);
    assert_eq!(found, [Ok(expected), Ok(pc)], "source {source}");
}

#[proves("PET-65")]
#[test]
fn an_error_names_the_unit_that_has_failed() {
    let mut pair = TINY.pair(1);
    let params = pair.params();
    let (bytes, bank) = (params.partition_bytes(), params.bank_bytes());
    let weights = load(params, 1, 0, 1);
    let vectors = |base| matmul(true, vec![row(1, base, &[(2, 1)])]);
    let address = ErrorCode::Address;
    let program = [weights.clone(), load(params, 1, bytes, 1), HALT];
    check(&mut pair, &program, (address, 1), 1);
    let program = [weights.clone(), vectors(bytes - 1), HALT];
    check(&mut pair, &program, (address, 2), 1);
    check(&mut pair, &[drain(bytes, 1, 1), HALT], (address, 3), 0);
    // A result without an address, and an instruction that waits for what does not come.
    let program = [weights.clone(), vectors(bank), HALT];
    check(&mut pair, &program, (ErrorCode::DrainUnderflow, 3), 0);
    let program = [weights, drain(bank, 9, 1), vectors(bank), HALT];
    check(&mut pair, &program, (ErrorCode::Stuck, 0), 3);
    // An address that the table of a row makes.
    let rows = params.array.rows;
    pair.write_row_offset(rows - 1, 5, Some(u16::MAX));
    let program = [load(params, rows, 0, 2), matmul_by(4, rows, bank), HALT];
    check(&mut pair, &program, (address, 2), 1);
    pair.write_program(0, &[0]);
    let end = pair.run(0, 1000).or_panic();
    assert_eq!(end, End::Error(ErrorCode::IllegalOpcode, 0));
    check_registers(&mut pair, (ErrorCode::IllegalOpcode, 0), 0);
    // A program that ends well leaves no error.
    pair.prepare().or_panic();
    let (model, port) = pair.host.registers().expect("a machine with registers");
    assert_eq!(port.get(model, error::REGISTER), Ok(0));
    pair.compare().or_panic();
}

#[test]
fn an_error_of_the_sparse_cluster_names_it() {
    let machine = machine(small(), RegisterBus::Axil);
    let mut pair = machine.pair(1);
    let whole = || 0..64;
    // More values than a set of the map holds.
    let commands = [
        SparseCommand::Set(
            None,
            vec![
                UnitRegister::PartRows(whole()),
                UnitRegister::PartCols(whole()),
            ],
        ),
        SparseCommand::Load(SparseLoad {
            lanes: 4,
            size: [64; 2],
            chunks: 1,
            units: 1,
            ..SparseLoad::default()
        }),
    ];
    let commands = commands.map(|command| {
        Instruction::Sparse(isa::SparseCommand {
            wait: Wait::default(),
            words: command.words(),
        })
    });
    let slots = Instruction::Matmul(Matmul {
        cluster: true,
        ..build::matmul(4, vec![row(1, 0, &[(4096, 1)])])
    });
    let [set, load] = commands;
    pair.write_program(0, &encode(&[set, load, slots, HALT]));
    let end = pair.run(0, 100_000).or_panic();
    let End::Error(ErrorCode::MapFull, pc) = end else {
        panic!("{end:?}");
    };
    check_registers(&mut pair, (ErrorCode::MapFull, 9), pc);
}

//! Tables that the host writes, in small programs on the emitted machine, worked out by hand.

use heddle_arch::isa::{Instruction, RowTable};
use heddle_arch::requantise::Scale;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::machines::build::{drain, load, matmul};
use crate::machines::pair::{End, Pair, row};
use crate::machines::{self, Machine};
use crate::rtl::{Checked, OrPanic, check_mutants, faults};

/// What row 1 has in its table.
#[derive(Debug, Clone, Copy)]
struct Case {
    /// HOST_ZERO while tables are written.
    zero: i8,
    /// Entry 0 of row 1, and what was there before.
    entries: [Option<u16>; 2],
}

/// Operands 1, 2, 3, 4 of row 0 and those of row 1, whose words are 5, 6, 7, 8 and 10, 20, 30, 40; a table adds 100 to their sums.
fn small(machine: &Machine, case: Case, expected: [u8; 4]) -> Checked {
    let mut pair = Pair::new(machine, 1, &mut ChaCha8Rng::seed_from_u64(1))?;
    pair.set_zero(case.zero);
    pair.write_row_offset(0, 0, Some(0));
    for entry in case.entries.into_iter().rev() {
        pair.write_row_offset(1, 0, entry);
    }
    pair.write_column(0, 0, 0, Scale::reciprocal(1));
    for byte in 0..=u8::MAX {
        pair.write_activation(0, byte, byte.wrapping_add(100));
    }
    pair.set_zero(0);
    pair.write_word(0, 0, [1, 2, 3, 4, 0, 0, 0, 0]);
    pair.write_word(1, 0, [5, 6, 7, 8, 0, 0, 0, 0]);
    pair.write_word(1, 1, [10, 20, 30, 40, 0, 0, 0, 0]);
    let weights = pair.params().bank_bytes();
    for partition in 0..2 {
        pair.write_word(partition, weights / 8, [1, 0, 0, 0, 0, 0, 0, 0]);
    }
    let mut product = matmul(2, vec![row(0, 0, &[]), row(1, 0, &[(4, 1)])]);
    (product.first, product.last, product.threshold) = (true, true, 127);
    product.table = Some(RowTable {
        first_entry: 0,
        last_macs: 2,
    });
    let mut results = drain(1, weights + 64, &[(4, 1)]);
    results.activation = 1;
    let program = [
        Instruction::LoadWeights(load(2, weights, &[])),
        Instruction::Drain(results),
        Instruction::Matmul(product),
        crate::machines::pair::HALT,
    ];
    let end = pair.run_instructions(&program)?;
    assert!(matches!(end, End::Halt(_)), "{case:?}");
    let words = pair.host.read_words(&[(0, weights / 8 + 8)]).unwrap();
    match words[0][..4] == expected {
        true => pair.compare(),
        false => Err(pair.message(format!("{case:?}: {:?}, expected {expected:?}", words[0]))),
    }
}

/// What tables hold does not depend on HOST_ZERO.
fn zero_points(machine: &Machine) -> Checked {
    for zero in [0, 1, 77, i8::MIN, i8::MAX] {
        let entries = [Some(8), None];
        small(machine, Case { zero, entries }, [111, 122, 133, 144])?;
    }
    Ok(())
}

/// An offset of 0 is an address, and no entry is none, whatever was there before.
fn offsets(machine: &Machine) -> Checked {
    for (entries, expected) in [
        ([Some(0), None], [106, 108, 110, 112]),
        ([Some(0), Some(8)], [106, 108, 110, 112]),
        ([None, Some(0)], [101, 102, 103, 104]),
        ([None, Some(8)], [101, 102, 103, 104]),
        ([Some(8), Some(0)], [111, 122, 133, 144]),
    ] {
        small(machine, Case { zero: 0, entries }, expected)?;
    }
    Ok(())
}

#[test]
fn what_tables_hold_does_not_depend_on_the_zero_point_of_the_host() {
    zero_points(&Machine::new(machines::pooling())).or_panic();
}

#[test]
fn an_offset_of_0_is_an_address_and_no_entry_is_none() {
    offsets(&Machine::new(machines::pooling())).or_panic();
}

#[test]
fn faults_of_tables_are_noticed() {
    let params = machines::pooling();
    let mutants = r"
        // Bytes of tables pass the zero codec too.
        heddle_host_port: assign codes = !host_addr_i[29] => assign codes = 1'b1
        // An entry that is not valid is an offset of 0.
        heddle_row_offset: has_address = entry[16] => has_address = 1'b1";
    check_mutants(
        &machines::verilog(&params),
        &faults(mutants),
        |sources, _| {
            let machine = Machine::from_verilog(params.clone(), sources);
            zero_points(&machine)?;
            offsets(&machine)
        },
    );
}

//! Registers V, X and Y of every loop, written one by one by whoever wants to.

use heddle_arch::traverse::{Row, RowKind};

use super::bench::{Bench, SMALL, Unit, loop_writes, row, starting};
use crate::rtl::{Checked, OrPanic, check_mutants, faults};

/// Three rows of three loops, each with its own steps, of two or three iterations.
fn full() -> Vec<Row> {
    let kinds = [RowKind::Prologue, RowKind::Tensor, RowKind::Epilogue];
    let rows = (0..3).zip(kinds);
    rows.map(|(n, kind)| {
        let loops: Vec<(u32, u32, u32)> = (0..3)
            .map(|c| {
                let (initial, step) = (3 + 2 * c + n, 5 + 7 * c + 3 * n);
                (initial, step, initial + step * (2 + (c + n) % 2))
            })
            .collect();
        Row {
            kind,
            ..row(n as u8, 1000 * n, &loops)
        }
    })
    .collect()
}

/// Each register alone becomes another and goes back, after a run that has left other offsets; the bench compares with
/// the golden model. Gives the number of different sequences.
fn every_register_alone(unit: &Unit, seed: u64) -> Checked<usize> {
    let rows = full();
    let mut bench = Bench::new(unit, seed);
    let mut sequences = vec![bench.run(&rows)?];
    for (number, column, register) in (0..27).map(|n| (n / 9, n / 3 % 3, n % 3)) {
        let mut changed = rows[number].clone();
        let l = &mut changed.loops[column];
        *[&mut l.initial, &mut l.step, &mut l.end][register] += 1 + column as u32;
        for row in [&changed, &rows[number]] {
            for write in loop_writes(row, column) {
                bench.write(write)?;
            }
            sequences.push(bench.collect(&starting())?);
        }
        if sequences.last() != sequences.first() {
            let text = format!("row {number}, loop {column}, register {register} stays changed");
            return Err(bench.dut.message(&text));
        }
    }
    let mut addresses: Vec<Vec<u64>> = sequences
        .iter()
        .map(|elements| elements.iter().map(|e| e.address).collect())
        .collect();
    addresses.sort();
    addresses.dedup();
    Ok(addresses.len())
}

#[proves("TTU-001", "TTU-002", "TTU-003", "TTU-017", "TTU-021")]
#[test]
fn every_register_can_be_written_alone() {
    let sequences = every_register_alone(&SMALL, 1).or_panic();
    assert_eq!(
        sequences,
        1 + 27,
        "each register gives a sequence of its own"
    );
}

#[test]
fn faults_of_the_registers_are_noticed() {
    // The steps of the two inner loops are exchanged.
    let mutants = r"
        heddle_traversal_array: (write_step_i[3*i+:3]) => ({write_step_i[3*i+2], write_step_i[3*i], write_step_i[3*i+1]})";
    check_mutants(&SMALL.sources, &faults(mutants), |sources, seed| {
        let unit = Unit {
            sources: sources.clone(),
            ..SMALL.clone()
        };
        every_register_alone(&unit, seed)
    });
}

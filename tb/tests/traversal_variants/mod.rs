//! Variants of the traversal unit: offsets stored beforehand, multipliers instead of adders. All give the sequences of
//! the golden model.

mod multipliers;

use std::sync::LazyLock;

use crate::rtl::{Checked, Dut, check_mutants, emitted, faults};
use heddle_arch::traverse::{Row, Run};
use heddle_hdl::traversal::OffsetTable;
use heddle_sim::traversal::vectors::named;
use heddle_sim::traversal::{UnitRow, UnitWalk};
use heddle_tb::verilate::Sources;
use rand::Rng;

/// Rows of the table, and its entries.
const ROWS: usize = 3;
const DEPTH: usize = 32;

static TABLE: LazyLock<Sources> = LazyLock::new(|| emitted(OffsetTable::<16>::new(ROWS, DEPTH)));

/// What the rows give: addresses, or offsets alone, and rows.
fn walk(rows: &[Row], offset_only: bool) -> Vec<(u64, u64)> {
    let rows = rows.iter().map(|row| UnitRow::of(row, 4)).collect();
    let run = Run {
        offset_only,
        ..Run::default()
    };
    let elements = UnitWalk::new(rows, run, 16, 16);
    elements.map(|e| (e.address, e.row as u64)).collect()
}

/// A design whose inputs are all low.
fn quiet(sources: &Sources, seed: u64, inputs: &str) -> Dut {
    let mut dut = Dut::new(sources, seed);
    for input in inputs.split(' ') {
        dut.set(input, false);
    }
    dut
}

fn quiet_table(sources: &Sources, seed: u64) -> Dut {
    let inputs = "clear_i base_valid_i in_valid_i replay_i ready_i";
    quiet(sources, seed, inputs)
}

/// Takes what stands at the output, until nothing is left: (address, row) and the cycles it took.
fn collect(dut: &mut Dut) -> (Vec<(u64, u64)>, usize) {
    dut.set("ready_i", true);
    let mut taken = Vec::new();
    for cycle in 0..500 {
        dut.settle();
        if dut.get("busy_o") == 0 {
            return (taken, cycle);
        }
        if dut.get("valid_o") == 1 {
            taken.push((dut.get("addr_o"), dut.get("row_o")));
        }
        dut.clock();
    }
    panic!("{}", dut.message("still busy"));
}

/// Offers one offset until it is stored; false if the table is full.
fn store(dut: &mut Dut, offset: u64, row: u64) -> bool {
    dut.set("in_valid_i", true);
    dut.set("in_offset_i", offset);
    dut.set("in_row_i", row);
    dut.settle();
    let ready = dut.get("in_ready_o") == 1;
    dut.clock();
    dut.set("in_valid_i", false);
    ready
}

fn write_base(dut: &mut Dut, row: usize, base: u64) {
    dut.set("base_row_i", row as u64);
    dut.set("base_data_i", base);
    pulse(dut, "base_valid_i");
}

/// One clock with an input high.
fn pulse(dut: &mut Dut, input: &str) {
    dut.set(input, true);
    dut.clock();
    dut.set(input, false);
}

/// Replays with random stalls; every address, row and end flag, and that nothing moves unasked.
fn replay_stalled(dut: &mut Dut, expected: &[(u64, u64)]) -> Checked {
    let mut rng = dut.rng();
    pulse(dut, "replay_i");
    let mut count = 0;
    for _ in 0..20 * (expected.len() + 5) {
        dut.set("ready_i", rng.random_bool(0.5));
        dut.settle();
        if dut.get("valid_o") == 1 {
            let Some((address, row)) = expected.get(count) else {
                return Err(dut.message("an address too many"));
            };
            dut.check("addr_o", *address)?;
            dut.check("row_o", *row)?;
            dut.check("end_o", count + 1 == expected.len())?;
            count += dut.get("ready_i") as usize;
        }
        dut.clock();
    }
    match count == expected.len() {
        true => Ok(()),
        false => Err(dut.message(&format!("{count} of {} addresses", expected.len()))),
    }
}

#[proves("TTU-052", "TTU-054")]
#[test]
fn offsets_stored_from_a_walk_replay_as_the_live_sequence() {
    let mut rows = named("TV3").rows;
    let mut table = quiet_table(&TABLE, 1);
    for (offset, row) in walk(&rows, true) {
        assert!(store(&mut table, offset, row));
    }
    table.check("stored_o", 17_u64).unwrap();
    for bases in [[0, 0, 0], [100, 2000, 30_000], [65_530, 7, 65_535]] {
        for (row, base) in bases.into_iter().enumerate() {
            write_base(&mut table, row, base);
            rows[row].base = base as u32;
        }
        let live = walk(&rows, false);
        pulse(&mut table, "replay_i");
        let (replayed, cycles) = collect(&mut table);
        assert_eq!(replayed, live);
        assert_eq!(cycles, 2 + live.len(), "one address per clock");
        replay_stalled(&mut table, &live).unwrap();
    }
}

#[proves("TTU-052")]
#[test]
fn table_stores_until_it_is_full_and_forgets_on_clear() {
    let mut dut = quiet_table(&TABLE, 1);
    pulse(&mut dut, "replay_i");
    dut.check("busy_o", false).unwrap();
    for offset in 0..DEPTH as u64 {
        assert!(store(&mut dut, offset * 3, offset % 3));
    }
    assert!(!store(&mut dut, 1, 0));
    let bases = [10, 20, 30];
    for (row, base) in bases.into_iter().enumerate() {
        write_base(&mut dut, row, base);
    }
    let expected: Vec<(u64, u64)> = (0..DEPTH as u64)
        .map(|n| (n * 3 + bases[n as usize % 3], n % 3))
        .collect();
    replay_stalled(&mut dut, &expected).unwrap();
    pulse(&mut dut, "replay_i");
    dut.clock();
    // While it replays nothing is stored.
    assert!(!store(&mut dut, 1, 0));
    pulse(&mut dut, "clear_i");
    dut.check("stored_o", 0_u64).unwrap();
    dut.check("busy_o", false).unwrap();
    assert!(store(&mut dut, 5, 1));
    replay_stalled(&mut dut, &[(25, 1)]).unwrap();
}

#[test]
fn faults_of_the_table_are_noticed() {
    let mutants = r"
        heddle_traversal_table: !valid_q | ready_i => 1'b1
        heddle_traversal_table: stored_q + 13'd1 => stored_q + 13'd2
        heddle_traversal_table: end_flag_q <= read_end_q => end_flag_q <= last
        heddle_traversal_table: row_base +  => row_base |";
    check_mutants(&TABLE, &faults(mutants), |sources, seed| {
        let mut dut = quiet_table(sources, seed);
        let mut expected = Vec::new();
        for row in 0..ROWS {
            write_base(&mut dut, row, 7 + row as u64);
        }
        for offset in [3, 1, 2, 60, 5] {
            store(&mut dut, offset, offset % 3);
            expected.push((offset + 7 + offset % 3, offset % 3));
        }
        replay_stalled(&mut dut, &expected)
    });
}

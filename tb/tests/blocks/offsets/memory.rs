//! Banks and cache lines behind the unit, counted from the addresses at its ports: 5.8.3 and 5.9.

use super::bench::Bench;
use super::driven::{Driven, Op};
use super::pins::Outputs;
use super::program;
use super::sides::{Design, Side, design};
use super::variants::VARIANTS;
use heddle_blocks::offsets::access::{Banks, line_fills};
use heddle_sim::blocks::offsets::UnitOptions;
use heddle_sim::blocks::offsets::examples::{self, Lists};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Addresses of each clock in which a row reads, in the order of the rows.
fn accesses(unit: &Driven) -> Vec<Vec<u32>> {
    let clocks = unit.trace.clocks.iter().map(Outputs::addresses);
    clocks.filter(|all| !all.is_empty()).collect()
}

/// Lines that are loaded into a cache that gives up the line that was not read for the longest time.
fn fills(accesses: &[Vec<u32>], line: u32, capacity: usize) -> u64 {
    let addresses = accesses.iter().flatten().copied();
    line_fills(addresses.map(i64::from), line, capacity)
}

/// Reads of lines, if all rows that want one line in a clock are served together.
fn merged(accesses: &[Vec<u32>], line: u32) -> usize {
    let lines = |clock: &Vec<u32>| -> BTreeSet<u32> { clock.iter().map(|a| a / line).collect() };
    accesses.iter().map(|clock| lines(clock).len()).sum()
}

/// Clocks of the bank that is wanted most, if a bank serves one row in a clock, or one address
/// (`merge`).
pub fn degree(clock: &[u32], banks: u32, merge: bool) -> usize {
    let banks = Banks {
        count: banks,
        element_bytes: 1,
        merge,
    };
    let addresses: Vec<i64> = clock.iter().copied().map(i64::from).collect();
    banks.conflict_degree(&addresses) as usize
}

#[proves("SGCR-52")]
#[test]
fn conflicts_of_5_8_3_at_the_ports_of_four_rows() {
    let mut bench = Bench::new(&VARIANTS, 1);
    let mut trace = |name: &str| {
        let unit = bench.run_one(name, program(&examples::small(), 1, 0));
        assert_eq!(unit.options.rows, 4, "{name}");
        accesses(unit)
    };
    let (broadcast, skew) = (trace("every_all"), trace("plain"));
    assert_eq!((broadcast.len(), skew.len()), (9, 12));
    let clocks = |accesses: &[Vec<u32>], banks, merge| -> usize {
        accesses
            .iter()
            .map(|clock| degree(clock, banks, merge))
            .sum()
    };
    for (banks, at_every_k, together, apart, apart_merged) in
        [(2, 2, 18, 28, 18), (4, 2, 18, 22, 12), (8, 1, 9, 22, 12)]
    {
        let degrees: Vec<_> = broadcast
            .iter()
            .map(|clock| degree(clock, banks, false))
            .collect();
        assert_eq!(degrees, [at_every_k; 9], "{banks} banks");
        assert_eq!(
            degree(&[0, 1, 4, 5], banks, false),
            at_every_k,
            "from the bases alone"
        );
        assert_eq!(clocks(&broadcast, banks, false), together, "{banks} banks");
        assert_eq!(clocks(&skew, banks, false), apart, "{banks} banks, skew");
        assert_eq!(
            clocks(&skew, banks, true),
            apart_merged,
            "{banks} banks, skew"
        );
        // With skew the degree is not the same in all clocks.
        let degrees: BTreeSet<_> = skew
            .iter()
            .map(|clock| degree(clock, banks, false))
            .collect();
        assert!(degrees.len() > 1, "{banks} banks: {degrees:?}");
    }
}

#[proves("SGCR-52")]
#[test]
fn a_conflict_holds_all_rows_until_the_banks_have_served_them() {
    let mut bench = Bench::new(&VARIANTS, 1);
    let straight = bench.run_one("every_all", program(&examples::small(), 1, 0));
    let (expected, busy) = (accesses(straight), straight.trace.busy);
    for (banks, run_clocks) in [(2, 18), (4, 18), (8, 9)] {
        let unit = bench.play("every_all", [Op::Banks(banks), Op::Start, Op::Wait]);
        let found = accesses(unit);
        // Run clocks of 5.8.3: each step for as long as its banks take, all rows together.
        assert_eq!(found.len(), run_clocks, "{banks} banks");
        assert_eq!(
            unit.trace.busy,
            busy + run_clocks as u64 - 9,
            "{banks} banks"
        );
        let each = run_clocks / 9;
        let held = expected.iter().flat_map(|step| vec![step.clone(); each]);
        assert_eq!(found, held.collect::<Vec<_>>(), "{banks} banks");
    }
}

#[proves("SGCR-36")]
#[test]
fn line_fills_of_5_9_at_the_ports_for_both_orders() {
    let mut bench = Bench::new(&VARIANTS, 1);
    let mut trace = |name: &str| accesses(bench.run_one(name, program(&examples::small(), 1, 0)));
    // Four rows at one tap, then the next tap; one row after the other.
    let (together, apart) = (trace("every_all"), trace("expand"));
    assert!(together.iter().all(|clock| clock.len() == 4));
    assert!(apart.iter().all(|clock| clock.len() == 1));
    for (lines, rows_together, rows_apart) in [(1, 16, 12), (2, 4, 10), (3, 4, 4)] {
        assert_eq!(fills(&together, 4, lines), rows_together, "{lines} lines");
        assert_eq!(fills(&apart, 4, lines), rows_apart, "{lines} lines");
    }
    assert_eq!((merged(&together, 4), merged(&apart, 4)), (18, 36));
}

/// 16 rows at once, and one row; tables for 1024 pixels.
static LARGE: LazyLock<Design> = LazyLock::new(|| {
    let options = |rows| UnitOptions {
        bases: 1024,
        offsets: 128,
        broadcast: rows > 1,
        ..UnitOptions::new(rows, 1)
    };
    design(vec![
        Side::new("sixteen", options(16)),
        Side::new("one", options(1)),
    ])
});

#[proves("SGCR-36")]
#[test]
fn line_fills_of_the_larger_case_of_5_9_at_the_ports() {
    // 34 x 34 x 8 with a filter of 3 x 3: 32 x 32 pixels, 72 taps.
    let pixels = (0..32).flat_map(|y| (0..32).map(move |x| 34 * y + x));
    let taps = (0..8).flat_map(|c| {
        let rows = (0..3).flat_map(move |v| (0..3).map(move |u| 34 * v + u));
        rows.map(move |place| 34 * 34 * c + place)
    });
    let lists = Lists::plain(&pixels.collect::<Vec<i32>>(), &taps.collect::<Vec<i32>>());
    let mut bench = Bench::new(&LARGE, 1);
    let mut trace = |name: &str| accesses(bench.run_one(name, program(&lists, 1, 0)));
    let (together, apart) = (trace("sixteen"), trace("one"));
    for (lines, rows_together, rows_apart) in [
        (4, 3072, 27648),
        (16, 3072, 27648),
        (32, 3072, 1652),
        (64, 584, 584),
        // As many lines as A spans.
        (1000, 578, 578),
    ] {
        assert_eq!(fills(&together, 16, lines), rows_together, "{lines} lines");
        assert_eq!(fills(&apart, 16, lines), rows_apart, "{lines} lines");
    }
    assert_eq!((together.len(), apart.len()), (64 * 72, 73_728));
    assert_eq!((merged(&together, 16), merged(&apart, 16)), (8832, 73_728));
}

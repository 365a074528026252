//! Rows that keep their bases: all of them are read before the first operand.

use super::bench::Bench;
use super::driven::{Driven, HEAD};
use super::pins::Step;
use super::variants::{PREFETCHED, VARIANTS};
use super::{STEPS, WEIGHTS, program};
use heddle_sim::blocks::offsets::examples::{self, Lists};

/// Steps of each row, in their order.
fn steps(unit: &Driven) -> Vec<Vec<Step>> {
    let row = |row: usize| {
        let clocks = unit.trace.clocks.iter();
        clocks.filter_map(|clock| clock.rows[row]).collect()
    };
    (0..unit.options.rows).map(row).collect()
}

/// A weight word; with a step in row 0: first row entry and channel, K tiles.
type Beside = (Option<u16>, Option<(u16, u16, bool, bool)>);

/// Weight words, and what goes with the steps of row 0.
fn beside(unit: &Driven) -> Vec<Beside> {
    let clocks = unit.trace.clocks.iter();
    let all = clocks.map(|clock| (clock.word.map(|word| word.0), clock.pass));
    all.filter(|beside| *beside != (None, None)).collect()
}

/// The asymmetric example, or as much of it as the table of bases holds: more rows than a tile has.
fn longest(bases: usize) -> Lists {
    let lists = examples::asymmetric();
    Lists {
        bases: lists.bases[..bases.min(24)].to_vec(),
        ..lists
    }
}

#[proves("SGCR-58")]
#[test]
fn every_base_is_read_before_operands_and_the_addresses_stay() {
    let mut bench = Bench::new(&VARIANTS, 1);
    for (plain, ahead) in PREFETCHED {
        let options = bench.side(plain).options;
        let lists = longest(options.bases);
        let gemm_rows = lists.bases.len();
        let tiles = gemm_rows.div_ceil(options.rows);
        assert!(tiles > 1, "{plain}");
        let outputs = 2 * options.cols as u32 + 1;
        let mut cases = vec![(lists.clone(), 0)];
        if options.running {
            cases.push((lists.steps(), STEPS));
        }
        for (lists, mode) in cases {
            let before = bench.run_one(plain, program(&lists, outputs, mode));
            let (expected, aside) = (steps(before), beside(before));
            let (offset_reads, busy) = (before.trace.offset_reads.clone(), before.trace.busy);
            // On activation: a tile of bases, not all of them.
            let read = before.trace.bases_before_operand;
            assert!(
                read.is_some_and(|read| read < gemm_rows),
                "{plain}: {read:?}"
            );
            let unit = bench.run_one(ahead, program(&lists, outputs, mode));
            let all: Vec<u16> = (0..gemm_rows as u16).collect();
            assert_eq!(unit.trace.base_reads, all, "{ahead}");
            assert_eq!(unit.trace.bases_before_operand, Some(gemm_rows), "{ahead}");
            assert_eq!(steps(unit), expected, "{ahead}, mode {mode}");
            assert_eq!(beside(unit), aside, "{ahead}, mode {mode}");
            assert_eq!(unit.trace.offset_reads, offset_reads, "{ahead}");
            // A clock more for each row tile.
            assert_eq!(unit.trace.busy, busy + tiles as u64, "{ahead}");
        }
    }
}

#[proves("SGCR-58")]
#[test]
fn a_run_takes_the_documented_clocks() {
    const {
        assert!(
            HEAD <= 5,
            "the first slot is at the head 5 clocks behind the start"
        )
    }
    let mut bench = Bench::new(&VARIANTS, 1);
    let plain = "plain plain_all steps every_all many wide";
    let ahead = "ahead ahead_all ahead_wide ahead_one ahead_before";
    for name in plain.split(' ').chain(ahead.split(' ')) {
        let options = bench.side(name).options;
        let (rows, cols) = (options.rows as u64, options.cols as u64);
        // Bases that are kept take a clock more for each load.
        let load = rows + u64::from(options.prefetch);
        for (lists, mode) in [examples::small(), longest(options.bases)]
            .iter()
            .flat_map(|lists| [(lists, 0), (lists, WEIGHTS)])
        {
            let (t, k, n) = (lists.bases.len() as u64, lists.offsets.len() as u64, 7_u64);
            let slots = match mode {
                0 => t.div_ceil(rows) * (load + n.div_ceil(cols) * k),
                _ => n.div_ceil(cols) * k.div_ceil(rows) * (load + t),
            };
            let last = if options.broadcast { 1 } else { rows };
            // Busy from the clock after the start to the last slot in the last row.
            let unit = bench.run_one(name, program(lists, 7, mode));
            assert_eq!(
                unit.trace.busy,
                HEAD - 1 + slots + last,
                "{name}, mode {mode}"
            );
        }
    }
}

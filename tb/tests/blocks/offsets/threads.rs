//! What a thread does from its first tap to its last one, and the weights beside it.

use super::bench::Bench;
use super::driven::Driven;
use super::variants::VARIANTS;
use super::{WEIGHTS, program};
use heddle_sim::blocks::offsets::Write;
use heddle_sim::blocks::offsets::examples::{self, Lists};

/// Units of both spreads, steppings and kinds of rows.
const NAMES: [&str; 9] = [
    "plain",
    "plain_all",
    "steps",
    "expand",
    "widest",
    "many",
    "before_all",
    "ahead",
    "ahead_all",
];

/// Taps of the example.
const TAPS: usize = 12;

/// As many rows of the asymmetric example as fit in all tables: 16.
fn lists() -> Lists {
    let lists = examples::asymmetric();
    Lists {
        bases: lists.bases[..16].to_vec(),
        ..lists
    }
}

/// Operands that each thread has read.
fn reads(unit: &Driven, column_tiles: usize) -> Vec<usize> {
    let rows = unit.options.rows;
    let mut reads = vec![0; 16_usize.next_multiple_of(rows)];
    for row in 0..rows {
        let steps = unit.trace.clocks.iter().filter_map(|clock| clock.rows[row]);
        for (number, step) in steps.enumerate() {
            let thread = number / (TAPS * column_tiles) * rows + row;
            reads[thread] += usize::from(step.address.is_some());
        }
    }
    reads
}

#[proves("SGCR-14")]
#[test]
fn a_thread_has_k_steps_for_each_column_tile_and_the_run_is_done() {
    let mut bench = Bench::new(&VARIANTS, 1);
    for name in NAMES {
        let options = bench.side(name).options;
        let outputs = 2 * options.cols as u32 + 1;
        let unit = bench.run_one(name, program(&lists(), outputs, 0));
        let tiles = 16_usize.div_ceil(options.rows);
        for row in 0..options.rows {
            let steps: Vec<_> = unit
                .trace
                .clocks
                .iter()
                .filter_map(|clock| clock.rows[row])
                .collect();
            // No step less and no step more in any pass.
            assert_eq!(steps.len(), tiles * 3 * TAPS, "{name}, row {row}");
            for pass in steps.chunks(TAPS) {
                let flags: Vec<_> = pass.iter().map(|step| (step.first, step.last)).collect();
                let expected: Vec<_> = (0..TAPS).map(|k| (k == 0, k == TAPS - 1)).collect();
                assert_eq!(flags, expected, "{name}, row {row}");
            }
        }
        // K operands for each thread and column tile; none for rows without a thread.
        let mut expected = vec![3 * TAPS; 16];
        expected.resize(16_usize.next_multiple_of(options.rows), 0);
        assert_eq!(reads(unit, 3), expected, "{name}");
        // Done once, behind the last step, and nothing after it.
        let clocks = &unit.trace.clocks;
        assert_eq!(unit.trace.done, (1, clocks.len()), "{name}");
        let last = clocks.last().and_then(|clock| clock.rows[options.rows - 1]);
        assert!(last.is_some_and(|step| step.last), "{name}");
    }
}

#[proves("SGCR-16", "SGCR-53")]
#[test]
fn the_weight_address_grows_by_one_with_every_step_alone() {
    let mut bench = Bench::new(&VARIANTS, 1);
    for (name, mode) in NAMES.iter().flat_map(|name| [(name, 0), (name, WEIGHTS)]) {
        let options = bench.side(name).options;
        let mut writes = program(&lists(), 3 * options.cols as u32, mode);
        writes.push(Write::register(1, 0xfff0));
        let clocks = &bench.run_one(name, writes).trace.clocks;
        // A row tile begins anew; weights that stay are asked for once, each for its row.
        let (length, walks) = match mode {
            0 => (3 * TAPS, 16_usize.div_ceil(options.rows)),
            _ => (3 * TAPS.next_multiple_of(options.rows), 1),
        };
        let walk: Vec<u16> = (0..length as u16).map(|n| n.wrapping_add(0xfff0)).collect();
        let words: Vec<_> = clocks.iter().filter_map(|clock| clock.word).collect();
        let addresses: Vec<u16> = words.iter().map(|word| word.0).collect();
        assert_eq!(addresses, walk.repeat(walks), "{name}, mode {mode}");
        match mode {
            0 => assert!(
                clocks
                    .iter()
                    .all(|c| c.word.is_some() == c.rows[0].is_some())
            ),
            _ => assert!(
                words
                    .iter()
                    .zip(0..)
                    .all(|(word, n)| usize::from(word.1) == n % options.rows)
            ),
        }
    }
}

//! The index of a list stepped before the read or after it: two builds, one trace.

use super::bench::Bench;
use super::driven::Driven;
use super::pins::Outputs;
use super::variants::{STEPPED_BEFORE, VARIANTS};
use super::{MASKS, STEPS, WEIGHTS, program};
use heddle_sim::blocks::offsets::Stepping;
use heddle_sim::blocks::offsets::examples::{self, Lists};

/// What a run has shown: all outputs clock by clock, the reads of both tables, its clocks.
type Shown = (Vec<Outputs>, Vec<u16>, Vec<u16>, u64);

fn shown(unit: &Driven) -> Shown {
    let trace = &unit.trace;
    (
        trace.clocks.clone(),
        trace.base_reads.clone(),
        trace.offset_reads.clone(),
        trace.busy,
    )
}

#[test]
fn sgcr_13_both_steppings_give_one_trace_of_every_worked_example() {
    let mut bench = Bench::new(&VARIANTS, 1);
    let layouts = examples::LAYOUTS.map(|layout| Lists::plain(&layout.bases, &layout.offsets));
    let signed = Lists::plain(&examples::LAYOUTS[2].bases, &examples::LAYOUTS[2].steps);
    let mut cases = vec![
        (examples::small(), 0),
        (examples::asymmetric(), 0),
        (examples::bordered(), 0),
        (examples::padded(), MASKS),
        (examples::small().steps(), STEPS),
        (signed, STEPS),
    ];
    cases.extend(layouts.map(|lists| (lists, 0)));
    for (after, before) in STEPPED_BEFORE {
        assert_eq!(bench.side(before).options.stepping, Stepping::BeforeRead);
        let built = bench.side(after).options;
        let steps = if built.running { 0 } else { STEPS };
        let unbuilt = steps | if built.taps > 0 { 0 } else { MASKS };
        for (lists, mode) in cases.iter().filter(|case| case.1 & unbuilt == 0) {
            for mode in [*mode, mode | WEIGHTS] {
                let program = program(lists, 3 * built.cols as u32, mode);
                let expected = shown(bench.run_one(after, program.clone()));
                let found = shown(bench.run_one(before, program));
                assert!(!found.0.is_empty() && !found.1.is_empty() && !found.2.is_empty());
                assert_eq!(found, expected, "{before}, mode {mode}");
            }
        }
    }
}

//! The golden models of the offset unit and the GEMM core against the worked examples of the
//! specification.

mod core;
mod examples;
mod sizes;
mod unit;

use heddle_sim::offsets::examples::Lists;
use heddle_sim::offsets::{OffsetState, UnitOptions, Write};

/// Weight stationary.
const WEIGHTS: u32 = 1;
/// Offsets are steps.
const STEPS: u32 = 2;
/// Masks are used.
const MASKS: u32 = 4;

/// A unit with everything.
fn options(rows: usize, cols: usize) -> UnitOptions {
    UnitOptions {
        taps: 4,
        running: true,
        expand: true,
        ..UnitOptions::new(rows, cols)
    }
}

/// Writes that load the lists and the registers of a run.
fn program(lists: &Lists, outputs: u32, mode: u32) -> Vec<Write> {
    let mut writes = lists.writes(0, 0);
    let registers = [
        (0, 0),
        (1, 0),
        (2, lists.bases.len() as u32),
        (3, lists.offsets.len() as u32),
        (4, outputs),
        (5, 0),
        (6, 0),
        (7, 0),
        (8, mode),
    ];
    writes.extend(registers.map(|(index, value)| Write::register(index, value)));
    writes
}

/// A unit with loaded lists.
fn loaded(options: &UnitOptions, lists: &Lists, outputs: u32, mode: u32) -> OffsetState {
    let mut state = OffsetState::new(options);
    for write in program(lists, outputs, mode) {
        assert_eq!(state.write(&write, false), None);
        assert!(!state.refused, "{write:?}");
    }
    state
}

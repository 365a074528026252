//! The emitted offset unit against its golden model: every output of many variants in every clock,
//! every read of their tables, and the worked examples of the specification.

mod bench;
mod driven;
mod expander;
mod faults;
mod memory;
mod pins;
mod prefetch;
mod random;
pub mod sides;
mod threads;
mod variants;
mod worked;
mod writes;

use heddle_sim::blocks::offsets::Write;
use heddle_sim::blocks::offsets::examples::Lists;

/// Weight stationary.
const WEIGHTS: u32 = 1;
/// Offsets are steps.
const STEPS: u32 = 2;
/// Masks are used.
const MASKS: u32 = 4;

/// Registers of a run: counts, mode; the lists begin at entry 0, both origins are 0.
fn registers(rows: usize, taps: usize, outputs: u32, mode: u32) -> Vec<Write> {
    let values = [0, 0, rows as u32, taps as u32, outputs, 0, 0, 0, mode];
    let registers = (0..).zip(values);
    registers
        .map(|(index, value)| Write::register(index, value))
        .collect()
}

/// Tables and registers of a run.
fn program(lists: &Lists, outputs: u32, mode: u32) -> Vec<Write> {
    let mut writes = lists.writes(0, 0);
    writes.extend(registers(
        lists.bases.len(),
        lists.offsets.len(),
        outputs,
        mode,
    ));
    writes
}

//! Programs in banks of the state buffer, on emitted machines: they run as from a memory of their own, nothing but the host
//! reaches them, and the prefetch begins and ends with the run.

mod prefetch;
mod runs;
pub mod walls;

use crate::machines;
use heddle_arch::params::{Params, ProgramMemory};

/// So many rows, two columns, banks of plain memory, of which the program takes one or two.
fn rows(rows: u32) -> Params {
    let mut params = machines::tiny();
    params.name = format!("rows_{rows}");
    params.array.cols = 2;
    params.array.rows = rows;
    params.state_buffer.banks = 4;
    params.state_buffer.slices.plain = true;
    params.program.words = 1024;
    params.program.memory = ProgramMemory::Banks;
    params.validate().expect("two other banks are left");
    params
}

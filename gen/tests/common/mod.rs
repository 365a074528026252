//! Small blocks that between them use everything a kernel may contain.

pub mod cells;
pub mod counts;
pub mod fifo;
pub mod grids;
pub mod lanes;
pub mod machine;
pub mod operators;

use heddle_gen::{Design, EmitOptions, emit};
use heddle_kernel::prelude::*;

/// Prints a block with fixed options.
pub fn print(block: &dyn Block) -> Design {
    emit(block, &options()).expect("the block is legal")
}

/// Fixed options, so that golden files never change by themselves.
pub fn options() -> EmitOptions {
    EmitOptions {
        configuration: "test".into(),
        version: "0.0.0".into(),
        ..EmitOptions::default()
    }
}

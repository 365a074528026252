//! Prints a rust-hdl block tree as Verilog-2005.
//!
//! A compiler in small passes: [`walk`](mod@walk) keeps each structurally different block once,
//! `nets` packs arrays, `kernel` and `widths` translate kernels to expressions of exact width,
//! `check` and `loops` refuse what is not hardware, `schedule` decides between `assign`,
//! `always @*` and registers, `assemble`, `clocked`, `hoist`, `reroll` and `unused` build the
//! contents of a module, `print` writes it. Start reading at [`emit`].
//!
//! The crate turns values into values: it opens no files, and equal blocks give equal bytes.

mod assemble;
mod cells;
mod chains;
mod check;
mod clocked;
mod design;
mod emit;
mod error;
mod expr;
mod header;
mod hoist;
mod ir;
mod kernel;
mod loops;
mod names;
mod nets;
mod path;
mod polarity;
mod print;
mod reroll;
mod schedule;
mod text;
mod unused;
mod walk;
mod widths;

pub use design::{
    Design, Direction, EmitOptions, Module, Port, RAM_NAME, RAM_TEXT, Reset, ResetLevel, sha256,
};
pub use emit::emit;
pub use error::{EmitError, Fault};

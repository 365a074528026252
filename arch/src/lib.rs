//! The vocabulary of Heddle: parameters of a machine, its instruction set, its host port, the
//! and the arithmetic of its results.
//!
//! Everything here turns values into values. This crate opens no file, knows no Verilog and no
//! simulator; all other crates build on it. Start with [`Params`] for what can be configured and
//! with [`isa`] for what the machine executes; `docs/isa.md` and `docs/machine.md` are the
//! documents behind both.

#[macro_use]
mod numbered;

pub mod bench;
pub mod clocks;
pub mod fault;
pub mod host;
pub mod identity;
pub mod image;
pub mod isa;
pub mod job;
pub mod json;
pub mod offsets;
pub mod params;
pub mod python;
pub mod registers;
pub mod requantise;
mod rules;
pub mod transfer;
pub mod traverse;
pub mod word;

pub use clocks::Clocks;
pub use fault::{ConfigErrors, Fault};
pub use host::{ColumnSelect, Counter, Register, Status};
pub use isa::{ErrorCode, Instruction, IsaError, Loop, Record, RowBlock, Wait};
pub use params::Params;
pub use requantise::{Rounding, Scale};

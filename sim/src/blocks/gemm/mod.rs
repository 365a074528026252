//! The GEMM core: results by the tables, not by a convolution.
//!
//! [`core`](mod@core) has the memories and what a start gives, [`banks`] the clocks of a step when the rows
//! share a banked memory. Written from docs/offsets.md and the specification.

pub mod banks;
pub mod core;

pub use core::{GemmModel, GemmOptions, GemmRefusal, GemmResult, GemmRun};

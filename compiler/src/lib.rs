//! From a quantised network to what a machine needs to run it: instructions, column parameters and
//! a state-buffer image.
//!
//! [`compile`] is the way in; its result, [`Program`], is complete: a host writes `image`,
//! `columns` and `words`, then for every layer starts at its program counter. [`TensorPlan`] packs
//! an input into host words and unpacks an output.
//!
//! The rules that everything here keeps:
//! - Activations and weights never share a bank, so that no two streams meet at a read port.
//! - Every plane row starts at a whole word and its halos are zeros that nobody writes after the
//!   image: results are written as whole words, never read, modified and written.
//! - Every tensor has its own place; nothing is reused.
//!
//! Apart from that are [`nest`], loop nests as a user writes them, for the stand-alone traversal unit,
//! [`slices`], which finds the slices of a memory that suit its words, and [`offsets`], tables that
//! find the operands of a GEMM in a tensor.
//!
//! This crate opens no file and knows no simulator.

mod error;
mod layer;
mod loops;
pub mod nest;
pub mod offsets;
mod place;
mod program;
pub mod slices;
mod tensor;
mod weights;

pub use error::{CompileError, Memory, Shortage};
pub use program::{ColumnParam, LayerPlan, Program, compile};
pub use tensor::TensorPlan;

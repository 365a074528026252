//! From a quantised network to what a machine needs to run it: instructions, column parameters and
//! a state-buffer image.
//!
//! [`compile`] is the way in; its result, [`Program`], is complete: a host writes `image`,
//! `row_offsets`, `columns` and `words`, then starts each of `runs` at its program counter. [`TensorPlan`] packs
//! an input into host words and unpacks an output.
//!
//! The rules that everything here keeps:
//! - Activations and weights never share a bank, so that no two streams meet at a read port.
//! - Every plane row starts at a whole word and its halos are zeros that nobody writes after the
//!   image: results are written as whole words, never read, modified and written.
//! - Tensors that are not needed at the same time may share memory, but a word that is written for one
//!   is never the halo of another.
//! - Every channel lies in one partition, but for the input of a network whose first layer has its taps
//!   laid over the rows ([`Mapping::Flattened`]): the host writes it wherever a tap needs it. Around a depthwise layer that
//!   makes two rows at a time ([`Mapping::Toeplitz`]) every row of a channel does ([`RowOrder`]).
//!
//! Networks of matrices keep the first rule for what is read at the same time, and lie as [`matrix`] says.
//!
//! Apart from that are [`nest`], loop nests as a user writes them, for the stand-alone traversal unit,
//! [`slices`], which finds the slices of a memory that suit its words, and [`offsets`], tables that
//! find the operands of a GEMM in a tensor, [`matrix`], products and transposes of matrices in the state buffer,
//! and [`activation`], tables of activation functions.
//!
//! This crate opens no file and knows no simulator.

pub mod activation;
mod allocate;
mod choose;
mod column_run;
mod cycles;
mod error;
mod file;
mod flatten;
mod graph;
mod layer;
mod loops;
mod mapping;
mod matrices;
pub mod matrix;
pub mod nest;
pub mod offsets;
mod orders;
mod place;
mod program;
mod row_pairs;
mod row_tables;
mod schedule;
pub mod slices;
mod sync;
mod tensor;
mod walk;
mod weights;

pub use error::{CompileError, Memory, Shortage};
pub use file::{FileError, program_schema};
pub use graph::{Graph, Node, Place};
pub use mapping::{Mapping, MappingChoice, MappingCost, Options};
pub use matrices::{IdentitySource, MatrixOptions};
pub use program::{ColumnParam, LayerPlan, Program, RunPlan, compile, compile_with};
pub use schedule::{Dependency, Reason, Schedule, Step, Unit};
pub use sync::SyncCount;
pub use tensor::{MatrixTensor, RowOrder, TensorPlan};

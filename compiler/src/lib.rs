//! From a quantised network to what a machine needs to run it: instructions, column parameters and
//! a state-buffer image.
//!
//! [`compile`] is the way in; its result, [`Program`], is complete: a host writes what `once` has, then starts each of `runs` at its
//! program counter. If not everything fits at once, it also writes the load of each of `segments` before its first run. [`TensorPlan`] packs
//! an input into host words and unpacks an output.
//!
//! A network goes through five stages, each a folder that knows only those before it: `ir` makes operations of the layers,
//! `map` lists the ways that each of them can take through the array and what it costs, `place` gives addresses to the
//! cheapest one that fits, `schedule` makes instructions and says which must wait for which, `emit` makes words of them.
//! All of them build on `layout`, places of elements, and `product`, the work of one operation on the array.
//!
//! The rules that everything here keeps:
//! - Activations and weights never share a bank, so that no two streams meet at a read port.
//! - Every plane row starts at a whole word and its halos are zeros that nobody writes after the
//!   image: results are written as whole words, never read, modified and written.
//! - Tensors that are not needed at the same time may share memory, but a word that is written for one
//!   is never the halo of another.
//! - Every channel lies in one partition, but for the input of a network whose first layer has its taps
//!   laid over the rows ([`Mapping::Flattened`]): the host writes it wherever a tap needs it. Around a depthwise layer that
//!   makes two rows ([`Mapping::Toeplitz`]) or blocks ([`Mapping::Blocks`]) at a time every pixel of a channel does ([`PixelOrder`]).
//!
//! Networks of matrices keep the first rule for what is read at the same time, and lie as [`matrix`] says.
//!
//! Apart from that are [`nest`], loop nests as a user writes them, for the stand-alone traversal unit,
//! [`slices`], which finds the slices of a memory that suit its words, and [`offsets`], tables that
//! find the operands of a GEMM in a tensor, [`matrix`], products and transposes of matrices in the state buffer,
//! [`activation`], tables of activation functions, and [`sparse`], layers on the sparse cluster.
//!
//! This crate opens no file and knows no simulator.

pub mod activation;
mod cost;
mod cutter;
mod dump;
mod emit;
mod engine;
mod error;
mod exact;
mod file;
pub mod fit;
mod ir;
mod job;
mod layout;
mod loops;
mod map;
pub mod nest;
pub mod offsets;
mod options;
mod pieces;
mod place;
mod product;
mod rule;
mod schedule;
mod segments;
pub mod slices;
pub mod sparse;
mod table;

use heddle_arch::params::Params;
use heddle_network::Network;

use job::{Found, Job};

pub use cutter::compile_in_pieces;
pub use dump::{Stage, dump};
pub use emit::{ColumnParam, LayerPlan, Load, Program, RunPlan, Segment, SyncCount};
pub use error::{CompileError, Memory, Shortage};
pub use exact::{Difference, DualSum};
pub use file::{FileError, program_schema};
pub use ir::{Graph, Node, Place};
pub use layout::{MatrixTensor, Phases, PixelOrder, TensorPlan};
pub use map::{MappingChoice, MappingCost, Missed};
pub use options::{IdentitySource, MatrixOptions, Options};
pub use pieces::Pieces;
pub use product::{Mapping, matrix};
pub use rule::{Engine, EngineChoice, EngineOptions, EnginePolicy, Rule, Zeros, classify};
pub use schedule::{Dependency, Reason, Schedule, Step, Unit};
pub use table::Table;

/// Compiles a network for a machine.
///
/// # Errors
/// [`CompileError`]: the machine lacks traversal rows or loops, or memory.
pub fn compile(network: &Network, params: &Params) -> Result<Program, CompileError> {
    compile_with(network, params, Options::default())
}

/// Compiles a network for a machine.
///
/// # Errors
/// As [`compile`].
pub fn compile_with(
    network: &Network,
    params: &Params,
    options: Options,
) -> Result<Program, CompileError> {
    compile_for(network, params, options, &[])
}

/// Compiles a network whose tensors have these zeros, as far as they are known: the input, then the output of each layer.
///
/// # Errors
/// As [`compile`]; or [`CompileError::Engine`].
pub fn compile_for(
    network: &Network,
    params: &Params,
    options: Options,
    zeros: &[Option<Zeros>],
) -> Result<Program, CompileError> {
    compile_and_compare(network, params, options, zeros).map(|compiled| compiled.program)
}

/// A program, and what the machine is too small for.
#[derive(Debug)]
pub struct Compiled {
    /// The program.
    pub program: Program,
    /// Faster ways that do not fit.
    pub missed: Vec<Missed>,
    /// Why the network is cut into segments, if it is.
    pub cut: Option<CompileError>,
}

/// Compiles a network, and says what the machine is too small for: faster ways, and all layers at once.
///
/// # Errors
/// As [`compile_for`].
pub fn compile_and_compare(
    network: &Network,
    params: &Params,
    options: Options,
    zeros: &[Option<Zeros>],
) -> Result<Compiled, CompileError> {
    let job = Job::new(network, params, options, zeros);
    let (found, cut) = job.found(&ir::constants(network, params)?)?;
    compiled(network, found, cut)
}

/// The program of a network that was found.
fn compiled(
    network: &Network,
    found: Found,
    cut: Option<CompileError>,
) -> Result<Compiled, CompileError> {
    let Some(program) = found.program else {
        return Err(found.least_special());
    };
    let taken = found.errors.len();
    Ok(Compiled {
        program,
        missed: map::missed(network, &found.candidates, taken, &found.errors),
        cut,
    })
}

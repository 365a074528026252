//! From a quantised network to what a machine needs to run it: instructions, column parameters and
//! a state-buffer image.
//!
//! [`compile`] is the way in; its result, [`Program`], is complete: a host writes `image`,
//! `row_offsets`, `columns` and `words`, then starts each of `runs` at its program counter. [`TensorPlan`] packs
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
mod dump;
mod emit;
mod engine;
mod error;
mod exact;
mod file;
pub mod fit;
mod ir;
mod layout;
mod loops;
mod map;
pub mod nest;
pub mod offsets;
mod options;
mod place;
mod product;
mod rule;
mod schedule;
pub mod slices;
pub mod sparse;
mod table;

use heddle_arch::network::Network;
use heddle_arch::params::Params;

pub use dump::{Stage, dump};
pub use emit::{ColumnParam, LayerPlan, Program, RunPlan, SyncCount};
pub use error::{CompileError, Memory, Shortage};
pub use exact::{Difference, DualSum};
pub use file::{FileError, program_schema};
pub use ir::{Graph, Node, Place};
pub use layout::{MatrixTensor, Phases, PixelOrder, TensorPlan};
pub use map::{MappingChoice, MappingCost, Missed};
pub use options::{IdentitySource, MatrixOptions, Options};
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
    compile_and_compare(network, params, options, zeros).map(|(program, _)| program)
}

/// Compiles a network, and says which faster ways the machine is too small for.
///
/// # Errors
/// As [`compile_for`].
pub fn compile_and_compare(
    network: &Network,
    params: &Params,
    options: Options,
    zeros: &[Option<Zeros>],
) -> Result<(Program, Vec<Missed>), CompileError> {
    let mut options = options;
    if options.engines.policy == EnginePolicy::Sparse {
        // The cluster reads planes.
        options.mapping = options.mapping.or(Some(Mapping::Channel));
    }
    let constants = ir::constants(network, params)?;
    let candidates = candidates(network, &constants, params, options)?;
    let (program, errors) = first_fit(network, (&constants, &candidates), params, (options, zeros));
    match program {
        Some(program) => {
            let missed = map::missed(network, &candidates, errors.len(), &errors);
            Ok((program, missed))
        }
        None => Err(least_special(&candidates, errors)),
    }
}

/// The combinations of mappings of a network.
fn candidates(
    network: &Network,
    constants: &ir::Constants,
    params: &Params,
    options: Options,
) -> Result<map::Candidates, CompileError> {
    let lack = |candidate: &map::Candidate| match place::place(network, candidate, options, params)
    {
        Ok(_) => 0,
        Err(CompileError::DoesNotFit { shortages, .. }) => {
            shortages.iter().map(Shortage::share).sum()
        }
        Err(_) => u64::MAX,
    };
    map::candidates(network, constants, params, options, &lack)
}

/// The program of the first combination of mappings that fits, and why those before it do not.
fn first_fit(
    network: &Network,
    (constants, candidates): (&ir::Constants, &map::Candidates),
    params: &Params,
    (options, zeros): (Options, &[Option<Zeros>]),
) -> (Option<Program>, Vec<CompileError>) {
    let mut errors = Vec::new();
    for (chosen, candidate) in candidates.all[..candidates.asked].iter().enumerate() {
        let program = place::place(network, candidate, options, params).and_then(|placement| {
            let engines = engine::choose(network, candidate, options.engines, zeros, params)?;
            let chosen = (candidate, &engines);
            let schedule = schedule::schedule(network, chosen, &placement, options, params)?;
            let chosen = (constants, candidate, &engines);
            emit::emit(network, chosen, placement, schedule, options, params)
        });
        match program {
            Ok(mut program) => {
                let choices = map::choices(network, candidates, chosen);
                for (layer, choice) in program.layers.iter_mut().zip(choices) {
                    if layer.engine_of() == Engine::Dense {
                        layer.choice = choice.unwrap_or_else(|| layer.choice.clone());
                    }
                }
                return (Some(program), errors);
            }
            Err(error) => errors.push(error),
        }
    }
    (None, errors)
}

/// What the combination without anything special lacks.
fn least_special(candidates: &map::Candidates, errors: Vec<CompileError>) -> CompileError {
    let tried = candidates.all.iter().zip(errors);
    let least = tried.min_by_key(|(candidate, _)| candidate.switches.count());
    least.expect("at least one is asked for").1
}

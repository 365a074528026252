//! From a quantised network to what a machine needs to run it: instructions, column parameters and
//! a state-buffer image.
//!
//! [`compile`] is the way in; its result, [`Program`], is complete: a host writes what `once` has, then starts each of `runs` at its
//! program counter. If not everything fits at once, it also writes the load of each of `segments` before its first run. [`TensorPlan`] packs
//! an input into host words and unpacks an output.
//!
//! A network goes through six stages, each a folder that knows only those before it: `ir` makes operations of the layers, `split` cuts
//! layers that do not fit by themselves, or leaves them to the host, `choose` takes the ways through the array that fit and take the fewest clocks, `memory` gives
//! addresses, `schedule` makes instructions and says which must wait for which, `emit` makes words of them.
//! All of them build on `layout`, places of elements, `product`, the work of one operation on the array, and `ways`, what it costs.
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
//! [`Program::rows`] says what became of each layer, [`needs`] what layers need of any machine.
//!
//! Apart from that are [`matrix`], products and transposes of matrices in the state buffer, [`sparse`], layers on the sparse cluster, and
//! [`fit`], the memories that a network needs.
//!
//! This crate opens no file and knows no simulator.

#[cfg(test)]
#[macro_use]
extern crate heddle_proves;

mod choose;
mod cost;
mod emit;
mod engine;
mod error;
mod exact;
mod file;
pub mod fit;
mod image;
mod ir;
mod layout;
mod loops;
mod memory;
mod options;
mod pieces;
mod product;
mod rows;
mod rule;
mod schedule;
pub mod sparse;
mod split;
mod table;
mod traversal;
mod waste;
mod ways;

use heddle_arch::params::Params;
use heddle_network::Network;

pub use choose::{MappingChoice, Missed};
pub use emit::{ColumnParam, Compiled, LayerPlan, Load, Program, RunPlan, Segment, SyncCount};
pub use error::{CompileError, Memory, Shortage};
pub use exact::{Difference, DualSum};
pub use file::{FileError, program_schema};
pub use image::{NoImage, Range, Real, UserForm, image};
pub use ir::{Graph, Need, Node, Place, needs};
pub use layout::{MatrixTensor, Phases, PixelOrder, TensorPlan};
pub use memory::HostTensor;
pub use options::{Cuts, IdentitySource, MatrixOptions, Options, Stage};
pub use pieces::Pieces;
pub use product::{Mapping, matrix};
pub use rows::{Clocks, Counted, Exactness, Row, Rows, RunsOn};
pub use rule::{Engine, EngineChoice, EngineOptions, EnginePolicy, Rule, Zeros, classify};
pub use schedule::{Dependency, Part, Reason, Schedule, Step, Unit};
pub use table::Table;
pub use waste::{Waste, wasted};
pub use ways::MappingCost;

/// `heddle_layout.py`: places of tensors and layers of the host, for whoever runs programs in Python.
pub const LAYOUT: &str = include_str!("heddle_layout.py");

/// Compiles a network for a machine.
///
/// # Errors
/// [`CompileError`]: the machine is too small for the network or for a layer, or lacks what a layer needs.
pub fn compile<'n>(
    network: &'n Network,
    machine: &Params,
    options: &Options,
) -> Result<Compiled<'n>, CompileError> {
    let options = &options.settled();

    // Operations, exact constants, and what the host runs.
    let graph = ir::lower(network, machine, options)?;
    // A layer is cut, or left to the host, only if it does not fit alone.
    let (graph, choice) = split::until_each_fits(graph, machine, options, |graph| {
        choose::fewest_clocks(graph, machine, options)
    })?;
    let ways = |stage| match options.tables == Some(stage) {
        true => choose::tables(&graph.network, &choice),
        false => Vec::new(),
    };
    let Some((fit, engines)) = &choice.taken else {
        let ways = ways(Stage::Map);
        return Err(choice.least_special().with_ways(ways));
    };
    let candidate = choice.candidate();
    let placed = memory::place(&graph, candidate, fit, options, machine)?;
    let chosen = (candidate, engines);
    let schedule = schedule::schedule(&graph, chosen, &placed, options, machine)?;
    let tables = match options.tables {
        Some(Stage::Place) => memory::tables(&graph, candidate, &placed, machine),
        _ => ways(Stage::Map),
    };
    let compiled = emit::emit(graph, &choice, placed, schedule, options, machine)?;
    Ok(Compiled { tables, ..compiled })
}

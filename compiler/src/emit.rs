//! The program: instructions that wait where they must, as words, and what the host writes.

mod cluster;
mod image;
mod load;
mod loads;
mod program;
mod runs;
mod sync;

use std::borrow::Cow;

use heddle_arch::isa::Instruction;
use heddle_arch::params::Params;
use heddle_network::Network;

use crate::choose::{Choice, MappingChoice, Missed, choices, missed};
use crate::cost::{alone, operand_slots, tensor_slots};
use crate::engine::Engines;
use crate::error::CompileError;
use crate::ir::{Lowered, Operation};
use crate::memory::Placement;
use crate::options::Options;
use crate::schedule::Schedule;
use crate::table::Table;
use crate::ways::{Candidate, MappingCost};
pub use load::{ColumnParam, Load, Segment};
pub use program::{LayerPlan, Program, RunPlan};
use runs::{Made, cut_behind_inputs, runs};
pub use sync::SyncCount;
use sync::synchronise;

/// A program, and what the machine is too small for.
#[derive(Debug)]
pub struct Compiled<'n> {
    /// The network that runs: the one that was given, or the same with layers in pieces.
    pub network: Cow<'n, Network>,
    /// For each of its layers the one of the network that was given which it is a piece of, or the layer itself.
    pub origins: Vec<usize>,
    /// The program.
    pub program: Program,
    /// Faster ways that do not fit.
    pub missed: Vec<Missed>,
    /// Why the network is cut into segments, if it is.
    pub cut: Option<CompileError>,
    /// Why the program loads weights, if it does.
    pub loads: Option<CompileError>,
    /// What the stage that was asked for has made.
    pub tables: Vec<Table>,
}

impl Compiled<'_> {
    /// The same with a network of its own.
    #[must_use]
    pub fn into_owned(self) -> Compiled<'static> {
        Compiled {
            network: Cow::Owned(self.network.into_owned()),
            ..self
        }
    }
}

/// The program of a network that is scheduled.
///
/// # Errors
/// [`CompileError::DoesNotFit`]: the program memory is too small.
pub(crate) fn emit<'n>(
    graph: Lowered<'n>,
    choice: &Choice,
    placement: Placement,
    schedule: Schedule,
    options: &Options,
    params: &Params,
) -> Result<Compiled<'n>, CompileError> {
    let candidate = choice.candidate();
    let (_, engines) = choice.taken.as_ref().expect("a combination fits");
    let mut choices = choices(&choice.candidates, choice.errors.len()).into_iter();
    let plans = graph.layers().map(|index| {
        let chosen = choices.next().flatten();
        let made = (candidate, engines, chosen);
        layer_plan(&graph, made, &placement, &schedule, index, params)
    });
    let layers: Vec<LayerPlan> = plans.collect();
    let segments = &placement.parts.segments;
    let runs = runs(&graph, options.whole, segments);
    let made = Made {
        graph: &graph,
        layers: &layers,
        schedule: &schedule,
        tensors: &placement.tensors,
        whole: options.whole,
        params,
    };
    let cut = options.stream.then(|| cut_behind_inputs(&runs, &made));
    let (runs, words) = made.runs_or_cut(runs, cut.flatten(), &placement.parts)?;
    let parts = loads::Parts {
        graph: &graph,
        candidate,
        placement: &placement,
        params,
    };
    let (once, segments) = parts.loads(&runs, words);
    let moved = image::moved(&graph, candidate, &placement);
    let program = Program {
        network: graph.network.name.clone(),
        pieces: graph.pieces,
        keeps: !graph.constants.kept.is_empty(),
        double_buffered: placement.parts.beside && !segments.is_empty(),
        layers,
        runs,
        once,
        segments,
        moved,
        host: placement.host,
        cluster: cluster::fills(engines, params),
        tensors: placement.tensors,
        schedule,
    };
    let (taken, errors) = (choice.errors.len(), &choice.errors);
    Ok(Compiled {
        missed: missed(&graph.network, &choice.candidates, taken, errors),
        // What the host keeps may leave room for all layers at once.
        cut: choice.cut.clone().filter(|_| !program.segments.is_empty()),
        loads: choice.cut.clone().filter(|_| !program.moved.is_empty()),
        network: graph.network,
        origins: graph.origins,
        program,
        tables: Vec::new(),
    })
}

fn layer_plan(
    graph: &Lowered,
    (candidate, engines, chosen): (&Candidate, &Engines, Option<MappingChoice>),
    placement: &Placement,
    schedule: &Schedule,
    index: usize,
    params: &Params,
) -> LayerPlan {
    let network = &*graph.network;
    let layer = &network.layers[index];
    let host = graph.constants.hosts[index].as_deref();
    let (instructions, _) = synchronise(schedule, index..index + 1);
    let sparse = engines.sparse[index].as_ref();
    let (vectors, operands, buffer_bytes, reason) = match &candidate.weights[index] {
        Some(weights) => {
            let placed = placement.layer(network, index, weights, params);
            let inputs = placed.inputs.iter();
            let input_bytes: u64 = inputs.map(|input| u64::from(input.bytes)).sum();
            let bytes = input_bytes + weights.bytes();
            let (vectors, operands) = match sparse {
                Some(_) => slots(&instructions),
                None => (placed.vectors(), placed.operands()),
            };
            (vectors, operands, bytes, "its input has no copies")
        }
        None => {
            let bytes = matrix_bytes(candidate.matrices(graph).operations(index), placement);
            let (vectors, operands) = slots(&instructions);
            (
                vectors,
                operands,
                bytes,
                host.unwrap_or("it is of matrices"),
            )
        }
    };
    LayerPlan {
        name: layer.name.clone(),
        host: graph.is_of_host(index),
        moved: graph.homes.do_layer(index),
        engine: engines.choices[index].clone(),
        instructions: instructions.len() as u32,
        macs: layer.macs(),
        vectors,
        operands,
        choice: chosen
            .filter(|_| sparse.is_none())
            .unwrap_or(MappingChoice {
                mapping: candidate.ways.mappings[index],
                cost: MappingCost {
                    cycles: match (host, sparse) {
                        (Some(_), _) => 0,
                        (None, Some(layer)) => layer.cycles,
                        (None, None) => alone(instructions, params),
                    },
                    buffer_bytes,
                },
                other: None,
                reason: reason.to_string(),
            }),
        compared: (candidate.weights[index].as_ref())
            .and_then(|weights| weights.constants.dual)
            .map(|dual| dual.compared),
        inputs: layer.inputs.iter().map(|input| input.tensor).collect(),
        output: index + 1,
    }
}

/// Tensor slots of products on the array, and all times their rows.
fn slots(instructions: &[Instruction]) -> (u64, u64) {
    let of_one = instructions.iter().map(|instruction| {
        let rows = match instruction {
            Instruction::Matmul(matmul) => matmul.rows.into(),
            _ => 0,
        };
        (tensor_slots(instruction), operand_slots(instruction) * rows)
    });
    of_one.fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1))
}

/// Bytes of the matrices of some operations in each partition.
fn matrix_bytes(operations: &[Operation], placement: &Placement) -> u64 {
    let mut ids: Vec<usize> = operations.iter().flat_map(Operation::items).collect();
    ids.sort_unstable();
    ids.dedup();
    let bytes = ids
        .into_iter()
        .map(|id| placement.matrices.items[id].bytes());
    bytes.map(u64::from).sum()
}

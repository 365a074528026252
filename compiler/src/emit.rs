//! The program: instructions that wait where they must, as words, and what the host writes.

mod cluster;
mod image;
mod load;
mod loads;
mod program;
mod runs;
mod sync;

use heddle_arch::isa::Instruction;
use heddle_arch::params::Params;
use heddle_network::Network;

use crate::cost::{alone, operand_slots, tensor_slots};
use crate::engine::Engines;
use crate::error::CompileError;
use crate::exact::DualSum;
use crate::ir::{Constants, Operation};
use crate::map::{Candidate, MappingChoice, MappingCost};
use crate::options::Options;
use crate::place::Placement;
use crate::schedule::Schedule;
pub use load::{ColumnParam, Load, Segment};
pub use program::{LayerPlan, Program, RunPlan};
use runs::Made;
pub(crate) use runs::runs;
pub use sync::SyncCount;
use sync::synchronise;

/// The program of a network that is scheduled.
///
/// # Errors
/// [`CompileError::DoesNotFit`]: the program memory is too small.
pub(crate) fn emit(
    network: &Network,
    (constants, candidate, engines): (&Constants, &Candidate, &Engines),
    placement: Placement,
    schedule: Schedule,
    options: Options,
    params: &Params,
) -> Result<Program, CompileError> {
    let layers = 0..network.layers.len();
    let plans = layers.clone().map(|index| {
        let host = constants.hosts[index].as_deref();
        layer_plan(
            network,
            (candidate, engines, host),
            &placement,
            &schedule,
            index,
            params,
        )
    });
    let layers: Vec<LayerPlan> = plans.collect();
    let segments = &placement.parts.segments;
    let runs = runs(network, constants, options.whole, segments);
    let made = Made {
        network,
        hosts: &constants.hosts,
        layers: &layers,
        schedule: &schedule,
        whole: options.whole,
        params,
    };
    let (runs, words) = made.runs(runs, &placement.parts)?;
    let parts = loads::Parts {
        network,
        constants,
        candidate,
        placement: &placement,
        params,
    };
    let (once, segments) = parts.loads(&runs, words);
    Ok(Program {
        network: network.name.clone(),
        pieces: Vec::new(),
        keeps: !constants.kept.is_empty(),
        double_buffered: placement.parts.beside && !segments.is_empty(),
        layers,
        runs,
        once,
        segments,
        cluster: cluster::fills(engines, params),
        tensors: placement.tensors,
        schedule,
    })
}

fn layer_plan(
    network: &Network,
    (candidate, engines, host): (&Candidate, &Engines, Option<&str>),
    placement: &Placement,
    schedule: &Schedule,
    index: usize,
    params: &Params,
) -> LayerPlan {
    let layer = &network.layers[index];
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
            let bytes = matrix_bytes(candidate.lowered.operations(index), placement);
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
        host: host.is_some(),
        engine: engines.choices[index].clone(),
        instructions: instructions.len() as u32,
        macs: layer.macs(),
        vectors,
        operands,
        choice: MappingChoice {
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
        },
        compared: (candidate.weights[index].as_ref())
            .and_then(|weights| weights.constants.dual)
            .map(|_| DualSum::PAIRS),
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

//! The program: instructions that wait where they must, as words, and what the host writes.

mod cluster;
mod image;
mod program;
mod sync;

use std::ops::Range;

use heddle_arch::isa::Instruction;
use heddle_arch::network::Network;
use heddle_arch::params::Params;

use crate::cost::{alone, cycles, halted, operand_slots, tensor_slots};
use crate::engine::Engines;
use crate::error::{CompileError, Memory, Shortage};
use crate::exact::DualSum;
use crate::ir::{Constants, Operation};
use crate::map::{Candidate, MappingChoice, MappingCost};
use crate::options::Options;
use crate::place::Placement;
use crate::rule::Engine;
use crate::schedule::Schedule;
pub use program::{ColumnParam, LayerPlan, Program, RunPlan};
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
    let mut program = Program {
        network: network.name.clone(),
        words: Vec::new(),
        layers: plans.collect(),
        runs: Vec::new(),
        columns: image::columns(network, candidate, &placement, params),
        image: image::image(network, candidate, &placement, params),
        row_offsets: placement.tables.offsets(),
        tables: constants.tables.clone(),
        cluster: cluster::fills(engines, params),
        tensors: placement.tensors,
        schedule,
    };
    for layers in runs(network, &constants.hosts, options.whole) {
        let name = match layers.len() {
            1 if !options.whole || network.layers.len() > 1 => &network.layers[layers.start].name,
            _ => &network.name,
        };
        match constants.hosts[layers.start].is_some() {
            true => program.runs.push(host_run(name, layers)),
            false => push_run(&mut program, name, layers, params),
        }
    }
    let words = program.words.len() as u64;
    match Shortage::of(Memory::Program, words, params.program.words.into()) {
        Some(shortage) => Err(CompileError::does_not_fit(network, params, vec![shortage])),
        None => Ok(program),
    }
}

/// The layers of each run: one, or all up to the next one of the host or the next output of the network, which
/// the host reads at the end of a run.
fn runs(network: &Network, hosts: &[Option<String>], whole: bool) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (index, host) in hosts.iter().enumerate() {
        match runs.last_mut() {
            Some(last)
                if whole
                    && host.is_none()
                    && hosts[last.start].is_none()
                    && !network.outputs.contains(&last.end) =>
            {
                last.end = index + 1;
            }
            _ => runs.push(index..index + 1),
        }
    }
    runs
}

/// A layer that the host runs.
fn host_run(name: &str, layers: Range<usize>) -> RunPlan {
    RunPlan {
        name: name.to_string(),
        host: true,
        start_pc: 0,
        instructions: 0,
        layers,
        cycles: 0,
        estimated: false,
        sync: SyncCount::default(),
    }
}

/// Adds the instructions of some layers, and HALT behind them.
fn push_run(program: &mut Program, name: &str, layers: Range<usize>, params: &Params) {
    let (instructions, sync) = synchronise(&program.schedule, layers.clone());
    let instructions = halted(instructions);
    let start_pc = program.words.len() as u32;
    for instruction in &instructions {
        debug_assert_eq!(instruction.check_machine(params), Ok(()));
        program.words.extend(instruction.encode());
    }
    let of_run = &program.layers[layers.clone()];
    let estimated = of_run
        .iter()
        .any(|layer| layer.engine_of() == Engine::Sparse);
    let cycles = match estimated {
        true => of_run.iter().map(|layer| layer.choice.cost.cycles).sum(),
        false => cycles(&instructions, params),
    };
    program.runs.push(RunPlan {
        name: name.to_string(),
        host: false,
        start_pc,
        instructions: instructions.len() as u32,
        layers,
        cycles: cycles + u64::from(params.fetch_cycles()),
        estimated,
        sync,
    });
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

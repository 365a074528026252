//! The instructions of all layers in order, what each of them reads and writes, and which must wait for which.

mod banks;
mod connect;
mod loads;
mod reach;
mod steps;
mod tensors;
mod text;
mod unit;

use heddle_arch::params::Params;

use crate::engine::Engines;
use crate::error::CompileError;
use crate::ir::Lowered;
use crate::memory::Placement;
use crate::options::{IdentitySource, Options};
use crate::product::matrix::MatrixError;
use crate::ways::{Candidate, Places, instructions};
pub(crate) use steps::reach;
pub use steps::{Dependency, Part, Reason, Schedule, Step};
pub use unit::Unit;

/// The schedule of a network that is placed.
///
/// # Errors
/// [`CompileError`]: an operation on matrices that the machine cannot do.
pub(crate) fn schedule(
    graph: &Lowered,
    (candidate, engines): (&Candidate, &Engines),
    placement: &Placement,
    options: &Options,
    params: &Params,
) -> Result<Schedule, CompileError> {
    let mut schedule = Schedule::default();
    let work = candidate.matrices(graph);
    let built = options.matrices.identity == IdentitySource::Built;
    let built = work.first_transpose().filter(|_| built);
    let of_matrices = |layer: usize| {
        let places = placement.matrices_of(layer);
        let mut all = Vec::new();
        if built == Some(layer) {
            for build in placement.matrices.builds(places.unit_tile()) {
                all.extend(build.instructions(params)?);
            }
        }
        for operation in work.operations(layer) {
            let form = options.matrices.form;
            all.extend(instructions(operation, &places, form, params)?);
        }
        Ok::<_, MatrixError>(all)
    };
    let network = &*graph.network;
    for (index, layer) in network.layers.iter().enumerate() {
        match &candidate.weights[index] {
            Some(weights) => {
                let placed = placement.layer(network, index, weights, params);
                let inputs = placed.inputs.iter();
                let tensors = inputs.map(|input| input.base..input.base + input.bytes);
                let tensors: Vec<_> = tensors.collect();
                let instructions = match &engines.sparse[index] {
                    Some(layer) => placed.cluster_instructions(layer),
                    None => placed.instructions(),
                };
                schedule.push_layer(&layer.name, instructions, &tensors);
            }
            None => {
                let instructions = of_matrices(index);
                let instructions =
                    instructions.map_err(|error| CompileError::of_layer(layer, &error))?;
                schedule.push_layer(&layer.name, instructions, &[]);
            }
        }
    }
    let mut moves = loads::weights(&placement.moved);
    moves.extend(tensors::steps(graph, placement));
    schedule.insert(moves);
    schedule.connect();
    if graph.has_matrices() {
        schedule.connect_banks(params.bank_bytes());
    }
    Ok(schedule)
}

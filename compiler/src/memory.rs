//! What fits: segments of the layers, addresses of everything in the state buffer, and numbers of column tiles and table entries.

mod allocate;
mod colour;
mod helpers;
mod matrices;
mod memories;
mod needs;
mod parts;
mod placement;
mod planes;
mod segments;
mod text;

use std::ops::Range;

use heddle_arch::params::Params;

use crate::error::CompileError;
use crate::ir::Lowered;
use crate::layout::{MatrixTensor, TensorPlan};
use crate::options::Options;
use crate::product::matrix::DrainForm;
use crate::product::{RowTables, WeightPlan};
use crate::ways::Candidate;
use matrices::Matrices;
pub(crate) use memories::Memories;
pub(crate) use needs::Needs;
pub(crate) use parts::Parts;
pub(crate) use placement::Placement;
pub(crate) use segments::{Fit, Room, Words};
pub(crate) use text::tables;

/// Gives everything its address. The layers of each segment are there at the same time; matrices are not cut.
///
/// # Errors
/// [`CompileError`]: the memories that are too small for matrices, or matrices that cannot be parted.
pub(crate) fn place(
    graph: &Lowered,
    candidate: &Candidate,
    fit: &Fit,
    options: &Options,
    params: &Params,
) -> Result<Placement, CompileError> {
    let network = &*graph.network;
    let memories = Memories::of(graph, params, options);
    let (regions, parts) = match &fit.addresses {
        Some(addresses) => {
            let needs = Needs::with(&memories, candidate, &fit.cut, addresses.clone());
            planes::place(&needs, candidate, &fit.cut, params)
        }
        None => {
            let regions = matrices::place(&memories, candidate)?;
            (regions, Parts::whole(network.layers.len()))
        }
    };
    let work = candidate.matrices(graph);
    let tensors = candidate.layout.tensors.iter().enumerate();
    let tensors = tensors.map(|(tensor, layout)| match layout {
        Some(layout) => layout.at(network, tensor, regions.tensors[tensor]),
        None => tensor_of_matrices(graph, candidate, tensor, &regions.matrices),
    });
    let bytes =
        |plan: &WeightPlan| u32::try_from(plan.bytes()).expect("everything fits a partition");
    let (weights, _) = numbered(candidate, &parts.weights, &regions.weights, bytes);
    let tiles = 0..parts.column_tiles.len();
    let from: Vec<u32> = tiles
        .map(|part| parts.first(part, params.column_tiles))
        .collect();
    let (mut column_tiles, tile) = numbered(candidate, &parts.column_tiles, &from, |plan| {
        plan.column_tiles
    });
    column_tiles.push(tile);
    // Pauses between the sums and the drains of a transpose are made of the tiles before that one.
    let unit_tile = match options.matrices.form {
        DrainForm::Direct | DrainForm::All => tile + work.tiles.len() as u32,
        DrainForm::Row | DrainForm::Part => params.column_tiles - 1,
    };
    Ok(Placement {
        tensors: tensors.collect(),
        weights,
        column_tiles,
        tables: (parts.row_offsets.iter().enumerate())
            .map(|(part, layers)| {
                let first = parts.first(part, params.state_buffer.row_offsets);
                let rows = candidate.layout.rows.as_ref();
                let rows = rows.expect("every tensor fits a partition");
                RowTables::of(rows, layers).from(first)
            })
            .collect(),
        parts,
        zeros: regions.zeros,
        halos: regions.halos,
        matrices: regions.matrices,
        unit_tile: unit_tile as u16,
    })
}

/// A number for each layer: in each part they count up from its first one by what the weights of the layers take. Gives that behind the last layer, too.
fn numbered(
    candidate: &Candidate,
    parts: &[Range<usize>],
    from: &[u32],
    size: impl Fn(&WeightPlan) -> u32,
) -> (Vec<u32>, u32) {
    let (mut numbers, mut next) = (Vec::new(), 0);
    for (layers, &first) in parts.iter().zip(from) {
        next = first;
        for plan in &candidate.weights[layers.clone()] {
            numbers.push(next);
            next += plan.as_deref().map_or(0, &size);
        }
    }
    (numbers, next)
}

fn tensor_of_matrices(
    graph: &Lowered,
    candidate: &Candidate,
    tensor: usize,
    places: &Matrices,
) -> TensorPlan {
    let value = candidate.matrices(graph).tensors[tensor].as_ref();
    let value = value.expect("it is of planes or of matrices");
    let (shape, zero_point) = graph.network.tensor(tensor);
    let matrices = MatrixTensor {
        matrices: value.matrices,
        turned: value.turned,
        places: value.ids.iter().map(|&id| places.items[id]).collect(),
    };
    TensorPlan::of_matrices(
        graph.network.tensor_name(tensor),
        shape,
        zero_point,
        matrices,
    )
}

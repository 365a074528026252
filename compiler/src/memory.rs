//! What fits: segments of the layers, addresses of everything in the state buffer, and numbers of column tiles and table entries.

mod allocate;
mod colour;
mod host;
mod matrices;
mod memories;
mod moves;
mod needs;
mod parts;
mod placement;
mod placer;
mod planes;
mod regions;
mod segments;
mod text;

use std::ops::Range;

use heddle_arch::params::Params;
use heddle_arch::word::WORD_BYTES;

use crate::error::CompileError;
use crate::ir::Lowered;
use crate::layout::{MatrixTensor, TensorPlan};
use crate::options::Options;
use crate::product::{RowTables, WeightPlan};
use crate::ways::{Candidate, Wanted};
pub use host::HostTensor;
pub(crate) use host::transfers as host_transfers;
pub(crate) use host::{INPUT, LINE, OUTPUT, SCRATCH};
pub(crate) use memories::{Lacks, Memories};
pub(crate) use moves::{Moved, Slot};
pub(crate) use needs::Needs;
pub(crate) use parts::Parts;
pub(crate) use placement::{MatrixTiles, Placement};
use regions::Matrices;
pub(crate) use segments::{Fit, Room, Words};
pub(crate) use text::tables;

/// Gives everything its address. The layers of each segment are there at the same time.
///
/// # Errors
/// [`CompileError`]: matrices do not fit.
pub(crate) fn place(
    graph: &Lowered,
    candidate: &Candidate,
    fit: &Fit,
    options: &Options,
    params: &Params,
) -> Result<Placement, CompileError> {
    let network = &*graph.network;
    let memories = Memories::of(graph, params, options);
    let mut cleared = Vec::new();
    let (regions, parts) = match &fit.addresses {
        Some(addresses) => {
            let needs = Needs::with(&memories, candidate, &fit.cut, addresses.clone());
            if fit.cut.moves && fit.cut.clears {
                cleared = needs.cleared();
            }
            planes::place(&needs, candidate, &fit.cut, params)
        }
        None => matrices::place(&memories, candidate, &fit.cut)?,
    };
    let work = candidate.matrices(graph);
    let tensors = candidate.layout.tensors.iter().enumerate();
    let tensors = tensors.map(|(tensor, layout)| match layout {
        Some(layout) => layout.at(network, tensor, regions.tensors[tensor]),
        None => tensor_of_matrices(graph, candidate, tensor, &regions.matrices),
    });
    let bytes =
        |plan: &WeightPlan| u32::try_from(plan.bytes()).expect("everything fits a partition");
    let (mut weights, _) = numbered(candidate, &parts.weights, &regions.weights, bytes);
    let mut moved = Vec::new();
    if let Some(moves) = &fit.moves {
        for &(layer, place) in &moves.places {
            weights[layer] = regions.weights[0] + WORD_BYTES * place;
        }
        let base = regions.weights[0] / WORD_BYTES;
        moved.extend(moves.loads.iter().map(|load| load.from(base)));
    }
    let tiles = 0..parts.column_tiles.len();
    let from: Vec<u32> = tiles
        .map(|part| parts.first(part, params.column_tiles))
        .collect();
    let (column_tiles, ends) = numbered(candidate, &parts.column_tiles, &from, |plan| {
        plan.column_tiles
    });
    let options = options.matrices;
    let last = Wanted { options, params }.last_tile();
    let matrix_tiles = parts.column_tiles.iter().zip(ends).map(|(layers, first)| {
        let (tiles, transposes) = work.tiles_of(layers.clone());
        let behind = first + tiles.len() as u32;
        MatrixTiles {
            first,
            unit: transposes.then_some(last.unwrap_or(behind as u16)),
            tiles: tiles.into_iter().collect(),
        }
    });
    let tensors: Vec<TensorPlan> = tensors.collect();
    Ok(Placement {
        host: host::host_tensors(graph, &tensors),
        tensors,
        cleared,
        weights,
        matrix_tiles: matrix_tiles.collect(),
        moved,
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
    })
}

/// A number for each layer: in each part they count up from its first one by what the weights of the layers take. Gives that behind each part, too.
fn numbered(
    candidate: &Candidate,
    parts: &[Range<usize>],
    from: &[u32],
    size: impl Fn(&WeightPlan) -> u32,
) -> (Vec<u32>, Vec<u32>) {
    let (mut numbers, mut ends) = (Vec::new(), Vec::new());
    for (layers, &first) in parts.iter().zip(from) {
        let mut next = first;
        for plan in &candidate.weights[layers.clone()] {
            numbers.push(next);
            next += plan.as_deref().map_or(0, &size);
        }
        ends.push(next);
    }
    (numbers, ends)
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

//! Addresses of everything in the state buffer, and numbers of column tiles and table entries.

mod allocate;
mod colour;
mod helpers;
mod matrices;
mod planes;
mod row_tables;
mod text;

use std::ops::Range;

use heddle_arch::network::Network;
use heddle_arch::params::Params;

use crate::error::{CompileError, Memory, Shortage};
use crate::ir::readers;
use crate::layout::{MatrixTensor, TensorPlan};
use crate::map::Candidate;
use crate::options::Options;
use crate::product::matrix::DrainForm;
use crate::product::{PlacedLayer, WeightPlan};
pub(crate) use matrices::Matrices;
use row_tables::RowTables;
pub(crate) use text::tables;

/// Where everything lies.
#[derive(Debug)]
pub(crate) struct Placement {
    /// The input, then the output of each layer.
    pub tensors: Vec<TensorPlan>,
    /// Address of the weights of each layer of planes.
    pub weights: Vec<u32>,
    /// First column tile of each layer of planes; at the end that of the matrices, behind them.
    pub column_tiles: Vec<u32>,
    /// Offset tables of the rows.
    pub tables: RowTables,
    /// Words of each partition that tensors lie in: zeros before a run.
    pub zeros: Vec<Range<u32>>,
    /// The matrices.
    pub matrices: Matrices,
    /// The column tile with bias 0 and scale 1.
    pub unit_tile: u16,
}

/// Addresses of tensors and weights.
#[derive(Debug)]
struct Regions {
    /// Addresses of the tensors of planes.
    tensors: Vec<u32>,
    /// Address of the weights of all layers of planes.
    weights: u32,
    zeros: Vec<Range<u32>>,
    matrices: Matrices,
}

/// Gives everything its address.
///
/// # Errors
/// [`CompileError`]: the memories that are too small, or matrices that cannot be parted.
pub(crate) fn place(
    network: &Network,
    candidate: &Candidate,
    options: Options,
    params: &Params,
) -> Result<Placement, CompileError> {
    let regions = match candidate.lowered.items.is_empty() {
        true => planes::place(network, candidate, params)
            .map_err(|shortages| CompileError::does_not_fit(network, params, shortages))?,
        false => matrices::place(network, candidate, options.matrices, params)?,
    };
    let tensors = candidate.layouts.iter().enumerate();
    let tensors = tensors.map(|(tensor, layout)| match layout {
        Some(layout) => layout.at(network, tensor, regions.tensors[tensor]),
        None => tensor_of_matrices(network, candidate, tensor, &regions.matrices),
    });
    let (mut weights, mut column_tiles) = (Vec::new(), Vec::new());
    let (mut address, mut tile) = (regions.weights, 0);
    for plan in &candidate.weights {
        weights.push(address);
        column_tiles.push(tile);
        if let Some(plan) = plan {
            address += u32::try_from(plan.bytes()).expect("everything fits a partition");
            tile += plan.column_tiles;
        }
    }
    column_tiles.push(tile);
    // Pauses between the sums and the drains of a transpose are made of the tiles before that one.
    let unit_tile = match options.matrices.form {
        DrainForm::Direct | DrainForm::All => tile + candidate.lowered.tiles.len() as u32,
        DrainForm::Row | DrainForm::Part => params.column_tiles - 1,
    };
    Ok(Placement {
        tensors: tensors.collect(),
        weights,
        column_tiles,
        tables: row_tables(network, candidate),
        zeros: regions.zeros,
        matrices: regions.matrices,
        unit_tile: unit_tile as u16,
    })
}

impl Placement {
    /// A layer of planes with the places of all its data.
    pub fn layer<'a>(
        &'a self,
        network: &'a Network,
        index: usize,
        weights: &'a WeightPlan,
        params: &'a Params,
    ) -> PlacedLayer<'a> {
        let layer = &network.layers[index];
        let inputs = layer.inputs.iter();
        PlacedLayer {
            layer,
            params,
            inputs: inputs.map(|input| &self.tensors[input.tensor]).collect(),
            output: &self.tensors[index + 1],
            weights,
            weight_base: self.weights[index],
            first_column_tile: self.column_tiles[index],
            first_entries: &self.tables.first[index],
        }
    }

    /// First column tile of the matrices.
    pub fn matrix_tile(&self) -> u32 {
        self.column_tiles.last().copied().unwrap_or(0)
    }
}

fn tensor_of_matrices(
    network: &Network,
    candidate: &Candidate,
    tensor: usize,
    places: &Matrices,
) -> TensorPlan {
    let value = candidate.lowered.tensors[tensor].as_ref();
    let value = value.expect("it is of planes or of matrices");
    let (shape, zero_point) = network.tensor(tensor);
    let matrices = MatrixTensor {
        matrices: value.matrices,
        turned: value.turned,
        places: value.ids.iter().map(|&id| places.items[id]).collect(),
    };
    TensorPlan::of_matrices(network.tensor_name(tensor), shape, zero_point, matrices)
}

/// Offset tables of the rows for layers whose inputs lie inside a partition.
fn row_tables(network: &Network, candidate: &Candidate) -> RowTables {
    RowTables::of(network, &candidate.weights, |tensor| {
        let layout = candidate.layouts[tensor].as_ref();
        let layout = layout.expect("a layer of planes reads planes");
        layout.footprint.distances()
    })
}

/// Column tiles and table entries that are missing.
fn numbers(candidate: &Candidate, tables: &RowTables, params: &Params) -> [Option<Shortage>; 2] {
    let plans = candidate.weights.iter().flatten();
    let column_tiles: u64 = plans.map(|plan| u64::from(plan.column_tiles)).sum();
    let column_tiles = column_tiles + u64::from(candidate.lowered.column_tiles());
    let entries = tables.entries.len() as u64;
    let offsets = params.state_buffer.row_offsets;
    [
        Shortage::of(
            Memory::ColumnTiles,
            column_tiles,
            params.column_tiles.into(),
        ),
        Shortage::of(Memory::RowOffsets, entries, offsets.into()),
    ]
}

/// Steps in which a tensor is needed. In step i + 1 layer i runs; the host writes the input in step 0 and reads the
/// outputs in the last one.
fn lifetime(network: &Network, tensor: usize) -> Range<usize> {
    let last = readers(network, tensor).map(|reader| reader + 1).max();
    let end = network.layers.len() + 1;
    let last = match network.outputs.contains(&tensor) {
        true => end,
        false => last.unwrap_or(end),
    };
    tensor..last + 1
}

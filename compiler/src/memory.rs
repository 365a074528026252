//! What fits: segments of the layers, addresses of everything in the state buffer, and numbers of column tiles and table entries.

mod allocate;
mod colour;
mod helpers;
mod matrices;
mod needs;
mod planes;
mod segments;
mod text;

use std::cell::Cell;
use std::iter;
use std::ops::Range;

use heddle_arch::params::Params;
use heddle_network::Network;

use crate::error::{CompileError, Memory, Shortage};
use crate::ir::Lowered;
use crate::layout::{MatrixTensor, TensorPlan};
use crate::options::Options;
use crate::product::matrix::DrainForm;
use crate::product::{PlacedLayer, RowTables, WeightPlan};
use crate::ways::Candidate;
pub(crate) use matrices::Matrices;
pub(crate) use needs::Needs;
pub(crate) use segments::{Fit, Room, Words};
pub(crate) use text::tables;

/// The memories of a machine for a network, whatever ways its layers take.
pub(crate) struct Memories<'a> {
    pub graph: &'a Lowered<'a>,
    pub params: &'a Params,
    pub options: &'a Options,
    /// Steps in which each tensor of planes is needed.
    lifetimes: Vec<Range<usize>>,
    /// How often tensors were given addresses.
    pub allocations: Cell<u64>,
}

impl<'a> Memories<'a> {
    pub fn of(graph: &'a Lowered<'a>, params: &'a Params, options: &'a Options) -> Self {
        let tensors = 0..=graph.network.layers.len();
        Self {
            graph,
            params,
            options,
            lifetimes: tensors.map(|tensor| graph.lifetime(tensor)).collect(),
            allocations: Cell::new(0),
        }
    }
}

/// Where everything lies.
#[derive(Debug)]
pub(crate) struct Placement {
    /// The input, then the output of each layer.
    pub tensors: Vec<TensorPlan>,
    /// Address of the weights of each layer of planes.
    pub weights: Vec<u32>,
    /// First column tile of each layer of planes; at the end that of the matrices, behind them.
    pub column_tiles: Vec<u32>,
    /// Which layers have their data in the memories at the same time.
    pub parts: Parts,
    /// Offset tables of the rows, for each part of the layers.
    pub tables: Vec<RowTables>,
    /// Words of each partition that tensors lie in: zeros before a run.
    pub zeros: Vec<Range<u32>>,
    /// For each segment words of its halos where other segments have weights; none if weights are written once.
    pub halos: Vec<Vec<u32>>,
    /// The matrices.
    pub matrices: Matrices,
    /// The column tile with bias 0 and scale 1.
    pub unit_tile: u16,
}

/// How a network is cut into segments.
#[derive(Debug, Clone)]
pub(crate) struct Cut {
    /// Runs of consecutive layers.
    pub segments: Vec<Range<usize>>,
    /// The host clears the halos of what a segment makes, so that tensors of the segments before may have lain there.
    pub clears: bool,
    /// What the host loads for a segment is in the machine beside what it loads for the next one. It may load them while the segment runs.
    pub beside: bool,
}

impl Cut {
    /// All layers at once.
    pub fn none(layers: Range<usize>) -> Self {
        Self {
            segments: vec![layers],
            clears: false,
            beside: false,
        }
    }

    /// Each layer is a segment.
    pub fn alone(layers: Range<usize>, clears: bool, beside: bool) -> Self {
        Self {
            segments: layers.map(|layer| layer..layer + 1).collect(),
            clears,
            beside,
        }
    }

    /// All segments that may be loaded or run while one does; only itself where they take each other's places.
    fn around(&self, layers: &Range<usize>) -> Range<usize> {
        match self.neighbours(layers) {
            [] => layers.clone(),
            [first, .., last] | [first @ last] => first.start..last.end,
        }
    }

    /// A segment with those before and behind it; nothing where they take each other's places.
    fn neighbours(&self, layers: &Range<usize>) -> &[Range<usize>] {
        if !self.beside || self.segments.len() < 2 {
            return &[];
        }
        let found = self
            .segments
            .binary_search_by_key(&layers.start, |segment| segment.start);
        let number = found
            .ok()
            .filter(|&number| self.segments[number] == *layers);
        number.map_or(&[], |number| {
            let end = self.segments.len().min(number + 2);
            &self.segments[number.saturating_sub(1)..end]
        })
    }

    /// The step before which the halos of a tensor are cleared for each image, at the earliest; 0 if they are cleared with the image alone.
    fn cleared(&self, tensor: usize) -> usize {
        let layer = tensor.saturating_sub(1);
        if !self.clears {
            return 0;
        }
        let behind = self
            .segments
            .partition_point(|layers| layers.start <= layer);
        let own = &self.segments[behind - 1];
        match self.neighbours(own) {
            [] => own.start + 1,
            [first, ..] => first.start + 1,
        }
    }
}

/// The segments of a network, and for each memory the layers whose data lie there at the same time: all of them, or those of each segment.
#[derive(Debug)]
pub(crate) struct Parts {
    pub segments: Vec<Range<usize>>,
    pub weights: Vec<Range<usize>>,
    pub column_tiles: Vec<Range<usize>>,
    pub row_offsets: Vec<Range<usize>>,
    /// Each second segment has the upper half of a memory, the others the lower one.
    pub beside: bool,
}

impl Parts {
    /// Everything is there at the same time.
    pub fn whole(layers: usize) -> Self {
        let all = || iter::once(0..layers).collect();
        Self {
            segments: all(),
            weights: all(),
            column_tiles: all(),
            row_offsets: all(),
            beside: false,
        }
    }

    /// Where a part begins in a memory of so many places: entries, column tiles or words.
    pub fn first(&self, part: usize, places: u32) -> u32 {
        match self.beside && part % 2 == 1 {
            true => places / 2,
            false => 0,
        }
    }
}

/// Addresses of tensors and weights.
#[derive(Debug)]
struct Regions {
    /// Addresses of the tensors of planes.
    tensors: Vec<u32>,
    /// Address of the weights of each part of the layers of planes.
    weights: Vec<u32>,
    zeros: Vec<Range<u32>>,
    halos: Vec<Vec<u32>>,
    matrices: Matrices,
}

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
            first_entries: self.first_entries(index),
        }
    }

    /// First entry of the row tables for each input and part of a layer.
    pub fn first_entries(&self, index: usize) -> &[Vec<Option<u32>>] {
        let mut parts = self.parts.row_offsets.iter().zip(&self.tables);
        let own = parts.find(|(layers, _)| layers.contains(&index));
        own.expect("every layer is in a part").1.first(index)
    }

    /// First column tile of the matrices.
    pub fn matrix_tile(&self) -> u32 {
        self.column_tiles.last().copied().unwrap_or(0)
    }
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

/// Column tiles and table entries that so many copies of those of some layers are missing.
fn numbers(
    graph: &Lowered,
    candidate: &Candidate,
    (layers, copies): (&Range<usize>, u64),
    entries: usize,
    params: &Params,
) -> [Option<Shortage>; 2] {
    let plans = candidate.weights[layers.clone()].iter().flatten();
    let column_tiles: u64 = plans.map(|plan| u64::from(plan.column_tiles)).sum();
    let column_tiles =
        copies * (column_tiles + u64::from(candidate.matrices(graph).column_tiles()));
    let entries = copies * entries as u64;
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

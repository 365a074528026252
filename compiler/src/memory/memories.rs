//! The memories of a machine for a network.

use std::cell::Cell;
use std::ops::Range;

use heddle_arch::params::Params;

use crate::error::{CompileError, Memory, Shortage};
use crate::ir::Lowered;
use crate::options::Options;
use crate::ways::Candidate;

/// The memories of a machine for a network, whatever ways its layers take.
pub(crate) struct Memories<'a> {
    pub graph: &'a Lowered<'a>,
    pub params: &'a Params,
    pub options: &'a Options,
    /// Steps in which each tensor of planes is needed.
    pub lifetimes: Vec<Range<usize>>,
    /// How often tensors were given addresses.
    pub allocations: Cell<u64>,
}

impl<'a> Memories<'a> {
    /// What some layers lack.
    pub(super) fn does_not_fit(&self, layers: &Range<usize>, lacks: Vec<Shortage>) -> CompileError {
        let network = &*self.graph.network;
        CompileError::does_not_fit(network, self.params, lacks).of(layers, network)
    }

    /// Steps of some layers: the host writes the input in the step before the first layer, and reads outputs behind the last one.
    pub(super) fn steps(&self, layers: &Range<usize>) -> Range<usize> {
        let last = self.graph.network.layers.len();
        let start = match layers.start {
            0 => 0,
            start => start + 1,
        };
        match layers.end == last {
            true => start..last + 2,
            false => start..layers.end + 1,
        }
    }

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

impl Memories<'_> {
    /// The same if nothing else ever lies where an input does.
    pub(super) fn keeping_inputs(mut self) -> Self {
        let end = self.graph.network.layers.len() + 2;
        for input in self.graph.network.inputs() {
            self.lifetimes[input].end = end;
        }
        self
    }
}

/// Segments for which memories are too small, and what they lack.
pub(crate) type Lacks = Vec<(usize, Vec<Shortage>)>;

/// Column tiles and table entries that so many copies of those of some layers are missing.
pub(super) fn numbers(
    graph: &Lowered,
    candidate: &Candidate,
    (layers, copies): (&Range<usize>, u64),
    entries: usize,
    params: &Params,
) -> [Option<Shortage>; 2] {
    let plans = candidate.weights[layers.clone()].iter().flatten();
    let column_tiles: u64 = plans.map(|plan| u64::from(plan.column_tiles)).sum();
    let (tiles, transposes) = candidate.matrices(graph).tiles_of(layers.clone());
    let of_matrices = tiles.len() as u64 + u64::from(transposes);
    let column_tiles = copies * (column_tiles + of_matrices);
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

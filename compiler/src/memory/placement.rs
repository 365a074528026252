//! Where everything lies.

use std::ops::Range;

use heddle_arch::params::Params;
use heddle_network::Network;

use super::matrices::Matrices;
use super::parts::Parts;
use crate::layout::TensorPlan;
use crate::product::{PlacedLayer, RowTables, WeightPlan};

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

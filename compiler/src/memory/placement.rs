//! Where everything lies.

use std::collections::BTreeSet;
use std::ops::Range;

use heddle_arch::params::Params;
use heddle_network::Network;

use super::host::HostTensor;
use super::moves::Moved;
use super::parts::Parts;
use super::regions::Matrices;
use crate::ir::Id;
use crate::layout::{MatrixPlace, TensorPlan};
use crate::product::{PlacedLayer, RowTables, WeightPlan};
use crate::ways::{Helper, Places};

/// Where everything lies.
#[derive(Debug)]
pub(crate) struct Placement {
    /// The input, then the output of each layer.
    pub tensors: Vec<TensorPlan>,
    /// Tensors in the host's memory that the program loads and stores.
    pub host: Vec<HostTensor>,
    /// Tensors whose halos the program clears, and the words of these in each of so many partitions.
    pub cleared: Vec<(usize, BTreeSet<u32>, u32)>,
    /// Address of the weights of each layer of planes.
    pub weights: Vec<u32>,
    /// What of them the program loads, in this order.
    pub moved: Vec<Moved>,
    /// First column tile of each layer of planes.
    pub column_tiles: Vec<u32>,
    /// Column tiles of the matrices for each part of the layers, behind those of planes.
    pub matrix_tiles: Vec<MatrixTiles>,
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
}

/// Column tiles of matrices that are there at the same time.
#[derive(Debug)]
pub(crate) struct MatrixTiles {
    /// Number of the first one.
    pub first: u32,
    /// Which of the tiles of all products they are, counting up.
    pub tiles: Vec<usize>,
    /// The one with bias 0 and scale 1, if something is transposed.
    pub unit: Option<u16>,
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

    /// The matrices of a layer.
    pub fn matrices_of(&self, layer: usize) -> MatricesOf<'_> {
        let mut parts = self.parts.column_tiles.iter().zip(&self.matrix_tiles);
        let own = parts.find(|(layers, _)| layers.contains(&layer));
        MatricesOf {
            matrices: &self.matrices,
            tiles: own.expect("every layer is in a part").1,
        }
    }
}

/// Where the matrices of a layer lie, and its column tiles.
pub(crate) struct MatricesOf<'a> {
    matrices: &'a Matrices,
    tiles: &'a MatrixTiles,
}

impl Places for MatricesOf<'_> {
    fn matrix(&self, id: Id) -> MatrixPlace {
        self.matrices.items[id]
    }

    fn helper(&self, helper: Helper, source: Id) -> MatrixPlace {
        self.matrices.helper(helper, source)
    }

    fn tile(&self, tile: usize) -> u16 {
        let number = self.tiles.tiles.binary_search(&tile);
        let number = number.expect("it is one of the part");
        self.tiles.first as u16 + number as u16
    }

    fn unit_tile(&self) -> u16 {
        self.tiles.unit.unwrap_or(0)
    }

    fn are_final(&self) -> bool {
        true
    }
}

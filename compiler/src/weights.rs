//! The order of weights in the partitions.
//!
//! For every column tile, every K tile in the order in which the stream unit walks them (kernel
//! column, kernel row, plane; or one after the other if the taps are laid over the rows; or the tensors
//! that are added), ceil(columns / 8) words, the last columns first. Row r of the array finds the weights of its
//! tap in partition r at the same addresses.

use std::ops::Range;

use heddle_arch::network::{Layer, LayerKind};
use heddle_arch::params::Params;

use crate::flatten::{Flattening, Tap};
use crate::layer::reduction;
use crate::mapping::Mapping;

/// Sizes of a layer's weights.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WeightPlan {
    /// Channels of one K tile and of one column tile.
    pub lanes: u32,
    /// Column tiles.
    pub column_tiles: u32,
    /// K tiles of each column tile.
    k_tiles: Vec<u64>,
    /// All column tiles use the same weights.
    shared: bool,
    /// Windows go through pooling: weights are 1.
    pools: bool,
    /// Words of one K tile in each partition.
    pub tile_words: u32,
    /// Array rows in use.
    pub rows: u32,
    /// The taps of each row, if they are laid over the rows.
    pub flattening: Option<Flattening>,
}

/// The planes of the input that feed a column tile: those of the groups that its outputs belong to.
pub(crate) fn planes(layer: &Layer, lanes: u32, column_tile: u32) -> Range<u32> {
    let first = column_tile * lanes;
    let last = (first + lanes).min(layer.output.channels) - 1;
    let inputs = layer.group_inputs();
    let low = first / layer.group_outputs() * inputs;
    let high = (last / layer.group_outputs() + 1) * inputs;
    low / lanes..high.div_ceil(lanes)
}

impl WeightPlan {
    pub fn of(layer: &Layer, mapping: Mapping, params: &Params) -> Self {
        let lanes = params.lanes();
        let column_tiles = layer.output.channels.div_ceil(lanes);
        let pools = reduction(layer, params).is_some();
        let plan = Self {
            lanes,
            column_tiles,
            k_tiles: Vec::new(),
            shared: layer.kind == LayerKind::Add || pools,
            pools,
            tile_words: params.weight_words(),
            rows: layer.input.channels.min(lanes),
            flattening: None,
        };
        let every = 0..column_tiles;
        match mapping {
            Mapping::Channel => {
                let places = match layer.kind {
                    LayerKind::Add => layer.inputs.len() as u64,
                    _ if pools => 1,
                    _ => u64::from(layer.kernel[0]) * u64::from(layer.kernel[1]),
                };
                let planes = every.map(|tile| planes(layer, lanes, tile).len() as u64);
                Self {
                    k_tiles: planes.map(|planes| planes * places).collect(),
                    ..plan
                }
            }
            Mapping::Flattened => {
                let flattening = Flattening::of(layer, params.array.rows);
                Self {
                    k_tiles: every.map(|_| flattening.k_tiles.into()).collect(),
                    rows: flattening.rows,
                    flattening: Some(flattening),
                    ..plan
                }
            }
        }
    }

    /// K tiles of a column tile.
    pub fn k_tiles(&self, column_tile: u32) -> u64 {
        self.k_tiles[column_tile as usize]
    }

    /// K tiles of all column tiles.
    pub fn all_k_tiles(&self) -> u64 {
        self.k_tiles.iter().sum()
    }

    /// Rows that have a tap in the last K tile of a column tile.
    pub fn last_rows(&self) -> u32 {
        self.flattening.map_or(self.rows, |f| f.last_rows)
    }

    /// Distance of a column tile's weights from those of the first one, bytes in each partition.
    pub fn offset(&self, column_tile: u32) -> u64 {
        if self.shared {
            return 0;
        }
        let before: u64 = self.k_tiles[..column_tile as usize].iter().sum();
        before * u64::from(self.tile_words) * 8
    }

    /// Column tiles that have weights of their own.
    fn stored_tiles(&self) -> u32 {
        match self.shared {
            true => 1,
            false => self.column_tiles,
        }
    }

    /// Bytes of the layer in each partition.
    pub fn bytes(&self) -> u64 {
        let last = self.stored_tiles() - 1;
        self.offset(last) + self.k_tiles(last) * u64::from(self.tile_words) * 8
    }

    /// Output channels of a column tile.
    pub fn columns(&self, layer: &Layer, column_tile: u32) -> u32 {
        let first = column_tile * self.lanes;
        (layer.output.channels - first).min(self.lanes)
    }

    /// The words of one partition, from the layer's first address on.
    pub fn words(&self, layer: &Layer, partition: u32) -> Vec<[u8; 8]> {
        let mut words = Vec::new();
        for column_tile in 0..self.stored_tiles() {
            for k_tile in self.row_weights(layer, partition, column_tile) {
                for slot in (0..self.tile_words).rev() {
                    let mut word = [0; 8];
                    for (column, byte) in (8 * slot..).zip(word.iter_mut()) {
                        if column < self.columns(layer, column_tile) {
                            *byte = k_tile.at(layer, column_tile * self.lanes + column) as u8;
                        }
                    }
                    words.push(word);
                }
            }
        }
        words
    }

    /// What a row holds in each K tile of a column tile.
    fn row_weights(&self, layer: &Layer, row: u32, column_tile: u32) -> Vec<RowWeight> {
        if let Some(flattening) = self.flattening {
            let k_tiles = 0..flattening.k_tiles;
            let taps = k_tiles.map(|k_tile| flattening.tap(row, k_tile));
            return taps.map(RowWeight::Tap).collect();
        }
        let planes = planes(layer, self.lanes, column_tile);
        let mut weights = Vec::new();
        for channel in planes.map(|plane| plane * self.lanes + row) {
            let exists = channel < layer.input.channels;
            let same = |factor: i8| match exists {
                true => RowWeight::Same(channel, factor),
                false => RowWeight::Tap(None),
            };
            match layer.kind {
                _ if self.pools => weights.push(same(1)),
                LayerKind::Add => weights.extend(layer.weights.iter().map(|&factor| same(factor))),
                _ => {
                    let [height, width] = layer.kernel;
                    let places = (0..height).flat_map(|y| (0..width).map(move |x| (y, x)));
                    weights.extend(
                        places
                            .map(|(y, x)| RowWeight::Tap(exists.then_some(Tap { channel, y, x }))),
                    );
                }
            }
        }
        weights
    }
}

/// The weights of a row in a K tile.
#[derive(Debug, Clone, Copy)]
enum RowWeight {
    /// Those of a tap, 0 without.
    Tap(Option<Tap>),
    /// A factor for the output of the same number, 0 for the others.
    Same(u32, i8),
}

impl RowWeight {
    fn at(self, layer: &Layer, output: u32) -> i8 {
        match self {
            RowWeight::Tap(None) => 0,
            RowWeight::Tap(Some(Tap { channel, y, x })) => {
                let group = output / layer.group_outputs();
                match channel.checked_sub(group * layer.group_inputs()) {
                    Some(input) if input < layer.group_inputs() => {
                        layer.weight(output, input, y, x)
                    }
                    _ => 0,
                }
            }
            RowWeight::Same(channel, factor) if channel == output => factor,
            RowWeight::Same(..) => 0,
        }
    }
}

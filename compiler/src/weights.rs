//! The order of weights in the partitions.
//!
//! For every column tile, every K tile in the order in which the stream unit walks them (kernel
//! column, kernel row, group, or one after the other if the taps are laid over the rows),
//! ceil(columns / 8) words, the last columns first. Row r of the array finds the weights of its
//! tap in partition r at the same addresses.

use heddle_arch::network::Layer;
use heddle_arch::params::Params;

use crate::flatten::{Flattening, Tap};
use crate::mapping::Mapping;

/// Sizes of a layer's weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WeightPlan {
    /// Channels of one K tile and of one column tile.
    pub lanes: u32,
    /// Column tiles.
    pub column_tiles: u32,
    /// K tiles of one column tile.
    pub k_tiles: u64,
    /// Words of one K tile in each partition.
    pub tile_words: u32,
    /// Array rows in use.
    pub rows: u32,
    /// The taps of each row, if they are laid over the rows.
    pub flattening: Option<Flattening>,
}

impl WeightPlan {
    pub fn of(layer: &Layer, mapping: Mapping, params: &Params) -> Self {
        let lanes = params.lanes();
        let plan = Self {
            lanes,
            column_tiles: layer.output.channels.div_ceil(lanes),
            k_tiles: 0,
            tile_words: params.weight_words(),
            rows: 0,
            flattening: None,
        };
        match mapping {
            Mapping::Channel => {
                let places = u64::from(layer.kernel[0]) * u64::from(layer.kernel[1]);
                Self {
                    k_tiles: u64::from(layer.input.channels.div_ceil(lanes)) * places,
                    rows: layer.input.channels.min(lanes),
                    ..plan
                }
            }
            Mapping::Flattened => {
                let flattening = Flattening::of(layer, params.array.rows);
                Self {
                    k_tiles: flattening.k_tiles.into(),
                    rows: flattening.rows,
                    flattening: Some(flattening),
                    ..plan
                }
            }
        }
    }

    /// Rows that have a tap in the last K tile of a column tile.
    pub fn last_rows(&self) -> u32 {
        self.flattening.map_or(self.rows, |f| f.last_rows)
    }

    /// Bytes of one column tile in each partition.
    pub fn column_tile_bytes(&self) -> u64 {
        self.k_tiles * u64::from(self.tile_words) * 8
    }

    /// Bytes of the layer in each partition.
    pub fn bytes(&self) -> u64 {
        self.column_tile_bytes() * u64::from(self.column_tiles)
    }

    /// Output channels of a column tile.
    pub fn columns(&self, layer: &Layer, column_tile: u32) -> u32 {
        let first = column_tile * self.lanes;
        (layer.output.channels - first).min(self.lanes)
    }

    /// The words of one partition, from the layer's first address on.
    pub fn words(&self, layer: &Layer, partition: u32) -> Vec<[u8; 8]> {
        let taps = self.taps(layer, partition);
        let mut words = Vec::new();
        for column_tile in 0..self.column_tiles {
            for tap in &taps {
                for slot in (0..self.tile_words).rev() {
                    let mut word = [0; 8];
                    for (column, byte) in (8 * slot..).zip(word.iter_mut()) {
                        *byte = self.weight(layer, column_tile, column, *tap) as u8;
                    }
                    words.push(word);
                }
            }
        }
        words
    }

    /// The tap of a row in each K tile.
    fn taps(&self, layer: &Layer, row: u32) -> Vec<Option<Tap>> {
        if let Some(flattening) = self.flattening {
            let k_tiles = 0..flattening.k_tiles;
            return k_tiles.map(|k_tile| flattening.tap(row, k_tile)).collect();
        }
        let groups = layer.input.channels.div_ceil(self.lanes);
        let [height, width] = layer.kernel;
        let mut taps = Vec::new();
        for channel in (0..groups).map(|group| group * self.lanes + row) {
            for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
                let exists = channel < layer.input.channels;
                taps.push(exists.then_some(Tap { channel, y, x }));
            }
        }
        taps
    }

    /// The weight at a place of the array; 0 where there is no tap or no output channel.
    fn weight(&self, layer: &Layer, column_tile: u32, column: u32, tap: Option<Tap>) -> i8 {
        match tap {
            Some(Tap { channel, y, x }) if column < self.columns(layer, column_tile) => {
                layer.weight(column_tile * self.lanes + column, channel, y, x)
            }
            _ => 0,
        }
    }
}

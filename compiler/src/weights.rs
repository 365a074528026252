//! The order of weights in the partitions.
//!
//! For every column tile, every K tile in the order in which the stream unit walks them (kernel
//! column, kernel row, group), ceil(columns / 8) words, the last columns first. Row r of the array
//! finds the weights of its input channel in partition r at the same addresses.

use heddle_arch::network::Layer;
use heddle_arch::params::Params;

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
}

impl WeightPlan {
    pub fn of(layer: &Layer, params: &Params) -> Self {
        let lanes = params.lanes();
        let taps = u64::from(layer.kernel[0]) * u64::from(layer.kernel[1]);
        Self {
            lanes,
            column_tiles: layer.output.channels.div_ceil(lanes),
            k_tiles: u64::from(layer.input.channels.div_ceil(lanes)) * taps,
            tile_words: params.weight_words(),
            rows: layer.input.channels.min(lanes),
        }
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
        let groups = layer.input.channels.div_ceil(self.lanes);
        let [kernel_height, kernel_width] = layer.kernel;
        let mut words = Vec::new();
        for column_tile in 0..self.column_tiles {
            for group in 0..groups {
                for ky in 0..kernel_height {
                    for kx in 0..kernel_width {
                        for slot in (0..self.tile_words).rev() {
                            let mut word = [0; 8];
                            for (column, byte) in (8 * slot..).zip(word.iter_mut()) {
                                let input = group * self.lanes + partition;
                                *byte =
                                    self.weight(layer, column_tile, column, input, ky, kx) as u8;
                            }
                            words.push(word);
                        }
                    }
                }
            }
        }
        words
    }

    /// The weight at a place of the array; 0 where there is no channel.
    fn weight(
        &self,
        layer: &Layer,
        column_tile: u32,
        column: u32,
        input: u32,
        ky: u32,
        kx: u32,
    ) -> i8 {
        if column >= self.columns(layer, column_tile) || input >= layer.input.channels {
            return 0;
        }
        layer.weight(column_tile * self.lanes + column, input, ky, kx)
    }
}

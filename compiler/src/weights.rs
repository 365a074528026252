//! The order of weights in the partitions.
//!
//! For every column tile, every K tile in the order in which the stream unit walks them (kernel
//! column, kernel row, plane; or one after the other if the taps are laid over the rows; or the tensors
//! that are added), ceil(columns / 8) words, the last columns first. Row r of the array finds the weights of its
//! tap in partition r at the same addresses. Products with a single vector have their weights streamed: byte j of group g of a K tile
//! lies 7 g + j + 1 words behind the tile's first word, so that it meets the swap that goes from column to column.

use std::ops::Range;

use heddle_arch::network::{Layer, LayerKind};
use heddle_arch::params::Params;

use crate::column_run::{
    ColumnRun, ColumnTile, column_runs, one_walk, streamed_period, streamed_tail,
};
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
    /// What each product makes.
    pub runs: Vec<ColumnRun>,
    /// Words from one K tile to the next, if weights are streamed.
    pub period: Option<u32>,
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
    /// The weights of a layer; streamed only if that is allowed: it can take more words.
    pub fn of(layer: &Layer, mapping: Mapping, streamed: bool, params: &Params) -> Self {
        let lanes = params.lanes();
        let column_tiles = layer.output.channels.div_ceil(lanes);
        let pools = reduction(layer, params).is_some();
        let plan = Self {
            lanes,
            column_tiles,
            runs: Vec::new(),
            period: None,
            pools,
            tile_words: params.weight_words(),
            rows: layer.input.channels.min(lanes),
            flattening: None,
        };
        let join = one_walk(layer, lanes, pools, params);
        let single = layer.output.height * layer.output.width == 1 && !pools;
        let tiles = |k_tiles: &dyn Fn(u32) -> u64| {
            let tiles = (0..column_tiles).map(|tile| ColumnTile {
                columns: plan.columns(layer, tile),
                k_tiles: k_tiles(tile),
                plane: match mapping {
                    Mapping::Channel => planes(layer, lanes, tile).start,
                    Mapping::Flattened => 0,
                },
            });
            column_runs(&tiles.collect::<Vec<_>>(), join)
        };
        let period = (streamed && single && join).then(|| streamed_period(plan.tile_words));
        match mapping {
            Mapping::Channel => {
                let places = match layer.kind {
                    LayerKind::Add => layer.inputs.len() as u64,
                    _ if pools => 1,
                    _ => u64::from(layer.kernel[0]) * u64::from(layer.kernel[1]),
                };
                let k_tiles = |tile| planes(layer, lanes, tile).len() as u64 * places;
                Self {
                    runs: tiles(&k_tiles),
                    period,
                    ..plan
                }
            }
            Mapping::Flattened => {
                let flattening = Flattening::of(layer, params.array.rows);
                Self {
                    runs: tiles(&|_| flattening.k_tiles.into()),
                    period,
                    rows: flattening.rows,
                    flattening: Some(flattening),
                    ..plan
                }
            }
        }
    }

    /// K tiles of all column tiles.
    pub fn all_k_tiles(&self) -> u64 {
        self.runs.iter().map(ColumnRun::all_k_tiles).sum()
    }

    /// Rows that have a tap in the last K tile of a column tile.
    pub fn last_rows(&self) -> u32 {
        self.flattening.map_or(self.rows, |f| f.last_rows)
    }

    /// Words of a run in each partition, and how many of them lie behind its tiles.
    pub fn run_words(&self, run: &ColumnRun) -> (u64, u32) {
        let tiles = run.all_k_tiles();
        match self.period {
            None => (tiles * u64::from(self.tile_words), 0),
            Some(period) => {
                let tail = streamed_tail(self.tile_words, period);
                (tiles * u64::from(period) + u64::from(tail), tail)
            }
        }
    }

    /// Distance of a run's weights from those of the first one, bytes in each partition.
    pub fn offset(&self, run: usize) -> u64 {
        let before = self.runs[..run].iter().map(|run| self.run_words(run).0);
        8 * before.sum::<u64>()
    }

    /// Bytes of the layer in each partition.
    pub fn bytes(&self) -> u64 {
        self.offset(self.runs.len())
    }

    /// Output channels of a column tile.
    pub fn columns(&self, layer: &Layer, column_tile: u32) -> u32 {
        let first = column_tile * self.lanes;
        (layer.output.channels - first).min(self.lanes)
    }

    /// The words of one partition, from the layer's first address on.
    pub fn words(&self, layer: &Layer, partition: u32) -> Vec<[u8; 8]> {
        let runs = self.runs.iter();
        runs.flat_map(|run| self.words_of_run(layer, partition, run))
            .collect()
    }

    fn words_of_run(&self, layer: &Layer, partition: u32, run: &ColumnRun) -> Vec<[u8; 8]> {
        let (length, _) = self.run_words(run);
        let mut words = vec![[0; 8]; length as usize];
        let mut tile = 0;
        for column_tile in run.tiles.clone() {
            for k_tile in self.row_weights(layer, partition, column_tile) {
                for column in 0..self.columns(layer, column_tile) {
                    let (group, lane) = (column / 8, column % 8);
                    let word = match self.period {
                        None => (tile + 1) * self.tile_words - 1 - group,
                        Some(period) => tile * period + 7 * group + lane + 1,
                    };
                    words[word as usize][lane as usize] =
                        k_tile.at(layer, column_tile * self.lanes + column) as u8;
                }
                tile += 1;
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

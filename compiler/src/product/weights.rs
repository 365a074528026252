//! The order of weights in the partitions.
//!
//! For every column tile, every K tile in the order in which the stream unit walks them (kernel
//! column, kernel row, plane; or one after the other if the taps are laid over the rows; or the tensors
//! that are added), ceil(columns / 8) words, the last columns first. A layer that reads or writes planes of even and odd rows
//! has its weights twice: for even and for odd rows, or for either half of the channels if it makes both at a time. Row r of the array finds the weights of its
//! tap in partition r at the same addresses. Products with a single vector have their weights streamed: byte j of group g of a K tile
//! lies 7 g + j + 1 words behind the tile's first word, so that it meets the swap that goes from column to column.

use std::ops::Range;

use heddle_arch::network::{Layer, LayerKind};
use heddle_arch::params::Params;

use super::column_run::{
    ColumnRun, ColumnTile, column_runs, one_walk, streamed_period, streamed_tail,
};
use super::flatten::{Flattening, Tap};
use super::mapping::Mapping;
use super::row_pairs::RowPairs;
use super::windows::reduction;
use crate::exact::LayerConstants;
use crate::layout::RowOrder;

/// Rows of the planes that a layer reads and writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Orders {
    /// Those of each input.
    pub reads: Vec<RowOrder>,
    /// Those of the output.
    pub writes: RowOrder,
}

impl Orders {
    /// The layer is done in two parts, one after the other: even rows and odd rows, or two halves of the channels.
    pub fn parts(&self) -> u32 {
        let mut all = self.reads.iter().chain([&self.writes]);
        match all.all(|&order| order == RowOrder::Plain) {
            true => 1,
            false => 2,
        }
    }
}

/// Sizes of a layer's weights.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WeightPlan {
    /// Channels of one K tile and of one column tile.
    pub lanes: u32,
    /// Column tiles of all parts: those of the second part come behind all of the first one.
    pub column_tiles: u32,
    /// Rows of the planes that the layer reads and writes.
    pub orders: Orders,
    /// The rows of the input, if the layer makes two rows at a time.
    pub pairs: Option<RowPairs>,
    /// What each product makes.
    pub runs: Vec<ColumnRun>,
    /// Words from one K tile to the next, if weights are streamed.
    pub period: Option<u32>,
    /// Windows go through pooling: one weight for all of their elements.
    pools: bool,
    /// Words of one K tile in each partition.
    pub tile_words: u32,
    /// Array rows in use.
    pub rows: u32,
    /// The taps of each row, if they are laid over the rows.
    pub flattening: Option<Flattening>,
    /// Constants of the layer.
    pub constants: LayerConstants,
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
    pub fn of(
        layer: &Layer,
        mapping: Mapping,
        orders: Orders,
        constants: LayerConstants,
        streamed: bool,
        params: &Params,
    ) -> Self {
        let lanes = params.lanes();
        let column_tiles = layer.output.channels.div_ceil(lanes) * orders.parts();
        let pools = reduction(layer, params).is_some();
        let plan = Self {
            lanes,
            column_tiles,
            pairs: (mapping == Mapping::Toeplitz).then(|| RowPairs::of(layer)),
            orders,
            runs: Vec::new(),
            period: None,
            pools,
            tile_words: params.weight_words(),
            rows: layer.input.channels.min(lanes),
            flattening: None,
            constants,
        };
        let join = one_walk(layer, lanes, pools, params);
        let single = layer.output.height * layer.output.width == 1 && !pools;
        let tiles = |k_tiles: &dyn Fn(u32) -> u64| {
            let tiles = (0..column_tiles).map(|tile| ColumnTile {
                part: plan.part(tile),
                columns: plan.columns(layer, tile),
                k_tiles: k_tiles(plan.tile_of_part(tile)),
                plane: match mapping {
                    Mapping::Flattened => 0,
                    Mapping::Channel | Mapping::Toeplitz => plan.planes(layer, tile, 0).start,
                },
            });
            column_runs(&tiles.collect::<Vec<_>>(), join)
        };
        let period = (streamed && single && join)
            .then(|| streamed_period(plan.tile_words, params.post.columns_per_multiplier));
        // Streamed weights do not wait for a sum on its way through the array.
        let in_time = |runs: &[ColumnRun]| {
            let starts_anew = runs.iter().all(|run| run.k_tiles == 1);
            period.filter(|&period| starts_anew || params.sum_distance() <= period)
        };
        match mapping {
            Mapping::Channel | Mapping::Toeplitz => {
                let places = match layer.kind {
                    _ if plan.pairs.is_some() => {
                        let steps = plan.pairs.map_or(0, |pairs| pairs.steps);
                        u64::from(steps) * u64::from(layer.kernel[1])
                    }
                    LayerKind::Add(_) | LayerKind::WeightedSum => {
                        constants.terms(layer).len() as u64
                    }
                    _ if pools => 1,
                    _ => u64::from(layer.kernel[0]) * u64::from(layer.kernel[1]),
                };
                let k_tiles = |tile| planes(layer, lanes, tile).len() as u64 * places;
                let runs = tiles(&k_tiles);
                Self {
                    period: in_time(&runs),
                    runs,
                    ..plan
                }
            }
            Mapping::Flattened => {
                let flattening = Flattening::of(layer, params.array.rows);
                let runs = tiles(&|_| flattening.k_tiles.into());
                Self {
                    period: in_time(&runs),
                    runs,
                    rows: flattening.rows,
                    flattening: Some(flattening),
                    ..plan
                }
            }
        }
    }

    /// The part of the layer that a column tile is made in.
    pub fn part(&self, column_tile: u32) -> u32 {
        column_tile / self.part_tiles()
    }

    /// Number of a column tile in its part.
    pub fn tile_of_part(&self, column_tile: u32) -> u32 {
        column_tile % self.part_tiles()
    }

    fn part_tiles(&self) -> u32 {
        self.column_tiles / self.orders.parts()
    }

    /// Planes of an input that feed a column tile: each second one from the first on if planes hold half of the rows.
    pub fn planes(&self, layer: &Layer, column_tile: u32, input: usize) -> Range<u32> {
        let planes = planes(layer, self.lanes, self.tile_of_part(column_tile));
        match self.orders.reads[input] {
            RowOrder::Plain => planes,
            RowOrder::Split | RowOrder::Paired => 2 * planes.start..2 * planes.end,
        }
    }

    /// Number in its K tile of the input channel that a row serves; of an input that is not flattened.
    pub fn lane_of_row(&self, row: u32, part: u32, input: usize) -> u32 {
        let half = self.lanes / 2;
        match self.orders.reads[input] {
            RowOrder::Plain => row,
            _ if self.pairs.is_some() => half * part + row % half,
            RowOrder::Split | RowOrder::Paired => (row + half * part) % self.lanes,
        }
    }

    /// A row serves odd rows of the input, in a layer that makes two rows at a time.
    pub fn is_odd(&self, row: u32, part: u32) -> bool {
        (row / (self.lanes / 2) + part) % 2 == 1
    }

    /// Output channel of a column, and whether it makes the odd one of two rows that come out at a time.
    pub fn output(&self, column_tile: u32, column: u32) -> (u32, bool) {
        let part = self.part(column_tile);
        let half = self.lanes / 2;
        let (lane, odd) = match self.orders.writes {
            RowOrder::Plain => (column, false),
            RowOrder::Split => ((column + half * part) % self.lanes, false),
            RowOrder::Paired => (half * part + column % half, self.is_odd(column, part)),
        };
        (self.tile_of_part(column_tile) * self.lanes + lane, odd)
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
        let first = self.tile_of_part(column_tile) * self.lanes;
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
                    let output = self.output(column_tile, column);
                    words[word as usize][lane as usize] = k_tile.at(layer, output) as u8;
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
        let (part, tile) = (self.part(column_tile), self.tile_of_part(column_tile));
        let [height, width] = layer.kernel;
        if let Some(pairs) = self.pairs {
            let channel = tile * self.lanes + self.lane_of_row(row, part, 0);
            let odd = self.is_odd(row, part).into();
            let kernel_rows = (0..pairs.steps)
                .map(|step| [0, 1].map(|output| pairs.kernel_row(layer, step, odd, output)));
            let taps = kernel_rows.flat_map(|rows| {
                let tap = move |y, x| Tap { channel, y, x };
                (0..width).map(move |x| RowWeight::Pair(rows.map(|y| y.map(|y| tap(y, x)))))
            });
            return taps.collect();
        }
        let mut weights = Vec::new();
        for plane in planes(layer, self.lanes, tile) {
            let channel = |input| {
                let channel = plane * self.lanes + self.lane_of_row(row, part, input);
                (channel < layer.input.channels).then_some(channel)
            };
            let same = |input, factor: i8| match channel(input) {
                Some(channel) => RowWeight::Same(channel, factor),
                None => RowWeight::Tap(None),
            };
            match layer.kind {
                _ if self.pools => {
                    weights.push(same(0, layer.weights.first().copied().unwrap_or(1)));
                }
                LayerKind::Add(_) | LayerKind::WeightedSum => {
                    let terms = self.constants.terms(layer).into_iter();
                    weights.extend(terms.map(|(input, factor)| same(input, factor)));
                }
                _ => {
                    let places = (0..height).flat_map(|y| (0..width).map(move |x| (y, x)));
                    let tap = |(y, x)| channel(0).map(|channel| Tap { channel, y, x });
                    weights.extend(places.map(|place| RowWeight::Tap(tap(place))));
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
    /// Those of a tap for columns that make even rows, and of another one for odd rows.
    Pair([Option<Tap>; 2]),
    /// A factor for the output of the same number, 0 for the others.
    Same(u32, i8),
}

impl RowWeight {
    fn at(self, layer: &Layer, (output, odd): (u32, bool)) -> i8 {
        match self {
            RowWeight::Tap(tap) => weight(layer, tap, output),
            RowWeight::Pair(taps) => weight(layer, taps[usize::from(odd)], output),
            RowWeight::Same(channel, factor) if channel == output => factor,
            RowWeight::Same(..) => 0,
        }
    }
}

/// The weight that leads from a tap to an output channel.
fn weight(layer: &Layer, tap: Option<Tap>, output: u32) -> i8 {
    let group = output / layer.group_outputs();
    let weight = tap.and_then(|Tap { channel, y, x }| {
        let input = channel.checked_sub(group * layer.group_inputs())?;
        (input < layer.group_inputs()).then(|| layer.weight(output, input, y, x))
    });
    weight.unwrap_or(0)
}

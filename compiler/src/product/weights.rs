//! The order of weights in the partitions.
//!
//! For every column tile, every K tile in the order in which the stream unit walks them (kernel
//! column, kernel row, plane; or one after the other if the taps are laid over the rows; or the tensors
//! that are added), ceil(columns / 8) words, the last columns first. A layer that reads or writes phases
//! has its weights for each of them, or for each share of the channels if it makes all phases at a time. Row r of the array finds the weights of its
//! tap in partition r at the same addresses. Products with few vectors have their weights [streamed](Streaming).

use std::ops::Range;

use heddle_arch::isa::ROW_TENSOR;
use heddle_arch::params::{MachineUnit, Params};
use heddle_arch::word::{COLUMNS_PER_WORD, WORD_BYTES, WordBytes};
use heddle_network::Layer;

use super::column_run::{ColumnRun, ColumnTile, column_runs};
use super::mapping::Mapping;
use super::pixel_orders::Orders;
use super::reduction::Reduction;
use super::streaming::Streaming;
use crate::exact::LayerConstants;
use crate::layout::PixelOrder;

/// Sizes of a layer's weights.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WeightPlan {
    /// Channels of one K tile and of one column tile.
    pub lanes: u32,
    /// Column tiles of all parts: those of a part come after all of the part before.
    pub column_tiles: u32,
    /// Pixels of the planes that the layer reads and writes.
    pub orders: Orders,
    /// What a K tile sums over.
    pub reduction: Reduction,
    outputs: u32,
    /// What each product makes.
    pub runs: Vec<ColumnRun>,
    /// How weights are streamed, if they are.
    pub streaming: Option<Streaming>,
    /// Words of one K tile in each partition.
    pub tile_words: u32,
    /// Array rows in use.
    pub rows: u32,
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
        let reduction = Reduction::of(layer, mapping, &orders, constants.rows, params);
        let rotated = |order: &PixelOrder| !matches!(order, PixelOrder::Plain | PixelOrder::Phased);
        let mut plan = Self {
            lanes,
            column_tiles: 0,
            reduction,
            outputs: layer.output.channels,
            runs: Vec::new(),
            streaming: None,
            tile_words: params.weight_words(),
            rows: match reduction {
                Reduction::Rows(flattening) => flattening.rows,
                _ if orders.reads.iter().any(rotated) => lanes,
                _ => layer.input.channels.min(lanes),
            },
            constants,
            orders,
        };
        let parts = 0..plan.orders.parts();
        plan.column_tiles = parts.map(|part| plan.part_tiles(part)).sum();
        let join = one_walk(layer, &plan, params);
        let tiles = (0..plan.column_tiles).map(|tile| ColumnTile {
            part: plan.part(tile),
            columns: plan.columns(tile),
            k_tiles: plan.k_tiles(layer, tile),
            plane: plan.planes(layer, tile, 0).start,
        });
        plan.runs = column_runs(&tiles.collect::<Vec<_>>(), join);
        if streamed && join {
            plan.streaming = plan.streaming(layer, params);
        }
        plan
    }

    /// K tiles of a column tile.
    fn k_tiles(&self, layer: &Layer, column_tile: u32) -> u64 {
        let product = |sides: [u32; 2]| sides.map(u64::from).iter().product();
        let of_plane = match self.reduction {
            Reduction::Rows(flattening) => return flattening.k_tiles.into(),
            Reduction::Channels | Reduction::InPlace(_) => product(layer.kernel),
            Reduction::Blocks(blocks) => product(blocks.steps()),
            Reduction::Window(_) => 1,
            Reduction::Terms => self.constants.terms(layer).len() as u64,
        };
        let planes = planes(layer, self.lanes, self.tile_of_part(column_tile));
        planes.len() as u64 * of_plane
    }

    /// Slots for each result.
    pub fn window(&self) -> u32 {
        self.reduction.pooling().map_or(1, |pooling| pooling.window)
    }

    /// How weights are streamed, if a K tile has so few vectors that the next one could not be loaded meanwhile.
    fn streaming(&self, layer: &Layer, params: &Params) -> Option<Streaming> {
        let size = [layer.output.height, layer.output.width];
        let extents = (0..self.orders.parts()).map(|part| self.extent(part, size));
        let pixels = extents.map(|[height, width]| height * width).max();
        let most = params.results_buffer.depth / self.window();
        let starts_anew = self.runs.iter().all(|run| run.k_tiles == 1);
        let distance = if starts_anew {
            0
        } else {
            params.sum_distance()
        };
        let vectors = pixels.unwrap_or(1).min(most) * self.window();
        Streaming::in_time(vectors, distance, params)
    }

    /// The part of the layer that a column tile is made in.
    pub fn part(&self, column_tile: u32) -> u32 {
        self.part_and_tile(column_tile).0
    }

    /// Number of a column tile in its part.
    pub fn tile_of_part(&self, column_tile: u32) -> u32 {
        self.part_and_tile(column_tile).1
    }

    fn part_and_tile(&self, column_tile: u32) -> (u32, u32) {
        let (mut part, mut tile) = (0, column_tile);
        while tile >= self.part_tiles(part) {
            tile -= self.part_tiles(part);
            part += 1;
        }
        (part, tile)
    }

    /// Column tiles of a part: groups of channels, of which the last one may have no share of the part.
    fn part_tiles(&self, part: u32) -> u32 {
        let before = match self.reduction {
            Reduction::Blocks(blocks) => part * (self.lanes / blocks.phases.count()),
            _ => 0,
        };
        self.outputs.saturating_sub(before).div_ceil(self.lanes)
    }

    /// First row and column of a part, and the distances of its rows and columns.
    pub fn pixels(&self, part: u32) -> [[u32; 2]; 2] {
        match (self.orders.phases(), self.reduction) {
            (None, _) => [[0, 0], [1, 1]],
            (Some(phases), Reduction::Blocks(_)) => [[0, 0], phases.steps()],
            (Some(phases), _) => [phases.first(part), phases.steps()],
        }
    }

    /// Rows and columns of a part of the output.
    pub fn extent(&self, part: u32, output: [u32; 2]) -> [u32; 2] {
        let [first, steps] = self.pixels(part);
        [0, 1].map(|side| (output[side] + steps[side] - 1 - first[side]) / steps[side])
    }

    /// Planes of an input that feed a column tile.
    pub fn planes(&self, layer: &Layer, column_tile: u32, input: usize) -> Range<u32> {
        let planes = planes(layer, self.lanes, self.tile_of_part(column_tile));
        let apart = self.orders.reads[input].planes_of_group();
        apart * planes.start..apart * planes.end
    }

    /// The phase of a tensor's planes that a part reads or writes.
    pub fn phase(&self, part: u32, order: PixelOrder) -> u32 {
        let [first, _] = self.pixels(part);
        order.phases().map_or(0, |phases| phases.of(first))
    }

    /// The plane of a group that a row reads; of an input that is not flattened.
    pub fn plane_of_row(&self, row: u32, part: u32, input: usize) -> u32 {
        let order = self.orders.reads[input];
        let block = || row / (self.lanes / order.planes_of_group());
        match (order, self.reduction) {
            (PixelOrder::Plain, _) => 0,
            (PixelOrder::Split(_), Reduction::Blocks(_)) => block() ^ part,
            (PixelOrder::Split(_) | PixelOrder::Phased, _) => self.phase(part, order),
            (PixelOrder::Joined(_), _) => block() ^ self.phase(part, order),
        }
    }

    /// Number in its K tile of the input channel that a row serves; of an input that is not flattened.
    pub fn lane_of_row(&self, row: u32, part: u32, input: usize) -> u32 {
        let plane = self.plane_of_row(row, part, input);
        self.orders.reads[input].lane(row, plane, self.lanes)
    }

    /// The plane of a group that a part writes.
    pub fn written_plane(&self, part: u32) -> u32 {
        match self.orders.writes {
            PixelOrder::Joined(_) => part,
            order => self.phase(part, order),
        }
    }

    /// Output channel of a column, and its phase among those that come out at a time.
    pub fn output(&self, column_tile: u32, column: u32) -> (u32, u32) {
        let (part, tile) = self.part_and_tile(column_tile);
        let (order, plane) = (self.orders.writes, self.written_plane(part));
        let phase = match order {
            PixelOrder::Joined(_) => order.phase(column, plane, self.lanes),
            _ => 0,
        };
        (
            tile * self.lanes + order.lane(column, plane, self.lanes),
            phase,
        )
    }

    /// Rows that have a tap in the last K tile of a column tile.
    pub fn last_rows(&self) -> u32 {
        let flattening = self.reduction.flattening();
        flattening.map_or(self.rows, |flattening| flattening.last_rows)
    }

    /// Words of a run in each partition.
    fn run_words(&self, run: &ColumnRun) -> u64 {
        let tiles = run.all_k_tiles();
        match self.streaming {
            None => tiles * u64::from(self.tile_words),
            Some(streaming) => streaming.words(tiles),
        }
    }

    /// Distance of a run's weights from those of the first one, bytes in each partition.
    pub fn offset(&self, run: usize) -> u64 {
        let before = self.runs[..run].iter().map(|run| self.run_words(run));
        u64::from(WORD_BYTES) * before.sum::<u64>()
    }

    /// Bytes of the layer in each partition.
    pub fn bytes(&self) -> u64 {
        self.offset(self.runs.len())
    }

    /// Columns of a column tile: its output channels, or all where these lie rotated.
    pub fn columns(&self, column_tile: u32) -> u32 {
        let first = self.tile_of_part(column_tile) * self.lanes;
        match self.orders.writes {
            PixelOrder::Plain | PixelOrder::Phased => (self.outputs - first).min(self.lanes),
            PixelOrder::Split(_) | PixelOrder::Joined(_) => self.lanes,
        }
    }

    /// The words of one partition, from the layer's first address on.
    pub fn words(&self, layer: &Layer, partition: u32) -> Vec<WordBytes> {
        let runs = self.runs.iter();
        runs.flat_map(|run| self.words_of_run(layer, partition, run))
            .collect()
    }

    fn words_of_run(&self, layer: &Layer, partition: u32, run: &ColumnRun) -> Vec<WordBytes> {
        let tiles = run.all_k_tiles();
        let mut words = vec![WordBytes::default(); self.run_words(run) as usize];
        let mut tile = 0;
        for column_tile in run.tiles.clone() {
            for k_tile in self.row_weights(layer, partition, column_tile) {
                for column in 0..self.columns(column_tile) {
                    let (group, lane) = (column / COLUMNS_PER_WORD, column % COLUMNS_PER_WORD);
                    let word = match self.streaming {
                        None => (tile + 1) * u64::from(self.tile_words) - 1 - u64::from(group),
                        Some(streaming) => streaming.word(tiles, tile, group, lane),
                    };
                    let output = self.output(column_tile, column);
                    words[word as usize][lane as usize] = k_tile.at(layer, output) as u8;
                }
                tile += 1;
            }
        }
        words
    }
}

/// Whether all K tiles of a column tile are one walk: the loops over vectors and K tiles are at most those
/// of the stream unit, and a drain has one for the column tiles.
fn one_walk(layer: &Layer, plan: &WeightPlan, params: &Params) -> bool {
    let loops = |counts: &[u32]| counts.iter().filter(|&&count| count > 1).count() as u32;
    let [kernel_height, kernel_width] = layer.kernel;
    let planes = layer.group_inputs().div_ceil(plan.lanes) + 1;
    let pixels = [layer.output.height, layer.output.width];
    let window = [kernel_height, kernel_width, planes];
    let needed = match plan.reduction.pooling() {
        Some(_) => {
            let phases = plan.orders.reads[0].planes_of_group();
            loops(&[&pixels, &window[..2], &[phases]].concat()).max(1) + 1
        }
        None => loops(&pixels).max(1) + loops(&window),
    };
    let traversal = &params.traversal;
    layer.inputs.len() == 1
        && needed <= traversal.row_loops(MachineUnit::Stream, ROW_TENSOR)
        && traversal.row_loops(MachineUnit::Drain, 0) > 2
}

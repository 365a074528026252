//! The instructions of one layer.
//!
//! For every M tile (output pixels whose sums fit one results bank) and every run of column tiles: LOAD_WEIGHTS, MATMUL and
//! DRAIN, which work through the column tiles one after the other, so that the next weights load while the products of this tile are made. A layer that reads or writes phases
//! does that for each of its parts, one after the other.

use heddle_arch::isa::{
    Drain, Instruction, LoadWeights, Loop, Matmul, ROW_PROLOGUE, ROW_TENSOR, Record, Repeat,
    RowBlock, RowTable, Wait,
};
use heddle_arch::params::Params;
use heddle_arch::requantise::{Rounding, threshold};
use heddle_arch::word::WORD_BYTES;
use heddle_network::Layer;

use super::column_run::ColumnRun;
use super::pixel_tiles::PixelTile;
use super::weights::WeightPlan;
use crate::layout::TensorPlan;
use crate::loops::{Count, merge};

/// A layer with the places of all its data.
#[derive(Debug, Clone)]
pub(crate) struct PlacedLayer<'a> {
    pub layer: &'a Layer,
    pub params: &'a Params,
    pub inputs: Vec<&'a TensorPlan>,
    pub output: &'a TensorPlan,
    pub weights: &'a WeightPlan,
    /// Address of the weights.
    pub weight_base: u32,
    /// Number of the first column tile among those of all layers.
    pub first_column_tile: u32,
    /// First entry in the offset tables of the rows, for each input and part.
    pub first_entries: &'a [Vec<Option<u32>>],
}

impl PlacedLayer<'_> {
    /// Rows and columns of output pixels in a part.
    pub(super) fn extent(&self, part: u32) -> [u32; 2] {
        let shape = self.output.shape;
        self.weights.extent(part, [shape.height, shape.width])
    }

    pub(super) fn registers(&self, loops: &[Count]) -> Vec<Loop> {
        let bits = self.params.traversal.offset_bits;
        loops.iter().map(|count| count.registers(bits)).collect()
    }

    /// Loads the weights of a run, which lie so many bytes behind the first ones.
    pub(super) fn load_weights(&self, run: &ColumnRun, offset: u64) -> Instruction {
        let plan = self.weights;
        let fit = |size: u64| u32::try_from(size).expect("weights lie inside a partition");
        let base = self.weight_base + fit(offset);
        let (words, step) = match plan.streaming {
            Some(streaming) => (streaming.period, streaming.step),
            None => (plan.tile_words, plan.tile_words),
        };
        let tiles = run.all_k_tiles();
        let loops = [
            Count::new(words, WORD_BYTES),
            Count::new(fit(tiles), WORD_BYTES * step),
        ];
        let mut rows = vec![RowBlock {
            row: 0,
            base,
            loops: self.registers(&loops),
        }];
        if let Some(streaming) = plan.streaming.filter(|streaming| streaming.tail > 0) {
            rows.push(RowBlock {
                row: 1,
                base: base + WORD_BYTES * fit(streaming.main_words(tiles)),
                loops: self.registers(&[Count::new(streaming.tail, WORD_BYTES)]),
            });
        }
        Instruction::LoadWeights(LoadWeights {
            wait: Wait::default(),
            rows: plan.rows,
            tile_level: 0,
            flip: 0,
            streamed: plan.streaming.is_some(),
            record: Record { rows },
        })
    }

    pub(super) fn drain(&self, run: &ColumnRun, tile: &PixelTile) -> Instruction {
        let layer = self.layer;
        let zero_point = i16::from(layer.scaled_zero_point());
        let constants = self.weights.constants;
        let first = run.tiles.start;
        let address = |column_tile: u32| self.result(column_tile, tile);
        let [_, steps] = self.weights.pixels(self.weights.part(first));
        let rows_apart = steps[0] / self.output.order.steps()[0];
        let mut loops = merge(&[
            Count::new(tile.width, 1),
            Count::new(tile.height, rows_apart * self.output.pitch),
        ]);
        let column_tiles = run.tiles.len() as u32;
        let mut advance = None;
        if column_tiles > 1 {
            if loops.is_empty() {
                loops.push(Count::new(1, 1));
            }
            advance = Some(loops.len() as u8 - 1);
            loops.push(Count::new(
                column_tiles,
                address(first + 1) - address(first),
            ));
        }
        Instruction::Drain(Drain {
            wait: Wait::default(),
            columns: self.weights.columns(first),
            single: constants.dual.map_or(layer.rounding, |dual| dual.rounding) == Rounding::Single,
            dual: constants.dual.is_some(),
            tile: self.column_tile_index(first),
            lo: i16::from(layer.min) - zero_point,
            hi: i16::from(layer.max) - zero_point,
            place: None,
            activation: constants.table,
            pooling: self.weights.reduction.pooling(),
            advance,
            record: Record {
                rows: vec![RowBlock {
                    row: 0,
                    base: address(first),
                    loops: self.registers(&loops),
                }],
            },
        })
    }

    /// Address of the first result of a column tile in a rectangle of pixels.
    pub(super) fn result(&self, column_tile: u32, tile: &PixelTile) -> u32 {
        let plan = self.weights;
        let part = plan.part(column_tile);
        let order = self.output.order;
        let number = order.planes_of_group() * plan.tile_of_part(column_tile);
        let ([first, steps], apart) = (plan.pixels(part), order.steps());
        debug_assert_eq!(steps[1], apart[1], "bytes of a word cannot be interleaved");
        let at = |side: usize, number: u32| (first[side] + steps[side] * number) / apart[side];
        let plane = number + plan.written_plane(part);
        self.output
            .address(plane, at(0, tile.y).into(), at(1, tile.x).into())
    }

    fn column_tile_index(&self, column_tile: u32) -> u16 {
        let index = self.first_column_tile + column_tile;
        u16::try_from(index).expect("a machine has at most 1024 column tiles")
    }

    /// One MATMUL for each input, or several when the traversal unit has too few loops for all K
    /// tiles.
    pub(super) fn matmuls(
        &self,
        run: &ColumnRun,
        tile: &PixelTile,
        bank: bool,
    ) -> Vec<Instruction> {
        let mut instructions = Vec::new();
        let column_tile = run.tiles.start;
        let columns = self.weights.columns(column_tile);
        let macs = self.weights.rows * columns;
        let mut walks = Vec::new();
        let layer_part = self.weights.part(column_tile) as usize;
        for (index, _) in self.weights.constants.terms(self.layer) {
            let input = &self.layer.inputs[index];
            let walk = self.walk(index, column_tile, tile);
            let base = self.first_operand(index, column_tile, tile);
            let walk_tiles = walk.k_tiles / walk.offsets.len() as u32;
            let first_entry = self.first_entries[index][layer_part];
            for (number, offset) in (0..).zip(&walk.offsets) {
                let entry = first_entry.map(|first| (first + number * walk_tiles) as u8);
                walks.push((input.zero_point, base + offset, walk.clone(), entry));
            }
        }
        let parts = walks.len();
        let times = run.tiles.len() as u32;
        debug_assert!(parts == 1 || times == 1, "only one walk can be repeated");
        let repeat = (times > 1).then(|| Repeat {
            times,
            step: run.plane_step * self.inputs[0].plane_stride,
        });
        for (part, (zero_point, base, walk, first_entry)) in walks.into_iter().enumerate() {
            let (first, last) = (part == 0, part + 1 == parts);
            let mut rows = Vec::with_capacity(2);
            if first {
                rows.push(RowBlock {
                    row: ROW_PROLOGUE,
                    base: self.column_tile_index(column_tile).into(),
                    loops: Vec::new(),
                });
            }
            rows.push(RowBlock {
                row: ROW_TENSOR,
                base,
                loops: self.registers(&walk.loops),
            });
            let table = first_entry.map(|first_entry| RowTable {
                first_entry,
                last_macs: match last {
                    true => self.weights.last_rows() * columns,
                    false => macs,
                },
            });
            instructions.push(Instruction::Matmul(Matmul {
                wait: Wait::default(),
                rows: self.weights.rows,
                first,
                last,
                bank,
                // The sums of the second input are added below those of the first one.
                raised: first && self.weights.constants.dual.is_some(),
                cluster: false,
                tile_level: walk.tile_level,
                threshold: threshold(zero_point),
                macs,
                table,
                repeat,
                record: Record { rows },
            }));
        }
        instructions
    }

    /// Operands of the layer: tensor slots times the rows that have a tap.
    pub fn operands(&self) -> u64 {
        let plan = self.weights;
        let missing = u64::from(plan.rows - plan.last_rows());
        self.of_all_runs(|run| {
            let tiles = run.tiles.len() as u64;
            run.all_k_tiles() * u64::from(plan.rows) - missing * tiles
        })
    }

    /// Tensor slots of the layer.
    pub fn vectors(&self) -> u64 {
        self.of_all_runs(ColumnRun::all_k_tiles)
    }

    /// Sum over all runs of something that each of their pixels takes.
    fn of_all_runs(&self, each: impl Fn(&ColumnRun) -> u64) -> u64 {
        let runs = self.weights.runs.iter();
        let sums = runs.map(|run| self.slots(self.weights.part(run.tiles.start)) * each(run));
        sums.sum()
    }

    /// Tensor slots of one K tile, all pixel tiles of a part.
    fn slots(&self, part: u32) -> u64 {
        let [height, width] = self.extent(part).map(u64::from);
        let pixels = height * width;
        pixels * u64::from(self.weights.window())
    }
}

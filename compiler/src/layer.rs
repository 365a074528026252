//! The instructions of one layer.
//!
//! For every column tile and every M tile (output pixels whose sums fit one results bank):
//! LOAD_WEIGHTS, DRAIN, MATMUL in this order, so that the next weights load while the products of
//! this tile are made.

use heddle_arch::isa::{
    Instruction, Loop, ROW_PROLOGUE, ROW_TENSOR, Record, RowBlock, RowTable, Wait,
};
use heddle_arch::network::Layer;
use heddle_arch::params::Params;
use heddle_arch::requantise::{Rounding, threshold};

use crate::loops::{Count, merge, unroll};
use crate::tensor::TensorPlan;
use crate::weights::WeightPlan;

/// A layer with the places of all its data.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlacedLayer<'a> {
    pub layer: &'a Layer,
    pub params: &'a Params,
    pub input: &'a TensorPlan,
    pub output: &'a TensorPlan,
    pub weights: &'a WeightPlan,
    /// Address of the weights.
    pub weight_base: u32,
    /// Number of the first column tile among those of all layers.
    pub first_column_tile: u32,
}

/// A rectangle of output pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PixelTile {
    y: u32,
    x: u32,
    height: u32,
    width: u32,
}

impl PlacedLayer<'_> {
    /// All instructions of the layer, HALT excluded.
    pub fn instructions(&self) -> Vec<Instruction> {
        let tiles = pixel_tiles(
            self.output.shape.height,
            self.output.shape.width,
            self.params.results_buffer.depth,
        );
        let mut instructions = Vec::new();
        let mut bank = false;
        for column_tile in 0..self.weights.column_tiles {
            for tile in &tiles {
                instructions.push(self.load_weights(column_tile));
                instructions.push(self.drain(column_tile, tile));
                self.push_matmuls(&mut instructions, column_tile, tile, bank);
                bank = !bank;
            }
        }
        instructions
    }

    fn registers(&self, loops: &[Count]) -> Vec<Loop> {
        let bits = self.params.traversal.offset_bits;
        loops.iter().map(|count| count.registers(bits)).collect()
    }

    fn load_weights(&self, column_tile: u32) -> Instruction {
        let plan = self.weights;
        let fit = |size: u64| u32::try_from(size).expect("weights lie inside a partition");
        let loops = [
            Count::new(plan.tile_words, 8),
            Count::new(fit(plan.k_tiles), 8 * plan.tile_words),
        ];
        Instruction::LoadWeights {
            wait: Wait::default(),
            rows: plan.rows,
            tile_level: 0,
            flip: 0,
            record: Record {
                rows: vec![RowBlock {
                    row: 0,
                    base: self.weight_base + column_tile * fit(plan.column_tile_bytes()),
                    loops: self.registers(&loops),
                }],
            },
        }
    }

    fn drain(&self, column_tile: u32, tile: &PixelTile) -> Instruction {
        let layer = self.layer;
        let zero_point = i16::from(layer.output_zero_point);
        let loops = merge(&[
            Count::new(tile.width, 1),
            Count::new(tile.height, self.output.pitch),
        ]);
        Instruction::Drain {
            wait: Wait::default(),
            columns: self.weights.columns(layer, column_tile),
            single: layer.rounding == Rounding::Single,
            tile: self.column_tile_index(column_tile),
            lo: i16::from(layer.min) - zero_point,
            hi: i16::from(layer.max) - zero_point,
            place: None,
            activation: 0,
            pooling: None,
            record: Record {
                rows: vec![RowBlock {
                    row: 0,
                    base: self
                        .output
                        .address(column_tile, tile.y.into(), tile.x.into()),
                    loops: self.registers(&loops),
                }],
            },
        }
    }

    fn column_tile_index(&self, column_tile: u32) -> u8 {
        let index = self.first_column_tile + column_tile;
        u8::try_from(index).expect("a machine has at most 256 column tiles")
    }

    /// One MATMUL, or several when the traversal unit has too few loops for all K tiles.
    fn push_matmuls(
        &self,
        instructions: &mut Vec<Instruction>,
        column_tile: u32,
        tile: &PixelTile,
        bank: bool,
    ) {
        let (vectors, k_loops, offsets) = self.operand_loops(tile);
        let tile_level = vectors.len() as u32 - 1;
        let loops = self.registers(&[vectors, k_loops].concat());
        let base = self.first_operand(tile);
        let columns = self.weights.columns(self.layer, column_tile);
        let parts = offsets.len();
        let part_tiles = self.weights.k_tiles as u32 / parts as u32;
        for (part, offset) in offsets.into_iter().enumerate() {
            let first = part == 0;
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
                base: base + offset,
                loops: loops.clone(),
            });
            let last = part + 1 == parts;
            let macs = self.weights.rows * columns;
            let table = self.weights.flattening.map(|_| RowTable {
                first_entry: (part as u32 * part_tiles) as u8,
                last_macs: match last {
                    true => self.weights.last_rows() * columns,
                    false => macs,
                },
            });
            instructions.push(Instruction::Matmul {
                wait: Wait::default(),
                rows: self.weights.rows,
                first,
                last,
                bank,
                tile_level,
                threshold: threshold(self.layer.input_zero_point),
                macs,
                table,
                record: Record { rows },
            });
        }
    }

    /// Loops over the vectors of one K tile (at least one), loops over K tiles, and the offsets of
    /// the K tiles for which there is no loop.
    fn operand_loops(&self, tile: &PixelTile) -> (Vec<Count>, Vec<Count>, Vec<u32>) {
        let pitch = self.input.pitch;
        let [stride_y, stride_x] = self.layer.stride;
        let mut vectors = merge(&[
            Count::new(tile.width, stride_x),
            Count::new(tile.height, stride_y * pitch),
        ]);
        if vectors.is_empty() {
            vectors.push(Count::new(1, 1));
        }
        let [kernel_height, kernel_width] = self.layer.kernel;
        let k_loops = match self.weights.flattening {
            // The rows' offsets lead to the taps; a loop needs a step all the same.
            Some(flattening) => merge(&[Count::new(flattening.k_tiles, 1)]),
            None => merge(&[
                Count::new(kernel_width, 1),
                Count::new(kernel_height, pitch),
                Count::new(self.input.groups(), self.input.plane_stride),
            ]),
        };
        let room = self.params.traversal.loops as usize - vectors.len();
        let (kept, offsets) = unroll(&k_loops, room);
        (vectors, kept, offsets)
    }

    /// Address of the operand for the first pixel and the first place of the kernel.
    fn first_operand(&self, tile: &PixelTile) -> u32 {
        let padding = self.layer.padding;
        let [stride_y, stride_x] = self.layer.stride;
        let y = i64::from(tile.y * stride_y) - i64::from(padding.top);
        let x = i64::from(tile.x * stride_x) - i64::from(padding.left);
        let flattening = self.weights.flattening;
        let slack = flattening.map_or(0, |f| f.slack(self.input.distances()));
        self.input.address(0, y, x - i64::from(slack))
    }

    /// The offset tables of the rows: row, entry, offset.
    pub fn row_offsets(&self) -> Vec<(u32, u32, Option<u16>)> {
        let Some(flattening) = self.weights.flattening else {
            return Vec::new();
        };
        let distances = self.input.distances();
        let entries = (0..flattening.rows)
            .flat_map(|row| (0..flattening.k_tiles).map(move |entry| (row, entry)));
        entries
            .map(|(row, entry)| (row, entry, flattening.offset(row, entry, distances)))
            .collect()
    }

    /// Operands of the layer: tensor slots times the rows that have a tap.
    pub fn operands(&self) -> u64 {
        let plan = self.weights;
        let all = plan.k_tiles * u64::from(plan.rows);
        let missing = u64::from(plan.rows - plan.last_rows());
        self.vectors() / plan.k_tiles * (all - missing)
    }

    /// Tensor slots of the layer.
    pub fn vectors(&self) -> u64 {
        let pixels = u64::from(self.output.shape.height) * u64::from(self.output.shape.width);
        pixels * self.weights.k_tiles * u64::from(self.weights.column_tiles)
    }
}

/// Cuts a plane into tiles of at most `depth` pixels: whole rows, or parts of a row when a row alone
/// is too long. `depth` is a multiple of 8, so that every part begins at a whole word.
fn pixel_tiles(height: u32, width: u32, depth: u32) -> Vec<PixelTile> {
    let mut tiles = Vec::new();
    let tile_width = width.min(depth);
    let tile_height = (depth / tile_width).min(height);
    for y in (0..height).step_by(tile_height as usize) {
        for x in (0..width).step_by(tile_width as usize) {
            tiles.push(PixelTile {
                y,
                x,
                height: tile_height.min(height - y),
                width: tile_width.min(width - x),
            });
        }
    }
    tiles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixel_tiles_cover_the_plane_within_the_depth() {
        for (height, width, depth, count) in [
            (8, 8, 64, 1),
            (8, 8, 16, 4),
            (5, 7, 16, 3),
            (1, 1, 16, 1),
            (3, 40, 16, 9),
            (3, 24, 16, 6),
            (2, 20, 20, 2),
        ] {
            let tiles = pixel_tiles(height, width, depth);
            assert_eq!(tiles.len(), count, "{height} x {width} by {depth}");
            let mut seen = vec![0; (height * width) as usize];
            for t in &tiles {
                assert!(t.width * t.height <= depth);
                assert!(t.x % 8 == 0);
                for (y, x) in (0..t.height).flat_map(|y| (0..t.width).map(move |x| (y, x))) {
                    seen[((t.y + y) * width + t.x + x) as usize] += 1;
                }
            }
            assert!(seen.iter().all(|&n| n == 1));
        }
    }
}

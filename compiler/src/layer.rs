//! The instructions of one layer.
//!
//! For every column tile and every M tile (output pixels whose sums fit one results bank):
//! LOAD_WEIGHTS, DRAIN, MATMUL in this order, so that the next weights load while the products of
//! this tile are made.

use heddle_arch::isa::{
    Instruction, Loop, Pooling, ROW_PROLOGUE, ROW_TENSOR, Record, Reduction, RowBlock, RowTable,
    Wait,
};
use heddle_arch::network::{Layer, LayerKind};
use heddle_arch::params::Params;
use heddle_arch::requantise::{Rounding, threshold};

use crate::loops::{Count, merge, unroll};
use crate::tensor::TensorPlan;
use crate::weights::{WeightPlan, planes};

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
            self.params.results_buffer.depth / window(self.layer),
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
            Count::new(fit(plan.k_tiles(column_tile)), 8 * plan.tile_words),
        ];
        Instruction::LoadWeights {
            wait: Wait::default(),
            rows: plan.rows,
            tile_level: 0,
            flip: 0,
            record: Record {
                rows: vec![RowBlock {
                    row: 0,
                    base: self.weight_base + fit(plan.offset(column_tile)),
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
            pooling: (layer.kind == LayerKind::MaxPool2d).then(|| Pooling {
                reduction: Reduction::Max,
                window: window(layer),
            }),
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

    /// One MATMUL for each input, or several when the traversal unit has too few loops for all K
    /// tiles.
    fn push_matmuls(
        &self,
        instructions: &mut Vec<Instruction>,
        column_tile: u32,
        tile: &PixelTile,
        bank: bool,
    ) {
        let columns = self.weights.columns(self.layer, column_tile);
        let macs = self.weights.rows * columns;
        let mut walks = Vec::new();
        for (tensor, input) in self.inputs.iter().zip(&self.layer.inputs) {
            let walk = self.walk(tensor, column_tile, tile);
            let base = self.first_operand(tensor, column_tile, tile);
            let part_tiles = walk.k_tiles / walk.offsets.len() as u32;
            for (part, offset) in (0..).zip(&walk.offsets) {
                let entry = (part * part_tiles) as u8;
                walks.push((input.zero_point, base + offset, walk.clone(), entry));
            }
        }
        let parts = walks.len();
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
            let table = self.weights.flattening.map(|_| RowTable {
                first_entry,
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
                tile_level: walk.tile_level,
                threshold: threshold(zero_point),
                macs,
                table,
                record: Record { rows },
            });
        }
    }

    /// How the stream unit walks a tensor for a column tile.
    fn walk(&self, input: &TensorPlan, column_tile: u32, tile: &PixelTile) -> Walk {
        let pitch = input.pitch;
        let [stride_y, stride_x] = self.layer.stride;
        let [kernel_height, kernel_width] = self.layer.kernel;
        let [down, right] = self.layer.dilation;
        let window = [
            Count::new(kernel_width, right),
            Count::new(kernel_height, down * pitch),
        ];
        let pixels = [
            Count::new(tile.width, stride_x),
            Count::new(tile.height, stride_y * pitch),
        ];
        let mut vectors = match self.layer.kind {
            // The elements of a window follow each other.
            LayerKind::MaxPool2d => merge(&[window, pixels].concat()),
            _ => merge(&pixels),
        };
        if vectors.is_empty() {
            vectors.push(Count::new(1, 1));
        }
        let planes = planes(self.layer, self.weights.lanes, column_tile).len() as u32;
        let planes = Count::new(planes, input.plane_stride);
        let k_loops = match (self.weights.flattening, self.layer.kind) {
            // The rows' offsets lead to the taps; a loop needs a step all the same.
            (Some(flattening), _) => merge(&[Count::new(flattening.k_tiles, 1)]),
            (None, LayerKind::MaxPool2d) => merge(&[planes]),
            (None, _) => merge(&[window[0], window[1], planes]),
        };
        let room = (self.params.traversal.loops as usize).saturating_sub(vectors.len());
        let k_tiles = k_loops.iter().map(|count| count.trips).product();
        let (kept, offsets) = unroll(&k_loops, room);
        Walk {
            tile_level: vectors.len() as u32 - 1,
            loops: [vectors, kept].concat(),
            offsets,
            k_tiles,
        }
    }

    /// Address of the operand for the first pixel and the first place of the kernel.
    fn first_operand(&self, input: &TensorPlan, column_tile: u32, tile: &PixelTile) -> u32 {
        let padding = self.layer.padding;
        let [stride_y, stride_x] = self.layer.stride;
        let y = i64::from(tile.y * stride_y) - i64::from(padding.top);
        let x = i64::from(tile.x * stride_x) - i64::from(padding.left);
        match self.weights.flattening {
            Some(flattening) => {
                let slack = flattening.slack(input.distances());
                input.address(0, y, x - i64::from(slack))
            }
            None => {
                let planes = planes(self.layer, self.weights.lanes, column_tile);
                input.address(planes.start, y, x)
            }
        }
    }

    /// The offset tables of the rows: row, entry, offset.
    pub fn row_offsets(&self) -> Vec<(u32, u32, Option<u16>)> {
        let Some(flattening) = self.weights.flattening else {
            return Vec::new();
        };
        let distances = self.inputs[0].distances();
        let entries = (0..flattening.rows)
            .flat_map(|row| (0..flattening.k_tiles).map(move |entry| (row, entry)));
        entries
            .map(|(row, entry)| (row, entry, flattening.offset(row, entry, distances)))
            .collect()
    }

    /// Operands of the layer: tensor slots times the rows that have a tap.
    pub fn operands(&self) -> u64 {
        let plan = self.weights;
        let missing = u64::from(plan.rows - plan.last_rows()) * u64::from(plan.column_tiles);
        self.slots() * (plan.all_k_tiles() * u64::from(plan.rows) - missing)
    }

    /// Tensor slots of the layer.
    pub fn vectors(&self) -> u64 {
        self.slots() * self.weights.all_k_tiles()
    }

    /// Tensor slots of one K tile, all pixel tiles.
    fn slots(&self) -> u64 {
        let pixels = u64::from(self.output.shape.height) * u64::from(self.output.shape.width);
        pixels * u64::from(window(self.layer))
    }
}

/// The addresses of one input for a column tile and a rectangle of pixels.
#[derive(Debug, Clone)]
struct Walk {
    /// Loops, those over the vectors of one K tile (at least one) and those over K tiles.
    loops: Vec<Count>,
    /// The last loop over vectors.
    tile_level: u32,
    /// Offsets of the K tiles for which there is no loop.
    offsets: Vec<u32>,
    /// K tiles of all offsets.
    k_tiles: u32,
}

/// Whether a machine can do what a layer asks for; else what is missing.
pub(crate) fn check_layer(layer: &Layer, params: &Params) -> Result<(), String> {
    if layer.kind != LayerKind::MaxPool2d {
        return Ok(());
    }
    if !params.post.pooling {
        return Err("max_pool2d needs pooling, expected post.pooling to be true".to_string());
    }
    let [height, width] = layer.kernel;
    let size = height * width;
    if size > 256 {
        return Err(format!(
            "window is {height} x {width}, expected at most 256 elements"
        ));
    }
    // A window passes through the results buffer as a whole.
    let room = params.results_buffer.depth / size;
    let needed = layer.output.width.min(8);
    if room < needed {
        return Err(format!(
            "windows of {size} elements need a results_buffer.depth of {}, it is {}",
            size * needed,
            params.results_buffer.depth
        ));
    }
    // Loops over the window and over the pixels, and one over the planes.
    let loops = params.traversal.loops;
    match loops < 4 {
        true => Err(format!(
            "max_pool2d needs a traversal.loops of 4, it is {loops}"
        )),
        false => Ok(()),
    }
}

/// Slots for each result of a layer.
fn window(layer: &Layer) -> u32 {
    match layer.kind {
        LayerKind::MaxPool2d => layer.kernel[0] * layer.kernel[1],
        _ => 1,
    }
}

/// Cuts a plane into tiles of at most `depth` pixels: whole rows, or parts of a row when a row alone
/// is too long, each of which begins at a whole word.
fn pixel_tiles(height: u32, width: u32, depth: u32) -> Vec<PixelTile> {
    let mut tiles = Vec::new();
    let tile_width = match width <= depth {
        true => width,
        false => depth / 8 * 8,
    };
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

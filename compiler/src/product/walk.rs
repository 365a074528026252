//! How the stream unit walks the inputs of a layer, and what the rows of the array add to its addresses.

use heddle_arch::isa::ROW_TENSOR;
use heddle_arch::params::MachineUnit;

use super::layer::PlacedLayer;
use super::pixel_tiles::PixelTile;
use super::weights::WeightPlan;
use super::windows::reduction;
use crate::layout::{Distances, RowOrder};
use crate::loops::{Count, merge, unroll};

/// The addresses of one input for a column tile and a rectangle of pixels.
#[derive(Debug, Clone)]
pub(crate) struct Walk {
    /// Loops, those over the vectors of one K tile (at least one) and those over K tiles.
    pub loops: Vec<Count>,
    /// The last loop over vectors.
    pub tile_level: u32,
    /// Offsets of the K tiles for which there is no loop.
    pub offsets: Vec<u32>,
    /// K tiles of all offsets.
    pub k_tiles: u32,
}

impl PlacedLayer<'_> {
    /// How the stream unit walks an input for a column tile.
    pub(crate) fn walk(&self, input: usize, column_tile: u32, tile: &PixelTile) -> Walk {
        let tensor = self.inputs[input];
        let plan = self.weights;
        let pitch = tensor.pitch;
        let [stride_y, stride_x] = self.layer.stride;
        let [kernel_height, kernel_width] = self.layer.kernel;
        let [down, right] = self.layer.dilation;
        let window = [
            Count::new(kernel_width, right),
            Count::new(kernel_height, down * pitch),
        ];
        // Planes of even and of odd rows have those that follow each other.
        let rows_apart = match tensor.order {
            RowOrder::Plain => plan.orders.parts(),
            RowOrder::Split | RowOrder::Paired => 1,
        };
        let pixels = [
            Count::new(tile.width, stride_x),
            Count::new(tile.height, rows_apart * stride_y * pitch),
        ];
        let pools = reduction(self.layer, self.params).is_some();
        let mut vectors = match pools {
            // The elements of a window follow each other.
            true => merge(&[window, pixels].concat()),
            false => merge(&pixels),
        };
        if vectors.is_empty() {
            vectors.push(Count::new(1, 1));
        }
        let planes = plan.planes(self.layer, column_tile, input).len() as u32;
        let planes = match tensor.order {
            RowOrder::Plain => Count::new(planes, tensor.plane_stride),
            RowOrder::Split | RowOrder::Paired => Count::new(planes / 2, 2 * tensor.plane_stride),
        };
        let k_loops = match (plan.flattening, plan.pairs) {
            // The rows' offsets lead to the taps; a loop needs a step all the same.
            (Some(flattening), _) => merge(&[Count::new(flattening.k_tiles, 1)]),
            (None, Some(pairs)) => merge(&[window[0], Count::new(pairs.steps, pitch)]),
            (None, None) if pools => merge(&[planes]),
            (None, None) => merge(&[window[0], window[1], planes]),
        };
        let loops = self
            .params
            .traversal
            .row_loops(MachineUnit::Stream, ROW_TENSOR);
        let room = (loops as usize).saturating_sub(vectors.len());
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
    pub(crate) fn first_operand(&self, input: usize, column_tile: u32, tile: &PixelTile) -> u32 {
        let tensor = self.inputs[input];
        let plan = self.weights;
        let part = plan.part(column_tile);
        let padding = self.layer.padding;
        let [stride_y, stride_x] = self.layer.stride;
        let x = i64::from(tile.x * stride_x) - i64::from(padding.left);
        let first = plan.planes(self.layer, column_tile, input).start;
        let below = |address: u32, low: i64| (i64::from(address) + low) as u32;
        match tensor.order {
            RowOrder::Plain => {
                let y = (plan.orders.parts() * tile.y + part) * stride_y;
                let y = i64::from(y) - i64::from(padding.top);
                match plan.flattening {
                    Some(flattening) => {
                        let slack = flattening.slack(tensor.distances());
                        tensor.address(0, y, x - i64::from(slack))
                    }
                    None => tensor.address(first, y, x),
                }
            }
            RowOrder::Split => match plan.pairs {
                Some(pairs) => {
                    let (low, _) = pairs.offsets(tensor.pitch, tensor.plane_stride);
                    // The row may lie above the tensor, columns on its left: so the sum counts.
                    let row = tensor.address(first, i64::from(tile.y * stride_y), 0);
                    below(row, low + x)
                }
                None => tensor.address(first + part, tile.y.into(), x),
            },
            RowOrder::Paired => tensor.address(first, tile.y.into(), x),
        }
    }
}

impl WeightPlan {
    /// What the rows add to the addresses of an input in a part of the layer: for each K tile and row; none if they add nothing.
    pub(crate) fn row_offsets(
        &self,
        input: usize,
        part: u32,
        distances: Distances,
    ) -> Option<Vec<Vec<Option<u16>>>> {
        let fit = |offset: i64| u16::try_from(offset).expect("the tensor lies inside a partition");
        let rows = 0..self.rows;
        if let Some(flattening) = self.flattening {
            return Some(flattening.offsets(distances));
        }
        let offsets: Vec<Option<u16>> = match (self.orders.reads[input], self.pairs) {
            (RowOrder::Split, Some(pairs)) => {
                let (_, offsets) = pairs.offsets(distances.pitch, distances.plane);
                let of_row = |row| Some(fit(offsets[usize::from(self.is_odd(row, part))]));
                rows.map(of_row).collect()
            }
            // Planes 2 g and 2 g + 1 have half of the channels of a K tile each.
            (RowOrder::Paired, _) => {
                let of_row = |row| u32::from(self.is_odd(row, part)) * distances.plane;
                rows.map(|row| Some(fit(of_row(row).into()))).collect()
            }
            (RowOrder::Plain | RowOrder::Split, _) => return None,
        };
        // Every input of several has its own product.
        let walks = self.orders.reads.len() as u64;
        let k_tiles = self.runs[0].k_tiles / walks;
        Some(vec![offsets; k_tiles as usize])
    }
}

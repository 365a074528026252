//! How the stream unit walks the inputs of a layer, and what the rows of the array add to its addresses.

use heddle_arch::isa::ROW_TENSOR;
use heddle_arch::params::MachineUnit;

use super::layer::PlacedLayer;
use super::phased_taps::PhasedTaps;
use super::pixel_tiles::PixelTile;
use super::weights::WeightPlan;
use crate::layout::{Distances, PixelOrder, TensorPlan};
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
        // Pixels of a phase follow each other in its plane.
        let [_, steps] = plan.pixels(plan.part(column_tile));
        let apart = tensor.order.steps();
        let pixels = [
            Count::new(tile.width, stride_x * steps[1] / apart[1]),
            Count::new(tile.height, stride_y * steps[0] / apart[0] * pitch),
        ];
        let mut vectors = match (plan.pooling, tensor.order) {
            (Some(_), PixelOrder::Phased) => merge(&self.phases(tensor)),
            // The elements of a window follow each other.
            (Some(_), _) => merge(&[window, pixels].concat()),
            (None, _) => merge(&pixels),
        };
        if vectors.is_empty() {
            vectors.push(Count::new(1, 1));
        }
        let planes = plan.planes(self.layer, column_tile, input).len() as u32;
        let apart = tensor.order.planes_of_group();
        let planes = Count::new(planes / apart, apart * tensor.plane_stride);
        let k_loops = match (plan.flattening, plan.blocks) {
            // The rows' offsets lead to the taps; a loop needs a step all the same.
            (Some(flattening), _) => merge(&[Count::new(flattening.k_tiles, 1)]),
            _ if plan.taps.is_some() => {
                merge(&[Count::new(planes.trips * kernel_height * kernel_width, 1)])
            }
            (None, Some(blocks)) => merge(&[Count::new(blocks.steps().iter().product(), 1)]),
            (None, None) if plan.pooling.is_some() => merge(&[planes]),
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

    /// Loops over all pixels of a channel, phase by phase.
    fn phases(&self, tensor: &TensorPlan) -> [Count; 3] {
        let [height, width] = tensor
            .order
            .plane_size([tensor.shape.height, tensor.shape.width]);
        [
            Count::new(width, 1),
            Count::new(height, tensor.pitch),
            Count::new(tensor.order.planes_of_group(), tensor.plane_stride),
        ]
    }

    /// Address of the operand for the first pixel and the first place of the kernel.
    pub(crate) fn first_operand(&self, input: usize, column_tile: u32, tile: &PixelTile) -> u32 {
        let tensor = self.inputs[input];
        let plan = self.weights;
        let part = plan.part(column_tile);
        let [first, steps] = plan.pixels(part);
        let apart = tensor.order.steps();
        let padding = [self.layer.padding.top, self.layer.padding.left];
        let begin = |side: usize, number: u32| {
            let at = (first[side] + steps[side] * number) * self.layer.stride[side] / apart[side];
            // Where pixels lie apart the offsets have the padding.
            i64::from(at) - i64::from(if apart[side] == 1 { padding[side] } else { 0 })
        };
        let (y, x) = (begin(0, tile.y), begin(1, tile.x));
        let planes = plan.planes(self.layer, column_tile, input);
        let low = match (plan.flattening, plan.blocks, plan.taps) {
            (Some(flattening), _, _) => -i64::from(flattening.slack(tensor.distances())),
            (_, Some(blocks), _) => blocks.offsets(tensor.distances()).0,
            (_, _, Some(taps)) => {
                let groups = planes.len() as u32 / tensor.order.planes_of_group();
                taps.offsets(groups, tensor.distances()).0
            }
            (None, None, None) => 0,
        };
        let plane = match tensor.order {
            PixelOrder::Split(_) | PixelOrder::Phased
                if plan.blocks.is_none() && plan.taps.is_none() =>
            {
                planes.start + plan.phase(part, tensor.order)
            }
            _ => planes.start,
        };
        // The pixel may lie above the tensor, or on its left: so the sum counts.
        tensor.address(plane, y, x + low)
    }
}

impl WeightPlan {
    /// How far below the halo of its input the addresses of a layer begin whose rows lead to the pixels.
    pub(crate) fn slack(&self, distances: Distances) -> Option<u32> {
        match (self.blocks, self.taps) {
            (Some(blocks), _) => Some(blocks.slack(distances)),
            (_, Some(taps)) => Some(taps.slack(self.planes_of_taps(taps), distances)),
            (None, None) => None,
        }
    }

    /// Groups of channels that a product walks over the places of a kernel.
    fn planes_of_taps(&self, taps: PhasedTaps) -> u32 {
        self.runs[0].k_tiles as u32 / taps.kernel.iter().product::<u32>()
    }

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
        // Every input of several has its own product.
        let walks = self.orders.reads.len() as u64;
        let k_tiles = self.runs[0].k_tiles / walks;
        if let Some(taps) = self.taps {
            let (_, offsets) = taps.offsets(self.planes_of_taps(taps), distances);
            let of_tile = |offset: i64| rows.clone().map(|_| Some(fit(offset))).collect();
            return Some(offsets.into_iter().map(of_tile).collect());
        }
        let plane = |row| self.plane_of_row(row, part, input);
        if let Some(blocks) = self.blocks {
            let (_, offsets) = blocks.offsets(distances);
            let of_tile = |of_phase: Vec<i64>| {
                let of_row = |row| Some(fit(of_phase[plane(row) as usize]));
                rows.clone().map(of_row).collect()
            };
            return Some(offsets.into_iter().map(of_tile).collect());
        }
        let PixelOrder::Joined(_) = self.orders.reads[input] else {
            return None;
        };
        let of_row = |row| Some(fit(i64::from(plane(row) * distances.plane)));
        Some(vec![rows.map(of_row).collect(); k_tiles as usize])
    }
}

//! How the stream unit walks the inputs of a layer, and what the rows of the array add to its addresses.

use heddle_arch::isa::ROW_TENSOR;
use heddle_arch::params::MachineUnit;

use super::layer::PlacedLayer;
use super::phased_taps::PhasedTaps;
use super::pixel_tiles::PixelTile;
use super::reduction::Reduction;
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
        let mut vectors = match (plan.reduction, tensor.order) {
            (Reduction::Window(_), PixelOrder::Phased) => merge(&self.phases(tensor)),
            // The elements of a window follow each other.
            (Reduction::Window(_), _) => merge(&[window, pixels].concat()),
            _ => merge(&pixels),
        };
        if vectors.is_empty() {
            vectors.push(Count::new(1, 1));
        }
        let planes = plan.planes(self.layer, column_tile, input).len() as u32;
        let apart = tensor.order.planes_of_group();
        let planes = Count::new(planes / apart, apart * tensor.plane_stride);
        // Where the rows' offsets lead to the taps a loop needs a step all the same.
        let by_offsets = |k_tiles| merge(&[Count::new(k_tiles, 1)]);
        let k_loops = match plan.reduction {
            Reduction::Rows(flattening) => by_offsets(flattening.k_tiles),
            Reduction::InPlace(_) => by_offsets(planes.trips * kernel_height * kernel_width),
            Reduction::Blocks(blocks) => by_offsets(blocks.steps().iter().product()),
            Reduction::Window(_) => merge(&[planes]),
            Reduction::Channels | Reduction::Terms => merge(&[window[0], window[1], planes]),
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
        let distances = tensor.distances();
        let low = match plan.reduction {
            Reduction::Rows(flattening) => -i64::from(flattening.slack(distances)),
            Reduction::Blocks(blocks) => blocks.offsets(distances).0,
            Reduction::InPlace(taps) => {
                let groups = planes.len() as u32 / tensor.order.planes_of_group();
                taps.offsets(groups, distances).0
            }
            _ => 0,
        };
        let plane = match (plan.reduction, tensor.order) {
            (Reduction::Blocks(_) | Reduction::InPlace(_), _) => 0,
            (_, PixelOrder::Split(_) | PixelOrder::Phased) => plan.phase(part, tensor.order),
            _ => 0,
        };
        // The pixel may lie above the tensor, or on its left: so the sum counts.
        tensor.address(planes.start + plane, y, x + low)
    }
}

impl WeightPlan {
    /// How far below the halo of its input the addresses of a layer begin whose rows lead to the pixels.
    pub(crate) fn slack(&self, distances: Distances) -> Option<u32> {
        match self.reduction {
            Reduction::Blocks(blocks) => Some(blocks.slack(distances)),
            Reduction::InPlace(taps) => Some(taps.slack(self.planes_of_taps(taps), distances)),
            _ => None,
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
        let order = self.orders.reads[input];
        let planes = order.planes_of_group();
        // For each K tile by the planes of a group.
        let offsets: Vec<Vec<i64>> = match (self.reduction, order) {
            (Reduction::Rows(flattening), _) => return Some(flattening.offsets(distances)),
            (Reduction::InPlace(taps), _) => {
                let (_, offsets) = taps.offsets(self.planes_of_taps(taps), distances);
                let of_tile = |offset| vec![offset; planes as usize];
                offsets.into_iter().map(of_tile).collect()
            }
            (Reduction::Blocks(blocks), _) => blocks.offsets(distances).1,
            (_, PixelOrder::Joined(_)) => {
                // Every input of several has its own product.
                let k_tiles = self.runs[0].k_tiles / self.orders.reads.len() as u64;
                let of_plane = |plane| i64::from(plane * distances.plane);
                vec![(0..planes).map(of_plane).collect(); k_tiles as usize]
            }
            _ => return None,
        };
        let fit = |offset: i64| u16::try_from(offset).expect("the tensor lies inside a partition");
        let of_tile = |of_plane: Vec<i64>| {
            let plane = |row| self.plane_of_row(row, part, input) as usize;
            (0..self.rows)
                .map(|row| Some(fit(of_plane[plane(row)])))
                .collect()
        };
        Some(offsets.into_iter().map(of_tile).collect())
    }
}

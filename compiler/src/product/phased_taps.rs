//! Layers of stride 2 that read the phases of blocks where they lie.
//!
//! The pixels that a place of the kernel meets are all of one phase, so that they follow each other in its plane. The way from place to
//! place is not the same everywhere: the offset tables of the rows have it, the same for all rows.

use heddle_network::Layer;

use crate::layout::{Distances, Phases, PixelOrder};

/// The places of a kernel in planes of phases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PhasedTaps {
    pub kernel: [u32; 2],
    dilation: [u32; 2],
    before: [u32; 2],
}

impl PhasedTaps {
    pub fn of(layer: &Layer) -> Self {
        Self {
            kernel: layer.kernel,
            dilation: layer.dilation,
            before: [layer.padding.top, layer.padding.left],
        }
    }

    /// Parity and half of where a place lies in front of or behind a pixel.
    fn halved(&self, side: usize, place: u32) -> (u32, i64) {
        let at = i64::from(place * self.dilation[side]) - i64::from(self.before[side]);
        (at.rem_euclid(2) as u32, at.div_euclid(2))
    }

    /// Distances of the places of all planes of a K tile from the pixel in the first plane, less what the loop over the K tiles has
    /// added, which needs a step.
    fn places(&self, planes: u32, distances: Distances) -> Vec<i64> {
        let [height, width] = self.kernel;
        let places = (0..height).flat_map(|y| (0..width).map(move |x| (y, x)));
        let group = i64::from(PixelOrder::Phased.planes_of_group());
        let places = (0..planes).flat_map(|plane| places.clone().map(move |place| (plane, place)));
        let distance = |(k_tile, (plane, (y, x)))| {
            let ((odd_y, down), (odd_x, right)) = (self.halved(0, y), self.halved(1, x));
            let phase = Phases::Blocks.of([odd_y, odd_x]);
            let plane = group * i64::from(plane) + i64::from(phase);
            plane * i64::from(distances.plane) + down * i64::from(distances.pitch) + right - k_tile
        };
        (0i64..).zip(places).map(distance).collect()
    }

    /// What all offsets are raised by, and the offset of each K tile.
    pub fn offsets(&self, planes: u32, distances: Distances) -> (i64, Vec<i64>) {
        let places = self.places(planes, distances);
        let low = places.iter().copied().min().unwrap_or(0);
        (low, places.iter().map(|place| place - low).collect())
    }

    /// How far below the halo the step of the loop over the K tiles leads.
    pub fn slack(&self, planes: u32, distances: Distances) -> u32 {
        let places = self.places(planes, distances);
        let lowest = places.iter().copied().min().unwrap_or(0);
        let read = (0i64..).zip(places).map(|(k_tile, place)| place + k_tile);
        u32::try_from(read.min().unwrap_or(0) - lowest).expect("at most the number of K tiles")
    }

    /// Rows, or columns, of the planes that are read before the first one and behind the last.
    pub fn around(&self, side: usize, input: u32, output: u32) -> [u32; 2] {
        let halves = (0..self.kernel[side]).map(|place| self.halved(side, place).1);
        let (low, high) = (halves.clone().min(), halves.max());
        let last = i64::from(output) + high.unwrap_or(0) - i64::from(input.div_ceil(2));
        [-low.unwrap_or(0), last]
            .map(|count| u32::try_from(count.max(0)).expect("a kernel has few places"))
    }
}

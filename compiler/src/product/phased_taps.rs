//! Layers of stride 2 that read the phases of blocks where they lie.
//!
//! The pixels that a place of the kernel meets are all of one phase, so that they follow each other in its plane. The way from place to
//! place is not the same everywhere: the offset tables of the rows have it, the same for all rows.

use heddle_network::Layer;

use super::flatten::places;
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
        let group = i64::from(PixelOrder::Phased.planes_of_group());
        let of_plane = |plane| places(self.kernel).map(move |[y, x]| (plane, y, x));
        let places = (0..planes).flat_map(of_plane);
        let distance = |(k_tile, (plane, y, x))| {
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

    /// Rows of the planes that are read before the first one and behind the last, and columns.
    pub fn around(&self, layer: &Layer) -> [[u32; 2]; 2] {
        let (input, output) = (layer.input.sides(), layer.output.sides());
        [0, 1].map(|side| {
            let halves = (0..self.kernel[side]).map(|place| self.halved(side, place).1);
            let (low, high) = (halves.clone().min(), halves.max());
            let [read, made] = [input[side + 1].div_ceil(2), output[side + 1]].map(i64::from);
            [-low.unwrap_or(0), made + high.unwrap_or(0) - read]
                .map(|count| u32::try_from(count.max(0)).expect("a kernel has few places"))
        })
    }
}

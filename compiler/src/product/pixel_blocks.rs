//! Depthwise layers that make several pixels at a time.
//!
//! On the diagonal of the array a depthwise layer uses one product of each column. Here q columns hold the same kernel, each
//! shifted to another pixel of two rows or of a block of 2 x 2 ([`Phases`]): P / q channels come out of as many columns for each of them (the
//! bands of a Toeplitz matrix). Their inputs come from q groups of rows of the array, because pixels of different phases lie in different
//! partitions ([`PixelOrder::Split`](crate::layout::PixelOrder)); a K tile is a pixel of each of them. A 3 x 3 kernel takes 2 x 3
//! K tiles for two rows, and 2 x 2 for a block, where the diagonal takes 9.

use heddle_network::Layer;

use super::flatten::places;
use crate::layout::{Distances, Phases};

/// The inputs that outputs 2 i and 2 i + 1 of a row or column need: with stride s, s i + low[0].. of the even ones and
/// s i + low[1].. of the odd ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Pairs {
    low: [i64; 2],
    /// How many of each.
    steps: u32,
    kernel: u32,
    stride: u32,
    before: u32,
}

impl Pairs {
    fn of(kernel: u32, stride: u32, before: u32) -> Self {
        let places = (0..2).flat_map(|odd| (0..kernel).map(move |place| stride * odd + place));
        let places: Vec<i64> = places.map(|at| i64::from(at) - i64::from(before)).collect();
        let ranges = [0, 1].map(|odd| {
            let of_parity = places.iter().filter(|at| at.rem_euclid(2) == odd);
            let of_parity = of_parity.map(|at| at.div_euclid(2));
            let (low, high) = (of_parity.clone().min(), of_parity.max());
            low.zip(high).unwrap_or((0, -1))
        });
        let steps = ranges.map(|(low, high)| high - low + 1);
        Self {
            low: ranges.map(|(low, _)| low),
            steps: steps.into_iter().max().unwrap_or(0) as u32,
            kernel,
            stride,
            before,
        }
    }

    /// The place of the kernel that leads from an input of a K tile to an output, both even or odd.
    fn place(&self, step: u32, odd: u32, output_odd: u32) -> Option<u32> {
        let at = 2 * (self.low[odd as usize] + i64::from(step)) + i64::from(odd);
        let place = at + i64::from(self.before) - i64::from(self.stride * output_odd);
        let place = u32::try_from(place).ok()?;
        (place < self.kernel).then_some(place)
    }

    /// What is read before and behind the halves of the input.
    fn halo(&self, input: u32, output: u32) -> [u32; 2] {
        let half = |size: u32| i64::from(size.div_ceil(2));
        let [even, odd] = self.low;
        let last =
            i64::from(self.stride) * (half(output) - 1) + even.max(odd) + i64::from(self.steps)
                - half(input);
        [-even.min(odd), last]
            .map(|count| u32::try_from(count.max(0)).expect("a kernel has few places"))
    }
}

/// How a layer makes the pixels of all phases at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PixelBlocks {
    pub phases: Phases,
    rows: Pairs,
    /// None if pixels of a row come one after the other.
    cols: Option<Pairs>,
    kernel_width: u32,
    /// Columns from one K tile to the next.
    right: u32,
}

impl PixelBlocks {
    pub fn of(layer: &Layer, phases: Phases) -> Self {
        let pairs = |side: usize, before| Pairs::of(layer.kernel[side], layer.stride[side], before);
        Self {
            phases,
            rows: pairs(0, layer.padding.top),
            cols: (phases == Phases::Blocks).then(|| pairs(1, layer.padding.left)),
            kernel_width: layer.kernel[1],
            right: match phases {
                Phases::Rows => layer.dilation[1],
                Phases::Blocks => 1,
            },
        }
    }

    /// K tiles of a pass: down, and to the right.
    pub fn steps(&self) -> [u32; 2] {
        [
            self.rows.steps,
            self.cols.map_or(self.kernel_width, |cols| cols.steps),
        ]
    }

    /// Takes fewer K tiles than the diagonal. Pixels of a dilated kernel are all even or all odd, or far apart.
    pub fn saves(&self, layer: &Layer, lanes: u32) -> bool {
        let (channels, output) = (layer.output.channels, layer.output);
        let [down, right] = self.phases.steps();
        let pixels = [output.height.div_ceil(down), output.width.div_ceil(right)];
        let product = |sides: [u32; 2], channels: u32| {
            sides.map(u64::from).iter().product::<u64>() * u64::from(channels)
        };
        let passes = channels.div_ceil(lanes / self.phases.count());
        let taken = product(self.steps(), passes) * product(pixels, 1);
        let groups = channels.div_ceil(lanes);
        let diagonal = product(layer.kernel, groups) * product([output.height, output.width], 1);
        let dilated = [layer.dilation[0], layer.dilation[1].min(right)];
        dilated == [1, 1] && taken < diagonal
    }

    /// The place of the kernel that leads from a pixel of a K tile to an output pixel, by their phases.
    pub fn place(&self, [down, right]: [u32; 2], phase: u32, output: u32) -> Option<[u32; 2]> {
        let (from, to) = (self.phases.first(phase), self.phases.first(output));
        let y = self.rows.place(down, from[0], to[0])?;
        let x = match self.cols {
            Some(cols) => cols.place(right, from[1], to[1])?,
            None => right,
        };
        Some([y, x])
    }

    /// Rows above and below the planes of the input that are read, and columns on the left and on the right of them.
    pub fn around(&self, layer: &Layer) -> [[u32; 2]; 2] {
        let (input, output, padding) = (layer.input, layer.output, layer.padding);
        let rows = self.rows.halo(input.height, output.height);
        match self.cols {
            Some(cols) => [rows, cols.halo(input.width, output.width)],
            None => [rows, [padding.left, padding.right]],
        }
    }

    /// What rows of the array that serve each phase add to the address of the first plane in each K tile, less the step of the loop over the K tiles. All addresses
    /// are raised by what makes none negative: that, and the offsets.
    pub fn offsets(&self, distances: Distances) -> (i64, Vec<Vec<i64>>) {
        let tiles = (0i64..).zip(places(self.steps())).map(|(k_tile, [y, x])| {
            let step = i64::from(y * distances.pitch + x * self.right) - k_tile;
            let phases = 0..self.phases.count();
            phases
                .map(move |phase| self.first(phase, distances) + step)
                .collect()
        });
        let tiles: Vec<Vec<i64>> = tiles.collect();
        let low = tiles.iter().flatten().copied().min().unwrap_or(0);
        let raised = |tile: &Vec<i64>| tile.iter().map(|offset| offset - low).collect();
        (low, tiles.iter().map(raised).collect())
    }

    /// How far below the halo the step of the loop over the K tiles leads.
    pub fn slack(&self, distances: Distances) -> u32 {
        let [down, across] = self.steps();
        (down - 1) * across.saturating_sub(distances.pitch)
    }

    /// Where the first K tile finds the pixels of a phase.
    fn first(&self, phase: u32, distances: Distances) -> i64 {
        let [y, x] = self.phases.first(phase).map(|odd| odd as usize);
        let plane = i64::from(phase) * i64::from(distances.plane);
        let row = self.rows.low[y] * i64::from(distances.pitch);
        plane + row + self.cols.map_or(0, |cols| cols.low[x])
    }
}

//! Depthwise layers that make two rows at a time.
//!
//! On the diagonal of the array a depthwise layer uses one product of each column. Here two columns hold the same kernel, the second one
//! shifted by the stride: h = half of the lanes channels come out of as many columns for an even row and of the others for
//! the odd row below (the bands of a Toeplitz matrix). Their inputs come from two rows of the array, because even and odd rows
//! lie in different partitions ([`RowOrder::Split`](crate::layout::RowOrder)); a K tile is a row of each of them. A 3 x 3 kernel takes 2 x 3
//! K tiles for two rows of h channels, where the diagonal takes 9 for one row of 2 h.

use heddle_arch::network::Layer;

use crate::layout::RowOrder;

/// The input rows that output rows 2 i and 2 i + 1 need: with stride s, rows s i + low[0].. of the planes of even rows and
/// s i + low[1].. of those of odd rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RowPairs {
    low: [i64; 2],
    /// How many of each.
    pub steps: u32,
}

impl RowPairs {
    pub fn of(layer: &Layer) -> Self {
        let top = i64::from(layer.padding.top);
        let stride = i64::from(layer.stride[0]);
        let kernel = i64::from(layer.kernel[0]);
        let rows = (0..2).flat_map(|odd| (0..kernel).map(move |place| stride * odd + place - top));
        let rows: Vec<i64> = rows.collect();
        let ranges = [0, 1].map(|odd| {
            let of_parity = rows.iter().filter(|row| row.rem_euclid(2) == odd);
            let of_parity = of_parity.map(|row| row.div_euclid(2));
            let (low, high) = (of_parity.clone().min(), of_parity.max());
            low.zip(high).unwrap_or((0, -1))
        });
        let steps = ranges.map(|(low, high)| high - low + 1);
        Self {
            low: ranges.map(|(low, _)| low),
            steps: steps.into_iter().max().unwrap_or(0) as u32,
        }
    }

    /// Two rows of half of the lanes take fewer K tiles than one row of all of them. Rows of a dilated kernel are all even or all odd, or
    /// far apart.
    pub fn saves(&self, layer: &Layer) -> bool {
        let rows = u64::from(layer.output.height);
        let pairs = u64::from(self.steps) * 2 * rows.div_ceil(2);
        layer.dilation[0] == 1 && pairs < u64::from(layer.kernel[0]) * rows
    }

    /// The kernel row that leads from a row of a K tile to an output row, both even or odd.
    pub fn kernel_row(&self, layer: &Layer, step: u32, odd: u32, output_odd: u32) -> Option<u32> {
        let row = 2 * (self.low[odd as usize] + i64::from(step)) + i64::from(odd);
        let place = row + i64::from(layer.padding.top) - i64::from(layer.stride[0] * output_odd);
        let place = u32::try_from(place).ok()?;
        (place < layer.kernel[0]).then_some(place)
    }

    /// Rows above and below the planes of the input that are read.
    pub fn halo(&self, layer: &Layer) -> (u32, u32) {
        let height = |rows: u32| i64::from(RowOrder::Split.plane_height(rows));
        let [even, odd] = self.low;
        let last = i64::from(layer.stride[0]) * (height(layer.output.height) - 1)
            + even.max(odd)
            + i64::from(self.steps)
            - height(layer.input.height);
        (rows(-even.min(odd)), rows(last))
    }

    /// What rows of the array that serve even or odd rows add to the address of the even plane, all addresses raised by what
    /// makes none negative: that, and the offsets.
    pub fn offsets(&self, pitch: u32, plane_stride: u32) -> (i64, [i64; 2]) {
        let even = self.low[0] * i64::from(pitch);
        let odd = self.low[1] * i64::from(pitch) + i64::from(plane_stride);
        let low = even.min(odd);
        (low, [even - low, odd - low])
    }
}

fn rows(count: i64) -> u32 {
    u32::try_from(count.max(0)).expect("a kernel has few rows")
}

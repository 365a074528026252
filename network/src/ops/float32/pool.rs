//! Windows over the last two dimensions.

use super::array::Array;
use super::step::{Over, Window};

/// A window along one dimension.
struct Along {
    /// Where it begins; in front of the input less than 0.
    start: i64,
    /// How far apart its places are.
    step: i64,
    /// Those of its places that lie inside the input.
    inside: std::ops::Range<u32>,
    /// How many lie inside the padding.
    padded: usize,
}

impl Along {
    /// The places inside the input, each with its place in the kernel.
    fn places(&self) -> impl Iterator<Item = (usize, usize)> {
        let place = |k: u32| ((self.start + i64::from(k) * self.step) as usize, k as usize);
        self.inside.clone().map(place)
    }
}

impl Window {
    /// One element of each window.
    pub(super) fn pooled(&self, from: &Array, over: Over, counts_padding: bool) -> Vec<f32> {
        let ([height, width], [rows, columns]) = self.of(from);
        let mut values = Vec::new();
        for plane in from.values.chunks(height * width) {
            for (down, across) in pairs(&rows, &columns) {
                let places = down
                    .places()
                    .flat_map(|(y, _)| across.places().map(move |(x, _)| (y, x)));
                let window = places.map(|(y, x)| plane[y * width + x]);
                let count = match counts_padding {
                    true => down.padded * across.padded,
                    false => down.inside.len() * across.inside.len(),
                };
                values.push(match over {
                    Over::Max => window.fold(f32::NEG_INFINITY, f32::max),
                    // In the order of the window, as onnxruntime adds.
                    _ => window.fold(0.0, |sum, value| sum + value) / count as f32,
                });
            }
        }
        values
    }

    /// The convolution of an image, added in double precision.
    pub(super) fn convolved(&self, from: &Array, weights: &Array, groups: usize) -> Vec<f32> {
        let ([height, width], [rows, columns]) = self.of(from);
        let [outputs, inner] = [0, 1].map(|axis| weights.shape[axis] as usize);
        let [_, kernel_width] = self.kernel.map(|size| size as usize);
        let taps = weights.values.len() / outputs / inner;
        let mut values = Vec::new();
        for image in from.values.chunks(height * width * inner * groups) {
            for (output, kernel) in weights.values.chunks(inner * taps).enumerate() {
                let first = output / (outputs / groups) * inner;
                for (down, across) in pairs(&rows, &columns) {
                    let mut sum = 0.0;
                    for channel in 0..inner {
                        let plane = &image[(first + channel) * height * width..];
                        for (y, ky) in down.places() {
                            for (x, kx) in across.places() {
                                let weight = kernel[channel * taps + ky * kernel_width + kx];
                                sum += f64::from(plane[y * width + x]) * f64::from(weight);
                            }
                        }
                    }
                    values.push(sum as f32);
                }
            }
        }
        values
    }

    /// Height and width of a tensor, and all windows along both.
    fn of(&self, from: &Array) -> ([usize; 2], [Vec<Along>; 2]) {
        let sizes = *from.shape.last_chunk::<2>().expect("it was checked");
        let windows = [0, 1].map(|axis| {
            let all = 0..self.output[axis];
            all.map(|at| self.along(axis, sizes[axis], at)).collect()
        });
        (sizes.map(|size| size as usize), windows)
    }

    fn along(&self, axis: usize, size: u32, at: u32) -> Along {
        let (size, [before, behind]) = (i64::from(size), self.padding[axis].map(i64::from));
        let start = i64::from(at) * i64::from(self.stride[axis]) - before;
        let step = i64::from(self.dilation[axis]);
        // How many places of the kernel lie in front of a place.
        let below = |end: i64| {
            let count = (end - start + step - 1).max(0) / step;
            count.min(self.kernel[axis].into()) as u32
        };
        Along {
            start,
            step,
            inside: below(0)..below(size),
            padded: below(size + behind) as usize,
        }
    }
}

/// The windows of a plane, row by row.
fn pairs<'a>(
    rows: &'a [Along],
    columns: &'a [Along],
) -> impl Iterator<Item = (&'a Along, &'a Along)> {
    rows.iter()
        .flat_map(move |down| columns.iter().map(move |across| (down, across)))
}

//! Nested loops over the logical tensor, which know nothing of tables: memory, sums, operands.

use heddle_blocks::offsets::{Convolution, Layout, Pad, Sides};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// A tensor [image, channel, row, column] without its padding.
pub struct Tensor {
    size: [usize; 4],
    elements: Vec<i8>,
}

impl Tensor {
    /// Any elements.
    pub fn random(size: [usize; 4], rng: &mut ChaCha8Rng) -> Self {
        let elements = (0..size.iter().product()).map(|_| rng.random()).collect();
        Self { size, elements }
    }

    /// An element; zero outside the plane.
    fn at(&self, n: usize, c: usize, y: i64, x: i64) -> i32 {
        let [_, channels, height, width] = self.size;
        if !(0..height as i64).contains(&y) || !(0..width as i64).contains(&x) {
            return 0;
        }
        self.elements[((n * channels + c) * height + y as usize) * width + x as usize].into()
    }
}

/// Memory of a convolution's tensor: every element that is stored, with its number in memory.
pub fn stored(shape: &Convolution, tensor: &Tensor) -> Vec<(usize, i8)> {
    let Sides {
        top,
        bottom,
        left,
        right,
    } = match shape.pad {
        Pad::Border => shape.padding,
        Pad::Mask => Sides::default(),
    };
    let [images, channels, height, width] = tensor.size;
    let [height, width] = [
        height + (top + bottom) as usize,
        width + (left + right) as usize,
    ];
    let vector = shape.vector as usize;
    let mut memory = Vec::new();
    for n in 0..images {
        for c in 0..channels {
            for y in 0..height {
                for x in 0..width {
                    let place = match shape.layout {
                        Layout::Nchw => ((n * channels + c) * height + y) * width + x,
                        Layout::Cnhw => ((c * images + n) * height + y) * width + x,
                        Layout::Nhwc => ((n * height + y) * width + x) * channels + c,
                        Layout::NchwVector => {
                            let block = n * (channels / vector) + c / vector;
                            ((block * height + y) * width + x) * vector + c % vector
                        }
                    };
                    let (y, x) = (y as i64 - i64::from(top), x as i64 - i64::from(left));
                    memory.push((place, tensor.at(n, c, y, x) as i8));
                }
            }
        }
    }
    memory
}

/// Height and width of the result.
fn pixels(shape: &Convolution) -> [u32; 2] {
    let Sides {
        top,
        bottom,
        left,
        right,
    } = shape.padding;
    let out = |axis: usize, outer: u32| {
        let span = shape.dilation[axis] * (shape.kernel[axis] - 1) + 1;
        (outer - span) / shape.stride[axis] + 1
    };
    [
        out(0, shape.height + top + bottom),
        out(1, shape.width + left + right),
    ]
}

/// Row and column of the tensor that a pixel of the result meets at a place of the filter.
fn place(shape: &Convolution, pixel: [u32; 2], tap: [u32; 2]) -> [i64; 2] {
    let before = [shape.padding.top, shape.padding.left];
    [0, 1].map(|axis| {
        let place = pixel[axis] * shape.stride[axis] + tap[axis] * shape.dilation[axis];
        i64::from(place) - i64::from(before[axis])
    })
}

/// Results of one group: channel by channel, rows in the order of the pixels.
pub fn convolve(operands: &[Vec<Option<i8>>], weights: &[i8]) -> Vec<i32> {
    let filters = weights.chunks(operands[0].len());
    let sum = |row: &Vec<Option<i8>>, filter: &[i8]| -> i32 {
        let taps = row.iter().zip(filter);
        taps.map(|(a, b)| i32::from(a.unwrap_or(0)) * i32::from(*b))
            .sum()
    };
    filters
        .flat_map(|filter| operands.iter().map(move |row| sum(row, filter)))
        .collect()
}

/// Of each GEMM row of one group the operand of each tap, taps as the weights are stored; `None`
/// where padding by mask leaves nothing to be read.
pub fn operands(shape: &Convolution, tensor: &Tensor, group: usize) -> Vec<Vec<Option<i8>>> {
    let channels = shape.channels / shape.groups;
    let [ho, wo] = pixels(shape);
    let mut rows = Vec::new();
    for n in 0..shape.images as usize {
        for oy in 0..ho {
            for ox in 0..wo {
                let mut row = Vec::new();
                for c in group * channels as usize..(group + 1) * channels as usize {
                    for v in 0..shape.kernel[0] {
                        for u in 0..shape.kernel[1] {
                            let [y, x] = place(shape, [oy, ox], [v, u]);
                            let inside = (0..i64::from(shape.height)).contains(&y)
                                && (0..i64::from(shape.width)).contains(&x);
                            let read = inside || shape.pad == Pad::Border;
                            row.push(read.then(|| tensor.at(n, c, y, x) as i8));
                        }
                    }
                }
                rows.push(row);
            }
        }
    }
    rows
}

/// What each of `rows` array rows meets if it is given operand (m, k), 4.10 and 4.14: row tile by
/// row tile, in each the taps for every column tile; or, weight stationary, K tile by K tile the
/// rows, for every column tile.
pub fn walk<T: Copy>(
    operands: &[Vec<Option<T>>],
    rows: usize,
    column_tiles: usize,
    stationary: bool,
) -> Vec<Vec<T>> {
    let taps = operands[0].len();
    let held = if stationary { taps } else { operands.len() };
    let of_row = |row: usize| {
        let mine: Vec<usize> = (row..held).step_by(rows).collect();
        let pass = |entry: &usize| -> Vec<T> {
            match stationary {
                true => operands.iter().filter_map(|of_m| of_m[*entry]).collect(),
                false => operands[*entry].iter().flatten().copied().collect(),
            }
        };
        match stationary {
            true => mine
                .iter()
                .flat_map(pass)
                .collect::<Vec<_>>()
                .repeat(column_tiles),
            false => mine
                .iter()
                .flat_map(|entry| pass(entry).repeat(column_tiles))
                .collect(),
        }
    };
    (0..rows).map(of_row).collect()
}

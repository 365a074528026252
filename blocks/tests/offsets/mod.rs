//! Tables against the worked examples of the specification and against nested loops.

mod access;
mod asymmetric;
mod compress;
mod faults;
mod figures;
mod layouts;
mod matrix;
mod pack;
mod padding;
mod random;
mod size;

use heddle_blocks::offsets::order::weight_order;
use heddle_blocks::offsets::{Convolution, Layout, Pad, Request, Sides, Tables, generate};

/// One channel, one filter, unit strides; `kernel` is height and width.
pub fn convolution(height: u32, width: u32, kernel: [u32; 2]) -> Convolution {
    Convolution {
        channels: 1,
        height,
        width,
        outputs: 1,
        images: 1,
        kernel,
        stride: [1, 1],
        dilation: [1, 1],
        groups: 1,
        padding: Sides::default(),
        pad: Pad::Border,
        layout: Layout::Nchw,
        vector: 1,
    }
}

/// As many zeros on each side.
pub fn sides(zeros: u32) -> Sides {
    Sides {
        top: zeros,
        bottom: zeros,
        left: zeros,
        right: zeros,
    }
}

/// Entries as numbers of 64 bits.
pub fn wide<T: Copy + Into<i64>>(list: &[T]) -> Vec<i64> {
    list.iter().map(|entry| (*entry).into()).collect()
}

/// Plain tables for elements of one byte.
pub fn request(convolution: Convolution) -> Request {
    Request {
        convolution: Some(convolution),
        fully_connected: None,
        matrix: None,
        element_bytes: 1,
        unit_shift: 0,
        running: false,
        reuse_order: false,
        weight_base: None,
    }
}

/// The convolution of 5.1.
pub fn figure13() -> Convolution {
    convolution(4, 4, [3, 3])
}

/// The convolution of 5.3, elements of 2 bytes.
pub fn asymmetric() -> Request {
    let convolution = Convolution {
        channels: 2,
        outputs: 2,
        images: 2,
        stride: [1, 2],
        dilation: [2, 1],
        ..convolution(6, 7, [2, 3])
    };
    Request {
        element_bytes: 2,
        ..request(convolution)
    }
}

/// Tensor of 5.3.
pub fn asymmetric_a() -> Vec<i64> {
    (0..168)
        .map(|i| (7 * i * i + 13 * i + 5) % 97 - 48)
        .collect()
}

/// Weights of 5.3.
pub fn asymmetric_b() -> Vec<i64> {
    (0..24).map(|j| (29 * j + 7) % 17 - 8).collect()
}

/// The tables of a request.
#[track_caller]
pub fn tables(request: &Request) -> Tables {
    generate(request).unwrap_or_else(|errors| panic!("{errors}"))
}

/// C of 4.6 in the order image, output, pixel: one sum for each base and each run of B. `memory` is
/// the tensor from the origin that the tables count from, `weights` are as they are stored.
/// An address outside the tensor, or between elements, is an error.
pub fn gemm(
    tables: &Tables,
    element_bytes: u32,
    order: &[u32],
    memory: &[i64],
    weights: &[i64],
) -> Result<Vec<i64>, String> {
    let size = i64::from(element_bytes);
    let (outputs, pixels) = (tables.outputs as usize, tables.pixels as usize);
    let distances = tables.distances();
    let mut c = vec![0; tables.bases.len() * outputs];
    for row in 0..tables.bases.len() {
        for (tap, position) in order.iter().enumerate() {
            let Some(address) = tables.address(&distances, row, tap) else {
                continue;
            };
            let element = usize::try_from(address / size)
                .ok()
                .and_then(|e| memory.get(e));
            let element = element.filter(|_| address >= 0 && address % size == 0);
            let Some(a) = element else {
                return Err(format!(
                    "row {row}, tap {tap}: address {address} is no element"
                ));
            };
            for output in 0..outputs {
                let place = (row / pixels * outputs + output) * pixels + row % pixels;
                c[place] += a * weights[output * order.len() + *position as usize];
            }
        }
    }
    Ok(c)
}

/// The GEMM of a request without groups.
#[track_caller]
pub fn run(request: &Request, memory: &[i64], weights: &[i64]) -> Vec<i64> {
    let tables = tables(request);
    let order = weight_order(request);
    gemm(&tables, request.element_bytes, &order, memory, weights)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// The convolution by nested loops, C in the order image, output, pixel. `a` gives an element by
/// image, channel, row and column.
pub fn convolve(
    shape: &Convolution,
    a: impl Fn(u32, u32, u32, u32) -> i64,
    weights: &[i64],
) -> Vec<i64> {
    let Sides {
        top,
        bottom,
        left,
        right,
    } = shape.padding;
    let [kernel_rows, kernel_columns] = shape.kernel;
    let (group_inputs, group_outputs) =
        (shape.channels / shape.groups, shape.outputs / shape.groups);
    let mut c = Vec::new();
    for image in 0..shape.images {
        for output in 0..shape.outputs {
            let mut y0 = 0;
            while y0 + shape.dilation[0] * (kernel_rows - 1) < shape.height + top + bottom {
                let mut x0 = 0;
                while x0 + shape.dilation[1] * (kernel_columns - 1) < shape.width + left + right {
                    let mut sum = 0;
                    let mut weight =
                        output as usize * (group_inputs * kernel_rows * kernel_columns) as usize;
                    for input in 0..group_inputs {
                        for v in 0..kernel_rows {
                            for u in 0..kernel_columns {
                                let y = (y0 + v * shape.dilation[0]).wrapping_sub(top);
                                let x = (x0 + u * shape.dilation[1]).wrapping_sub(left);
                                if y < shape.height && x < shape.width {
                                    let channel = output / group_outputs * group_inputs + input;
                                    sum += a(image, channel, y, x) * weights[weight];
                                }
                                weight += 1;
                            }
                        }
                    }
                    c.push(sum);
                    x0 += shape.stride[1];
                }
                y0 += shape.stride[0];
            }
        }
    }
    c
}

/// The tensor as the layout stores it, with its border if the padding is stored.
pub fn store(shape: &Convolution, a: impl Fn(u32, u32, u32, u32) -> i64) -> Vec<i64> {
    let Sides {
        top,
        bottom,
        left,
        right,
    } = match shape.pad {
        Pad::Mask => Sides::default(),
        Pad::Border => shape.padding,
    };
    let (rows, columns) = (top + shape.height + bottom, left + shape.width + right);
    let planes = (0..shape.images).flat_map(|n| (0..shape.channels).map(move |c| (n, c)));
    let lines = planes.flat_map(|(n, c)| (0..rows).map(move |y| (n, c, y)));
    let all = lines.flat_map(|(n, c, y)| (0..columns).map(move |x| [n, c, y, x]));
    let mut places: Vec<_> = all.collect();
    // The index that changes fastest is the last one.
    places.sort_by_key(|&[n, c, y, x]| match shape.layout {
        Layout::Nchw => [n, c, y, x, 0],
        Layout::Cnhw => [c, n, y, x, 0],
        Layout::Nhwc => [n, y, x, c, 0],
        Layout::NchwVector => [n, c / shape.vector, y, x, c % shape.vector],
    });
    let element = |[n, c, y, x]: [u32; 4]| {
        let (y, x) = (y.wrapping_sub(top), x.wrapping_sub(left));
        if y < shape.height && x < shape.width {
            a(n, c, y, x)
        } else {
            0
        }
    };
    places.into_iter().map(element).collect()
}

//! Layers of matrices by plain indices.

use heddle_network::{Layer, Matmul, Permutation, Shape};

use super::Tensor;

/// Index of an element in the order channel, row, column.
fn index(shape: Shape, channel: u32, row: u32, column: u32) -> usize {
    let [height, width] = [shape.height, shape.width].map(|side| side as usize);
    (channel as usize * height + row as usize) * width + column as usize
}

/// Bias and products of one element of the result.
pub(super) fn product(
    layer: &Layer,
    matmul: Matmul,
    inputs: &[&Tensor],
    (channel, row, column): (u32, u32, u32),
) -> i64 {
    let first = |term: u32| {
        let (y, x) = match matmul.transposed[0] {
            true => (term, row),
            false => (row, term),
        };
        let value = inputs[0].values[index(layer.input, channel, y, x)];
        i64::from(value) - i64::from(layer.inputs[0].zero_point)
    };
    let terms = layer.taps() as u32;
    let second = |term: u32| {
        let (y, x) = match matmul.transposed[1] {
            true => (column, term),
            false => (term, column),
        };
        match inputs.get(1) {
            Some(tensor) => {
                let value = tensor.values[index(tensor.shape, channel, y, x)];
                i64::from(value) - i64::from(layer.inputs[1].zero_point)
            }
            None => {
                let width = match matmul.transposed[1] {
                    true => terms,
                    false => layer.output.width,
                };
                i64::from(layer.weights[(y * width + x) as usize])
            }
        }
    };
    let products = (0..terms).map(|term| first(term) * second(term));
    let bias = layer.bias[column as usize % layer.bias.len()];
    i64::from(bias) + products.sum::<i64>()
}

/// The elements of a tensor in another order of its dimensions.
pub(super) fn permuted(permutation: Permutation, input: &Tensor) -> Vec<i8> {
    let bytes = permutation.element_bytes as usize;
    let sizes = permutation.dimensions(input.shape).map(|n| n as usize);
    // Distance of neighbours along each dimension of the input, in elements.
    let strides = [
        sizes[1] * sizes[2] * sizes[3],
        sizes[2] * sizes[3],
        sizes[3],
        1,
    ];
    let axes = permutation.axes.map(usize::from);
    let [a, b, c, d] = axes.map(|axis| sizes[axis]);
    let mut values = Vec::with_capacity(input.values.len());
    for i in 0..a {
        for j in 0..b {
            for k in 0..c {
                for l in 0..d {
                    let places = [i, j, k, l].into_iter().zip(axes);
                    let element: usize = places.map(|(at, axis)| at * strides[axis]).sum();
                    values.extend(&input.values[element * bytes..][..bytes]);
                }
            }
        }
    }
    values
}

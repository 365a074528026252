//! Layers that no machine has: the kernels of the host on tensors of channels, height and width.

use heddle_arch::requantise::{Scale, ScaledInput, ScaledOutput};
use heddle_network::{Axis, Constant, Layer, LayerKind, Mean, Order, Shape, Softmax, Sum};

use super::{Tensor, kernel, looked_up, under};
use crate::host::{self, View};

/// The output of such a layer, of an [`LayerKind::Add`], or of an [`LayerKind::AveragePool2d`] with padding.
///
/// # Panics
/// If the kind is of a machine.
pub fn run(layer: &Layer, inputs: &[&Tensor]) -> Tensor {
    let first = inputs[0];
    let values = match layer.kind {
        LayerKind::Add(sum) => pair(layer, sum.constant, inputs, |views, zero_points| {
            let output = scaled_output(layer, sum.output);
            host::sum(views, &scaled(sum, zero_points), sum.subtracts, &output)
        }),
        LayerKind::SquaredDifference(sum) => {
            pair(layer, sum.constant, inputs, |views, zero_points| {
                let output = scaled_output(layer, sum.output);
                host::squared_difference(views, &scaled(sum, zero_points), &output)
            })
        }
        LayerKind::Mul(product) => pair(layer, product.constant, inputs, |views, zero_points| {
            let output = scaled_output(layer, product.output);
            host::product(views, zero_points, &output, layer.rounding)
        }),
        LayerKind::Prelu(prelu) => pair(layer, prelu.constant, inputs, |views, zero_points| {
            let outputs = prelu.outputs.map(|scale| scaled_output(layer, scale));
            host::prelu(views, zero_points, &outputs)
        }),
        LayerKind::Mean(Mean { over, scale }) => {
            let shape = sides(first.shape);
            let view = View {
                shape: &shape,
                values: &first.values,
            };
            let axes: Vec<usize> = (0..3).filter(|&axis| over[axis]).collect();
            let zero_point = layer.inputs[0].zero_point;
            host::mean(view, &axes, zero_point, &scaled_output(layer, scale))
        }
        LayerKind::AveragePool2d => averages(layer, first),
        LayerKind::Softmax(kind) => softmax(kind, first),
        LayerKind::ArgMax(axis) => placed(layer.output, |mut place| {
            let byte = std::mem::take(&mut place[axis.index()]);
            let row: Vec<i8> = (row(first.shape, axis, place))
                .map(|index| first.values[index])
                .collect();
            host::arg_max(&row, row.len())[0].to_le_bytes()[byte as usize] as i8
        }),
        LayerKind::Concat(axis) => concat(layer.output, axis, inputs),
        LayerKind::Slice(start) => placed(layer.output, |place| {
            first.values[at(first.shape, [0, 1, 2].map(|i| place[i] + start[i]))]
        }),
        LayerKind::Pad(start) => padded(layer, start, first),
        LayerKind::Resize([down, across]) => placed(layer.output, |[channel, y, x]| {
            first.values[at(first.shape, [channel, y / down, x / across])]
        }),
        LayerKind::ResizeBilinear(alignment) => placed(layer.output, |[channel, y, x]| {
            let rows = host::between(y, layer.output.height, first.shape.height, alignment);
            let columns = host::between(x, layer.output.width, first.shape.width, alignment);
            host::bilinear(rows, columns, |y, x| {
                first.values[at(first.shape, [channel, y, x])]
            })
        }),
        LayerKind::Reshape(Order::ChannelsFirst) => first.values.clone(),
        LayerKind::Reshape(Order::ChannelsLast) => reshaped(layer.output, first),
        kind => unreachable!("{} is of a machine", kind.name()),
    };
    looked_up(layer, values)
}

fn scaled_output(layer: &Layer, scale: Scale) -> ScaledOutput {
    ScaledOutput {
        scale,
        zero_point: layer.scaled_zero_point(),
        min: layer.min,
        max: layer.max,
    }
}

fn scaled(sum: Sum, zero_points: [i8; 2]) -> [ScaledInput; 2] {
    [0, 1].map(|input| ScaledInput {
        zero_point: zero_points[input],
        scale: sum.inputs[input],
    })
}

/// What a kernel makes of two tensors, one of which may be stored.
fn pair(
    layer: &Layer,
    constant: Option<Constant>,
    inputs: &[&Tensor],
    kernel: impl FnOnce([View<'_>; 2], [i8; 2]) -> Option<Vec<i8>>,
) -> Vec<i8> {
    let mut operands: Vec<(Shape, i8, &[i8])> = (inputs.iter().zip(&layer.inputs))
        .map(|(tensor, input)| (tensor.shape, input.zero_point, &tensor.values[..]))
        .collect();
    if let Some(constant) = constant {
        let place = usize::from(!constant.first);
        operands.insert(place, (constant.shape, constant.zero_point, &layer.weights));
    }
    let shapes = [0, 1].map(|operand| sides(operands[operand].0));
    let views = [0, 1].map(|operand| View {
        shape: &shapes[operand],
        values: operands[operand].2,
    });
    let zero_points = [0, 1].map(|operand| operands[operand].1);
    kernel(views, zero_points).expect("networks have shapes that fit")
}

fn sides(shape: Shape) -> [usize; 3] {
    shape.sides().map(|side| side as usize)
}

/// Index of the element at a channel, row and column.
fn at(shape: Shape, [channel, y, x]: [u32; 3]) -> usize {
    let [_, height, width] = sides(shape);
    (channel as usize * height + y as usize) * width + x as usize
}

/// The channel, row and column of each element in order.
fn places(shape: Shape) -> impl Iterator<Item = [u32; 3]> {
    let rows = (0..shape.channels).flat_map(move |c| (0..shape.height).map(move |y| (c, y)));
    rows.flat_map(move |(c, y)| (0..shape.width).map(move |x| [c, y, x]))
}

fn placed(shape: Shape, value: impl FnMut([u32; 3]) -> i8) -> Vec<i8> {
    places(shape).map(value).collect()
}

/// The mean of each window's bytes inside the plane.
fn averages(layer: &Layer, input: &Tensor) -> Vec<i8> {
    placed(layer.output, |[channel, y, x]| {
        let window = kernel(layer).filter_map(|tap| under(layer, input, channel, [y, x], tap));
        let zero_point = i64::from(layer.inputs[0].zero_point);
        let bytes: Vec<i64> = window.map(|operand| operand + zero_point).collect();
        host::rounded_mean(&bytes)
    })
}

/// Indices of the elements along a dimension, from one at its beginning on.
fn row(shape: Shape, axis: Axis, mut place: [u32; 3]) -> impl Iterator<Item = usize> {
    (0..shape.sides()[axis.index()]).map(move |along| {
        place[axis.index()] = along;
        at(shape, place)
    })
}

fn softmax(kind: Softmax, input: &Tensor) -> Vec<i8> {
    let mut starts = input.shape.sides();
    starts[kind.axis.index()] = 1;
    let mut values = input.values.clone();
    for start in places(Shape::of(starts)) {
        let indices: Vec<usize> = row(input.shape, kind.axis, start).collect();
        let row: Vec<i8> = indices.iter().map(|&index| input.values[index]).collect();
        let shares = host::softmax(&row, row.len(), kind.scale);
        for (index, share) in indices.into_iter().zip(shares) {
            values[index] = share;
        }
    }
    values
}

fn concat(output: Shape, axis: Axis, inputs: &[&Tensor]) -> Vec<i8> {
    let axis = axis.index();
    placed(output, |mut place| {
        let mut tensors = inputs.iter();
        loop {
            let tensor = tensors.next().expect("the output has no other places");
            let side = tensor.shape.sides()[axis];
            if place[axis] < side {
                return tensor.values[at(tensor.shape, place)];
            }
            place[axis] -= side;
        }
    })
}

/// Elements in steps of the stride, and the zero point between and around them.
fn padded(layer: &Layer, start: [u32; 3], input: &Tensor) -> Vec<i8> {
    let mut values = vec![layer.output_zero_point; layer.output.elements()];
    let steps = [1, layer.stride[0], layer.stride[1]];
    for (place, &value) in places(input.shape).zip(&input.values) {
        let moved = [0, 1, 2].map(|i| start[i] + place[i] * steps[i]);
        values[at(layer.output, moved)] = value;
    }
    values
}

/// Elements are counted by rows, columns and channels.
fn reshaped(output: Shape, input: &Tensor) -> Vec<i8> {
    let [channels, _, width] = input.shape.sides().map(u64::from);
    placed(output, |[channel, y, x]| {
        let pixel = u64::from(y) * u64::from(output.width) + u64::from(x);
        let number = pixel * u64::from(output.channels) + u64::from(channel);
        let (pixel, channel) = (number / channels, number % channels);
        let place = [channel, pixel / width, pixel % width];
        input.values[at(input.shape, place.map(|side| side as u32))]
    })
}

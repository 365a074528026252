//! Kernels that move over a plane.

use crate::{Layer, Tensor};

/// An input channel's place under the kernel for an output pixel, less its zero point; `None` in the padding.
pub(super) fn under(
    layer: &Layer,
    input: &Tensor,
    channel: u32,
    at: [u32; 2],
    tap: [u32; 2],
) -> Option<i64> {
    let place = |axis: usize, padding: u32| {
        i64::from(at[axis]) * i64::from(layer.stride[axis])
            + i64::from(tap[axis]) * i64::from(layer.dilation[axis])
            - i64::from(padding)
    };
    let (y, x) = (place(0, layer.padding.top), place(1, layer.padding.left));
    let value = input.at(channel, y, x)?;
    Some(i64::from(value) - i64::from(layer.inputs[0].zero_point))
}

/// Places of the kernel in order.
fn kernel(layer: &Layer) -> impl Iterator<Item = [u32; 2]> {
    let [height, width] = layer.kernel;
    (0..height).flat_map(move |y| (0..width).map(move |x| [y, x]))
}

/// What lies inside the plane of the window of an output, less its zero point.
pub(super) fn window(
    layer: &Layer,
    input: &Tensor,
    [channel, y, x]: [u32; 3],
) -> impl Iterator<Item = i64> {
    kernel(layer).filter_map(move |tap| under(layer, input, channel, [y, x], tap))
}

/// Bias and products with the weights of an output.
pub(super) fn weighted(layer: &Layer, input: &Tensor, [channel, y, x]: [u32; 3]) -> i64 {
    let mut sum = i64::from(layer.bias[channel as usize]);
    let first = channel / layer.group_outputs() * layer.group_inputs();
    for source in 0..layer.group_inputs() {
        for [ky, kx] in kernel(layer) {
            if let Some(operand) = under(layer, input, first + source, [y, x], [ky, kx]) {
                sum += i64::from(layer.weight(channel, source, ky, kx)) * operand;
            }
        }
    }
    sum
}

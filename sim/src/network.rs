//! Whole networks by plain nested loops, with the arithmetic of the TensorFlow Lite reference
//! kernels: what the machine must give for every layer, byte for byte.
//!
//! Nothing here knows tiles, lanes, addresses or re-centred bytes.

mod host;
mod matrix;
pub mod requantise;

use heddle_network::{Layer, LayerKind, Network, Shape};

use requantise::output_value;

/// An int8 tensor, elements in the order channel, row, column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tensor {
    /// Channels, height, width.
    pub shape: Shape,
    /// Quantised values.
    pub values: Vec<i8>,
}

impl Tensor {
    /// The value at a place; `None` outside the plane.
    #[must_use]
    pub fn at(&self, channel: u32, y: i64, x: i64) -> Option<i8> {
        let inside = |i: i64, size: u32| (0..i64::from(size)).contains(&i);
        if !inside(y, self.shape.height) || !inside(x, self.shape.width) {
            return None;
        }
        let height = i64::from(self.shape.height);
        let width = i64::from(self.shape.width);
        let index = (i64::from(channel) * height + y) * width + x;
        Some(self.values[index as usize])
    }
}

/// Why a network cannot be evaluated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// The image does not have the elements of the network's inputs.
    #[error("image has {found} values, expected {expected}")]
    ImageLength {
        /// Values given.
        found: usize,
        /// Elements of all inputs.
        expected: usize,
    },
    /// A sum needs more than 32 bits.
    #[error("layer {layer}: sum of output channel {channel} is {sum}, expected 32 bits")]
    SumOverflow {
        /// Name of the layer.
        layer: String,
        /// Output channel.
        channel: u32,
        /// The sum.
        sum: i64,
    },
}

/// The outputs of all layers for one image, first layer first.
///
/// # Errors
/// [`NetworkError`]
pub fn run(network: &Network, image: &[i8]) -> Result<Vec<Tensor>, NetworkError> {
    let expected = network.image_elements();
    if image.len() != expected {
        return Err(NetworkError::ImageLength {
            found: image.len(),
            expected,
        });
    }
    let input = |index: usize| Tensor {
        shape: network.tensor(index).0,
        values: network.part(image, index).to_vec(),
    };
    let mut tensors = vec![input(0)];
    for layer in &network.layers {
        let inputs: Vec<&Tensor> = layer.inputs.iter().map(|i| &tensors[i.tensor]).collect();
        let output = match layer.kind {
            LayerKind::Input => input(tensors.len()),
            _ => run_layer(layer, &inputs)?,
        };
        tensors.push(output);
    }
    Ok(tensors.split_off(1))
}

/// The output of one layer that reads something. A fully connected layer is a convolution with the whole plane as
/// kernel, the mean of a window one with weights 1.
///
/// # Errors
/// [`NetworkError::SumOverflow`]
pub fn run_layer(layer: &Layer, inputs: &[&Tensor]) -> Result<Tensor, NetworkError> {
    if let LayerKind::Transpose(permutation) = layer.kind {
        return Ok(Tensor {
            shape: layer.output,
            values: matrix::permuted(permutation, inputs[0]),
        });
    }
    if layer.is_for_host() || matches!(layer.kind, LayerKind::Add(_)) {
        return Ok(host::run(layer, inputs));
    }
    let mut values = Vec::with_capacity(layer.output.elements());
    for channel in 0..layer.output.channels {
        for y in 0..layer.output.height {
            for x in 0..layer.output.width {
                let sum = match layer.kind {
                    LayerKind::WeightedSum => weighted_sum(layer, inputs, channel, y, x),
                    LayerKind::MaxPool2d => largest(layer, inputs[0], channel, y, x),
                    LayerKind::Matmul(matmul) => {
                        matrix::product(layer, matmul, inputs, (channel, y, x))
                    }
                    _ => accumulate(layer, inputs[0], channel, y, x),
                };
                let sum = i32::try_from(sum).map_err(|_| NetworkError::SumOverflow {
                    layer: layer.name.clone(),
                    channel,
                    sum,
                })?;
                let scale = match layer.kind {
                    LayerKind::Matmul(_) => layer.scales[x as usize % layer.scales.len()],
                    _ => layer.scales[channel as usize],
                };
                values.push(output_value(
                    sum,
                    scale,
                    layer.rounding,
                    layer.scaled_zero_point(),
                    layer.min,
                    layer.max,
                ));
            }
        }
    }
    Ok(looked_up(layer, values))
}

/// The output of a layer that makes these values, or what its table has for them.
fn looked_up(layer: &Layer, values: Vec<i8>) -> Tensor {
    let values = match &layer.table {
        None => values,
        Some(table) => values.into_iter().map(|value| table.at(value)).collect(),
    };
    Tensor {
        shape: layer.output,
        values,
    }
}

/// An input channel's place under the kernel for an output pixel; `None` in the padding.
fn under(layer: &Layer, input: &Tensor, channel: u32, at: [u32; 2], tap: [u32; 2]) -> Option<i64> {
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

fn accumulate(layer: &Layer, input: &Tensor, channel: u32, y: u32, x: u32) -> i64 {
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

fn largest(layer: &Layer, input: &Tensor, channel: u32, y: u32, x: u32) -> i64 {
    let window = kernel(layer).filter_map(|tap| under(layer, input, channel, [y, x], tap));
    window.max().expect("a window has an element")
}

fn weighted_sum(layer: &Layer, inputs: &[&Tensor], channel: u32, y: u32, x: u32) -> i64 {
    let mut sum = i64::from(layer.bias[channel as usize]);
    for ((tensor, input), factor) in inputs.iter().zip(&layer.inputs).zip(&layer.weights) {
        let value = tensor.at(channel, y.into(), x.into()).expect("one shape");
        sum += i64::from(*factor) * (i64::from(value) - i64::from(input.zero_point));
    }
    sum
}

/// The class that the output of a network stands for: its only place, or the index of the largest value.
#[must_use]
pub fn class_in(network: &Network, values: &[i8]) -> Option<usize> {
    match (network.places(network.layers.len()), values) {
        (None, _) => class_of(values),
        (Some(_), &[a, b, c, d]) => {
            Some(u32::from_le_bytes([a, b, c, d].map(|byte| byte as u8)) as usize)
        }
        (Some(_), _) => None,
    }
}

/// Index of the largest value, the first one of several.
#[must_use]
pub fn class_of(values: &[i8]) -> Option<usize> {
    let best = values.iter().max()?;
    values.iter().position(|value| value == best)
}

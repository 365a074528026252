//! Whole networks by plain nested loops, with the arithmetic of the TensorFlow Lite reference
//! kernels: what the machine must give for every layer, byte for byte.
//!
//! Nothing here knows tiles, lanes, addresses or re-centred bytes.

pub mod requantise;

use heddle_arch::network::{Layer, Network, Shape};

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
    /// The image does not have the shape of the network's input.
    #[error("image has {found} values, expected {expected}")]
    ImageLength {
        /// Values given.
        found: usize,
        /// Channels x height x width.
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
    let expected = network.input.elements();
    if image.len() != expected {
        return Err(NetworkError::ImageLength {
            found: image.len(),
            expected,
        });
    }
    let mut input = Tensor {
        shape: network.input,
        values: image.to_vec(),
    };
    let mut outputs = Vec::with_capacity(network.layers.len());
    for layer in &network.layers {
        let output = run_layer(layer, &input)?;
        outputs.push(output.clone());
        input = output;
    }
    Ok(outputs)
}

/// The output of one layer. A fully connected layer is a convolution with the whole plane as
/// kernel.
///
/// # Errors
/// [`NetworkError::SumOverflow`]
pub fn run_layer(layer: &Layer, input: &Tensor) -> Result<Tensor, NetworkError> {
    let mut values = Vec::with_capacity(layer.output.elements());
    for channel in 0..layer.output.channels {
        for y in 0..layer.output.height {
            for x in 0..layer.output.width {
                let sum = accumulate(layer, input, channel, y, x);
                let sum = i32::try_from(sum).map_err(|_| NetworkError::SumOverflow {
                    layer: layer.name.clone(),
                    channel,
                    sum,
                })?;
                values.push(output_value(
                    sum,
                    layer.scales[channel as usize],
                    layer.rounding,
                    layer.output_zero_point,
                    layer.min,
                    layer.max,
                ));
            }
        }
    }
    Ok(Tensor {
        shape: layer.output,
        values,
    })
}

fn accumulate(layer: &Layer, input: &Tensor, channel: u32, y: u32, x: u32) -> i64 {
    let top = i64::from(y * layer.stride[0]) - i64::from(layer.padding.top);
    let left = i64::from(x * layer.stride[1]) - i64::from(layer.padding.left);
    let mut sum = i64::from(layer.bias[channel as usize]);
    for source in 0..input.shape.channels {
        for ky in 0..layer.kernel[0] {
            for kx in 0..layer.kernel[1] {
                let place = input.at(source, top + i64::from(ky), left + i64::from(kx));
                let Some(value) = place else {
                    continue;
                };
                let operand = i64::from(value) - i64::from(layer.input_zero_point);
                sum += i64::from(layer.weight(channel, source, ky, kx)) * operand;
            }
        }
    }
    sum
}

/// Index of the largest value, the first one of several.
#[must_use]
pub fn class_of(values: &[i8]) -> Option<usize> {
    let best = values.iter().max()?;
    values.iter().position(|value| value == best)
}

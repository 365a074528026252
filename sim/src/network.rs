//! Whole networks by the reference meaning of their operators, which [`heddle_network::ops`] has: what the machine must give for
//! every layer, byte for byte.
//!
//! Nothing there knows tiles, lanes, addresses or re-centred bytes.

use heddle_network::{Layer, Network};

pub use heddle_network::{NetworkError, Tensor, requantise};

/// The outputs of all layers for one image, first layer first.
///
/// # Errors
/// [`NetworkError`]
pub fn run(network: &Network, image: &[i8]) -> Result<Vec<Tensor>, NetworkError> {
    network.run(image)
}

/// The output of one layer that reads something.
///
/// # Errors
/// [`NetworkError::SumOverflow`]
pub fn run_layer(layer: &Layer, inputs: &[&Tensor]) -> Result<Tensor, NetworkError> {
    layer.run(inputs)
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

//! From sums to bytes.

use heddle_arch::requantise::{Rounding, Scale};

use crate::requantise::output_value;
use crate::{Layer, NetworkError};

/// The bytes of a layer whose sums have 32 bits, each with the scale of its channel.
pub(super) fn of_channels(
    layer: &Layer,
    sum: impl Fn([u32; 3]) -> i64,
) -> Result<Vec<i8>, NetworkError> {
    of_places(layer, |place| (sum(place), layer.scales[place[0] as usize]))
}

/// The bytes of a layer whose sums have 32 bits, each with a scale.
pub(super) fn of_places(
    layer: &Layer,
    sum: impl Fn([u32; 3]) -> (i64, Scale),
) -> Result<Vec<i8>, NetworkError> {
    let mut values = Vec::with_capacity(layer.output.elements());
    for place in layer.output.places() {
        let (sum, scale) = sum(place);
        let sum = i32::try_from(sum).map_err(|_| NetworkError::SumOverflow {
            layer: layer.name.clone(),
            channel: place[0],
            sum,
        })?;
        values.push(byte(layer, sum.into(), scale, layer.rounding));
    }
    Ok(values)
}

/// The byte of a sum, which is held in 32 bits.
pub(super) fn byte(layer: &Layer, sum: i64, scale: Scale, rounding: Rounding) -> i8 {
    let sum = sum.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
    let zero_point = layer.scaled_zero_point();
    output_value(sum, scale, rounding, zero_point, layer.min, layer.max)
}

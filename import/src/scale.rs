//! Real scales as the fixed-point numbers of the machine.

use heddle_arch::requantise::Scale;

use crate::model::{Activation, Quantised};

/// The multiplier and shift of the reference kernels: real = multiplier / 2^31 * 2^shift, to the nearest.
///
/// A scale below 2^-32 is 0: its channel has the zero point everywhere.
///
/// # Errors
/// If the scale is 2^30 or more, or not a number.
pub fn scale(real: f64) -> Result<Scale, String> {
    let out_of_range = || format!("its results are scaled by {real}, expected 0 to 2^30");
    if !real.is_finite() || real < 0.0 {
        return Err(out_of_range());
    }
    let (fraction, exponent) = split(real);
    let rounded = (fraction * f64::from(1u32 << 31)).round();
    let (multiplier, shift) = match rounded >= f64::from(1u32 << 31) {
        true => (1 << 30, exponent + 1),
        false => (rounded as i32, exponent),
    };
    let found = match shift < -31 {
        true => Scale::new(0, 0),
        false => Scale::new(multiplier, shift),
    };
    found.map_err(|_| out_of_range())
}

/// real = fraction * 2^exponent, with 1/2 <= fraction < 1; 0 is 0 and 0.
fn split(real: f64) -> (f64, i32) {
    const EXPONENT: u64 = 0x7ff << 52;
    match real.is_normal() && real > 0.0 {
        false => (real, 0),
        true => (
            f64::from_bits(real.to_bits() & !EXPONENT | 1022 << 52),
            (real.to_bits() >> 52) as i32 - 1022,
        ),
    }
}

/// A scale divided by a number of places as the reference kernel does: the multiplier may keep less than 31 bits.
pub fn divided(scale: Scale, count: u32) -> Result<Scale, String> {
    let digits = (count.ilog2() as i32).min(31 + scale.shift());
    let multiplier = (i64::from(scale.multiplier()) << digits) / i64::from(count);
    let found = Scale::new(multiplier as i32, scale.shift() - digits);
    found.map_err(|fault| fault.message)
}

/// The smallest and the largest output that an activation lets pass, as the reference kernels have them.
pub fn bounds(activation: Activation, output: Quantised) -> Result<(i8, i8), String> {
    let Quantised { scale, zero_point } = output;
    // Rounded in single precision: that is what they do.
    let at = |real: f32| {
        let steps = (real / scale).round() as i32;
        let byte = steps.saturating_add(zero_point.into()).clamp(-128, 127);
        byte as i8
    };
    match activation {
        Activation::None => Ok((i8::MIN, i8::MAX)),
        Activation::Relu => Ok((at(0.0), i8::MAX)),
        Activation::ReluN1To1 => Ok((at(-1.0), at(1.0))),
        Activation::Relu0To1 => Ok((at(0.0), at(1.0))),
        Activation::Relu6 => Ok((at(0.0), at(6.0))),
        Activation::Between(low, high) => Ok((low, high)),
        Activation::Other(number) => Err(format!(
            "has activation {number}, expected NONE, RELU, RELU6 or RELU_N1_TO_1"
        )),
    }
}

/// The bounds of an activation in the 32 bits of the reference kernels.
pub struct ReferenceBounds {
    /// The smallest output.
    pub min: i32,
    /// The largest output.
    pub max: i32,
    /// Whether 32 bits hold them.
    pub is_held: bool,
}

/// The bounds of an operator that is an activation and nothing else: one that leaves 32 bits becomes the smallest number there is.
pub fn reference_bounds(activation: Activation, output: Quantised) -> ReferenceBounds {
    let steps = |real: f32| (real / output.scale).round();
    let bound = |real: f32| match steps(real) {
        steps if steps.abs() < 31f32.exp2() => steps as i32,
        _ => i32::MIN,
    };
    let at = |real: f32| bound(real).wrapping_add(output.zero_point.into());
    let (low, high) = match activation {
        Activation::Relu => (Some(0.0), None),
        Activation::ReluN1To1 => (Some(-1.0), Some(1.0)),
        Activation::Relu0To1 => (Some(0.0), Some(1.0)),
        Activation::Relu6 => (Some(0.0), Some(6.0)),
        _ => (None, None),
    };
    let reals = [low, high].into_iter().flatten();
    ReferenceBounds {
        min: low.map_or(-128, |real| at(real).max(-128)),
        max: high.map_or(127, |real| at(real).min(127)),
        is_held: reals
            .into_iter()
            .all(|real| steps(real).abs() < 31f32.exp2() - 256.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_are_rounded_as_the_reference_kernels_do() {
        let just_below_one = f64::from_bits(1f64.to_bits() - 1);
        for (real, expected) in [
            (0.0, Some((0, 0))),
            (1.0, Some((1 << 30, 1))),
            (just_below_one, Some((1 << 30, 1))),
            (0.5, Some((1 << 30, 0))),
            (0.75, Some((3 << 29, 0))),
            ((-32f64).exp2(), Some((1 << 30, -31))),
            ((-33f64).exp2() * 1.5, Some((0, 0))),
            (29f64.exp2(), Some((1 << 30, 30))),
            (30f64.exp2(), None),
            (f64::NAN, None),
            (f64::INFINITY, None),
            (-1.0, None),
        ] {
            let found = scale(real)
                .ok()
                .map(|found| (found.multiplier(), found.shift()));
            assert_eq!(found, expected, "{real}");
        }
    }

    #[test]
    fn bounds_lie_where_an_activation_cuts() {
        for (activation, scale, zero_point, expected) in [
            (Activation::None, 0.1, 5, (-128, 127)),
            (Activation::Relu, 0.1, 5, (5, 127)),
            (Activation::Relu6, 0.1, -10, (-10, 50)),
            (Activation::Relu6, 0.1, 100, (100, 127)),
            (Activation::ReluN1To1, 0.4, 0, (-3, 3)),
            (Activation::Relu6, 1e-30, 0, (0, 127)),
        ] {
            assert_eq!(
                bounds(activation, Quantised { scale, zero_point }),
                Ok(expected),
                "{activation:?}"
            );
        }
        assert!(
            bounds(
                Activation::Other(4),
                Quantised {
                    scale: 1.0,
                    zero_point: 0
                }
            )
            .is_err()
        );
    }
}

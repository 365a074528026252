//! From a 32-bit accumulator to an int8 output: TensorFlow Lite's definitions, written out.

use heddle_arch::requantise::{Rounding, Scale};

/// Doubled product of two int32 numbers, its upper half, rounded to nearest (ties away from zero
/// for a negative product as the reference does: by truncation after adding the nudge).
pub(crate) fn saturating_rounding_doubling_high_mul(a: i32, b: i32) -> i32 {
    if a == i32::MIN && b == i32::MIN {
        return i32::MAX;
    }
    let product = i64::from(a) * i64::from(b);
    let nudge = if product >= 0 {
        1i64 << 30
    } else {
        1 - (1i64 << 30)
    };
    ((product + nudge) / (1i64 << 31)) as i32
}

/// Division by 2^exponent, rounded to nearest, ties away from zero.
pub(crate) fn rounding_divide_by_power_of_two(x: i32, exponent: u32) -> i32 {
    let mask = (1i64 << exponent) - 1;
    let remainder = i64::from(x) & mask;
    let threshold = (mask >> 1) + i64::from(x < 0);
    (i64::from(x) >> exponent) as i32 + i32::from(remainder > threshold)
}

/// Scales an accumulator by `multiplier * 2^(shift - 31)`.
///
/// A left shift saturates to 32 bits first, in both modes.
#[must_use]
pub fn scale_accumulator(acc: i32, scale: Scale, rounding: Rounding) -> i32 {
    let shift = scale.shift();
    let left = u32::try_from(shift).unwrap_or(0);
    let right = u32::try_from(-shift).unwrap_or(0);
    let shifted = i64::from(acc) * (1i64 << left);
    let shifted = shifted.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32;
    match rounding {
        Rounding::Double => rounding_divide_by_power_of_two(
            saturating_rounding_doubling_high_mul(shifted, scale.multiplier()),
            right,
        ),
        Rounding::Single => {
            let product = i128::from(shifted) * i128::from(scale.multiplier());
            let total = 31 + right;
            ((product + (1i128 << (total - 1))) >> total) as i32
        }
    }
}

/// Scales an accumulator, adds the output zero point and clamps to `min..=max`.
#[must_use]
pub fn output_value(
    acc: i32,
    scale: Scale,
    rounding: Rounding,
    zero_point: i8,
    min: i8,
    max: i8,
) -> i8 {
    let value = i64::from(scale_accumulator(acc, scale, rounding)) + i64::from(zero_point);
    value.clamp(i64::from(min), i64::from(max)) as i8
}

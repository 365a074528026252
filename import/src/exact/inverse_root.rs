//! RSQRT in fixed point.

use heddle_arch::requantise::{Rounding, Scale, quantise_output, requantise};

use super::table::each;
use crate::model::Quantised;
use crate::scale::scale;

/// Bits behind the point of a root's inverse.
const FRACTION: i32 = 20;
/// 1 with 3 bits in front of the point.
const ONE: i32 = 1 << 28;
const HALF_ROOT_OF_2: i32 = 1_518_500_250;

/// The outputs for -128 to 127.
///
/// # Errors
/// If a scale cannot be had.
pub fn table(input: Quantised, output: Quantised) -> Result<[i8; 256], String> {
    let real = 1.0 / (input.scale.sqrt() * output.scale);
    let last = scale(real.into())?;
    let last = Scale::new(last.multiplier(), last.shift() - FRACTION)
        .map_err(|_| format!("its results are scaled by {real}, expected 2^-12 to 2^30"))?;
    Ok(each(input, |x| match x {
        ..=0 => i8::MAX,
        _ => {
            let inverse = requantise(1, inverse_root(x), Rounding::Double);
            quantise_output(
                inverse,
                last,
                Rounding::Double,
                output.zero_point,
                i8::MIN,
                i8::MAX,
            )
        }
    }))
}

/// 1 / the square root of 1 to 255, with `FRACTION` bits behind its point.
fn inverse_root(x: i32) -> Scale {
    if x == 1 {
        return Scale::new(i32::MAX, FRACTION).expect("20 is a shift");
    }
    // Pairs of bits to the left, until the value lies between 1/4 and 1, with 3 bits in front of its point.
    let pairs = (x.leading_zeros() as i32 - 1) / 2 - 1;
    let half = ((x << (2 * pairs)) / 2 + 1) / 2;
    let steps = (0..5).fold(ONE, |found, _| {
        let cube = times(times(found, found), found) << 6;
        (times(ONE + ONE / 2, found) - times(half, cube)) << 3
    });
    let multiplier = times(steps, HALF_ROOT_OF_2);
    Scale::new(multiplier, FRACTION - 11 + pairs).expect("pairs are 11 to 13")
}

/// The upper half of twice the product, to the nearest.
fn times(a: i32, b: i32) -> i32 {
    ((i64::from(a) * i64::from(b) + (1 << 30)) >> 31) as i32
}

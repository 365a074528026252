//! From 32-bit sums to 8-bit results, bit for bit as the TensorFlow Lite reference kernels do it,
//! and the representation of activations in which a real zero is the byte 0.

mod dual;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::fault::Fault;

pub use dual::{DualScale, parts, raised, requantise_dual};

/// How a scaled sum is rounded.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Rounding {
    /// Rounding doubling high multiply (halves upwards), then a rounding right shift (halves away
    /// from zero): convolutions.
    Double,
    /// One rounding of the 64-bit product, halves upwards: fully connected layers.
    Single,
}

/// The scale of one output channel: multiplier / 2^31 * 2^shift.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Scale {
    multiplier: i32,
    shift: i32,
}

impl Scale {
    /// Smallest shift (rightmost).
    pub const SHIFT_MIN: i32 = -31;
    /// Largest shift (leftmost).
    pub const SHIFT_MAX: i32 = 30;
    /// The scale of a channel that gives the zero point for every sum.
    pub const ZERO: Scale = Scale {
        multiplier: 0,
        shift: 0,
    };

    /// A scale; positive shifts go left.
    ///
    /// # Errors
    /// Unless `multiplier` is 0..=2^31-1 and `shift` is -31..=30.
    pub fn new(multiplier: i32, shift: i32) -> Result<Scale, Fault> {
        let fault = |field: &str, found: i32, allowed: &str| Fault {
            line: None,
            field: field.to_string(),
            message: format!("{field} is {found}, expected {allowed}"),
        };
        if multiplier < 0 {
            return Err(fault("multiplier", multiplier, "0 to 2147483647"));
        }
        if !(Self::SHIFT_MIN..=Self::SHIFT_MAX).contains(&shift) {
            return Err(fault("shift", shift, "-31 to 30"));
        }
        Ok(Scale { multiplier, shift })
    }

    /// The scale 1 / n, its multiplier rounded to nearest. 1 is 2^31 - 1 without a shift: a sum below 2^30 stays what
    /// it is, a larger one is clamped with either.
    ///
    /// # Panics
    /// If n is 0.
    #[must_use]
    pub fn reciprocal(n: u32) -> Scale {
        assert!(n > 0, "1 / 0 is no scale");
        // 1 / n lies in (2^-bits, 2^(1 - bits)].
        let bits = (n - 1).checked_ilog2().map_or(1, |log| log as i32 + 1);
        let numerator = 1u64 << (30 + bits);
        let multiplier = (numerator + u64::from(n) / 2) / u64::from(n);
        Scale {
            multiplier: i32::try_from(multiplier).unwrap_or(i32::MAX),
            shift: 1 - bits,
        }
    }

    /// 0..=2^31-1; most have all of its 31 bits.
    pub fn multiplier(self) -> i32 {
        self.multiplier
    }

    /// -31..=30, positive = left.
    pub fn shift(self) -> i32 {
        self.shift
    }
}

/// Scales a 32-bit sum.
///
/// A left shift saturates to 32 bits before the multiplication in both modes; wherever the
/// reference kernels define a result, this is the same one.
pub fn requantise(acc: i32, scale: Scale, rounding: Rounding) -> i32 {
    let left = scale.shift.max(0);
    let right = (-scale.shift).max(0);
    let shifted = (i64::from(acc) << left).clamp(i64::from(i32::MIN), i64::from(i32::MAX));
    rounded(shifted * i64::from(scale.multiplier), right, rounding)
}

/// `product` / 2^(31 + right).
fn rounded(product: i64, right: i32, rounding: Rounding) -> i32 {
    let result = match rounding {
        Rounding::Double => {
            let high = (product + (1 << 30)) >> 31;
            if right == 0 {
                high
            } else {
                // Away from zero: a negative half must not be lifted by the rounding constant.
                (high + (1 << (right - 1)) - i64::from(high < 0)) >> right
            }
        }
        Rounding::Single => (product + (1 << (30 + right))) >> (31 + right),
    };
    i32::try_from(result).expect("|sum| <= 2^31 times a multiplier below 2^31, shifted by 31")
}

/// Scales a sum to an int8 activation: adds the zero point and clamps to `min..=max`.
///
/// `min` must not be larger than `max`.
pub fn quantise_output(
    acc: i32,
    scale: Scale,
    rounding: Rounding,
    zero_point: i8,
    min: i8,
    max: i8,
) -> i8 {
    let value = i64::from(requantise(acc, scale, rounding)) + i64::from(zero_point);
    let clamped = value.clamp(i64::from(min), i64::from(max));
    i8::try_from(clamped).expect("clamped between two int8 values")
}

/// The byte that stands for activation `x` with zero point `z` inside the machine: (x - z) mod 256.
pub fn recentre(x: i8, z: i8) -> u8 {
    x.wrapping_sub(z) as u8
}

/// The activation that byte `b` stands for; inverse of [`recentre`].
pub fn restore(b: u8, z: i8) -> i8 {
    (b as i8).wrapping_add(z)
}

/// The compare value with which a row decodes its bytes: 127 - z.
pub fn threshold(z: i8) -> u8 {
    u8::try_from(127 - i16::from(z)).expect("127 - z is 0 to 255")
}

/// The 9-bit signed operand x - z that byte `b` stands for.
pub fn operand(b: u8, z: i8) -> i16 {
    if b <= threshold(z) {
        i16::from(b)
    } else {
        i16::from(b) - 256
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_a_bijection_and_zero_is_zero() {
        let mut compared = 0;
        for z in i8::MIN..=i8::MAX {
            assert_eq!(recentre(z, z), 0);
            for x in i8::MIN..=i8::MAX {
                let b = recentre(x, z);
                assert_eq!(restore(b, z), x);
                assert_eq!(operand(b, z), i16::from(x) - i16::from(z));
                compared += 1;
            }
        }
        println!("{compared} pairs of a byte and a zero point");
        assert_eq!(compared, 256 * 256);
    }

    #[test]
    fn scale_refuses_what_the_hardware_cannot_do() {
        for bad in [-1, i32::MIN] {
            let message = Scale::new(bad, 0).unwrap_err().message;
            assert_eq!(
                message,
                format!("multiplier is {bad}, expected 0 to 2147483647")
            );
        }
        for bad in [-32, 31, i32::MAX, i32::MIN] {
            let message = Scale::new(1 << 30, bad).unwrap_err().message;
            assert_eq!(message, format!("shift is {bad}, expected -31 to 30"));
        }
        for good in [(0, 0), (1, 0), (1 << 30, -31), (i32::MAX, 30)] {
            let scale = Scale::new(good.0, good.1).unwrap();
            assert_eq!((scale.multiplier(), scale.shift()), good);
        }
    }

    #[test]
    fn halves_round_by_mode() {
        let half = Scale::new(1 << 30, 0).unwrap();
        let quarter = Scale::new(1 << 30, -1).unwrap();
        for (acc, scale, double, single) in [
            (1, half, 1, 1),
            (-1, half, 0, 0),
            (-3, half, -1, -1),
            (2, quarter, 1, 1),
            (-2, quarter, -1, 0),
            (-6, quarter, -2, -1),
        ] {
            assert_eq!(requantise(acc, scale, Rounding::Double), double, "{acc}");
            assert_eq!(requantise(acc, scale, Rounding::Single), single, "{acc}");
        }
    }
}

//! What the int32 of the reference kernels hold, and what these make where they do not hold it.
//!
//! A scale of 1 or more shifts a sum to the left before it is multiplied. The reference does that in 32 bits, which wrap; the machine and
//! the host's kernels saturate. So outputs are equal as long as no bit is lost, and else they are compared.

use heddle_arch::requantise::{Rounding, Scale, requantise};

use super::Difference;
use crate::model::Quantised;
use crate::report::Exact;

/// How sums become bytes.
pub struct Scaled {
    scale: Scale,
    zero_point: i8,
    min: i8,
    max: i8,
}

impl Scaled {
    /// Those of an output, between these bounds.
    pub fn of(scale: Scale, output: Quantised, (min, max): (i8, i8)) -> Self {
        Self {
            scale,
            zero_point: output.zero_point,
            min,
            max,
        }
    }
}

/// Most sums that are compared.
const SUMS_MAX: u64 = 1 << 24;

/// Whether 32 bits hold all that the reference makes of sums up to this: the sum, what it is shifted to the left, and the scaled sum with any
/// zero point.
pub fn holds(largest: i64, scale: Scale) -> bool {
    let most = i64::from(i32::MAX);
    let left = scale.shift().max(0);
    if largest > most >> left {
        return false;
    }
    let reached = (largest << left) as i32;
    let right = Scale::new(scale.multiplier(), scale.shift().min(0)).expect("a smaller shift");
    let reached = requantise(reached, right, Rounding::Double);
    i64::from(reached) + 128 <= most
}

/// That they do, for sums that are no more compared with those of the reference.
///
/// # Errors
/// What they do not hold, and what to do.
pub fn check(largest: i64, scale: Scale) -> Result<(), String> {
    if holds(largest, scale) {
        return Ok(());
    }
    Err(match largest > i32::MAX.into() {
        true => format!(
            "has sums of up to {largest}, expected at most {}, which 32 bits hold: use smaller weights and biases",
            i32::MAX
        ),
        false => format!(
            "shifts sums of up to {largest} by {} bits to the left, out of 32: its output has a scale that is too small for its \
             inputs; calibrate it with images of which it is not 0",
            scale.shift()
        ),
    })
}

/// Whether these sums, the largest of which is this, become the bytes of the reference.
///
/// # Errors
/// If they may not, and are too many.
pub fn exact(
    sums: impl ExactSizeIterator<Item = i64>,
    largest: i64,
    output: &Scaled,
) -> Result<Exact, String> {
    if holds(largest, output.scale) {
        return Ok(Exact::Yes);
    }
    if sums.len() as u64 > SUMS_MAX || largest > i32::MAX.into() {
        check(largest, output.scale)?;
    }
    let pairs = sums.map(|sum| {
        let sum = sum as i32;
        (scaled(sum, output), wrapped(sum, output))
    });
    Ok(Exact::Compared(Difference::of(pairs)))
}

/// The output of the machine.
fn scaled(sum: i32, output: &Scaled) -> i32 {
    let found = i64::from(requantise(sum, output.scale, Rounding::Double));
    let found = found + i64::from(output.zero_point);
    found.clamp(output.min.into(), output.max.into()) as i32
}

/// The output of the reference.
pub fn wrapped(sum: i32, output: &Scaled) -> i32 {
    let found = multiplied(shifted(sum, output.scale), output.scale);
    let found = found.wrapping_add(output.zero_point.into());
    found.clamp(output.min.into(), output.max.into())
}

/// What the reference multiplies.
pub fn shifted(sum: i32, scale: Scale) -> i32 {
    sum.wrapping_shl(scale.shift().max(0).unsigned_abs())
}

/// Its product with the multiplier, shifted to the right.
pub fn multiplied(shifted: i32, scale: Scale) -> i32 {
    let right = Scale::new(scale.multiplier(), scale.shift().min(0)).expect("a smaller shift");
    requantise(shifted, right, Rounding::Double)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_held_up_to_the_last_bit() {
        let one = |shift| Scale::new(1 << 30, shift).unwrap();
        for (largest, shift, expected) in [
            (255, 23, true),
            (256, 23, false),
            (65_025, 15, true),
            (65_025, 16, false),
            (i64::from(i32::MAX), 0, true),
            (i64::from(i32::MAX) + 1, -31, false),
            (1, 30, true),
            (2, 30, false),
            (1 << 34, 30, false),
        ] {
            assert_eq!(holds(largest, one(shift)), expected, "{largest} << {shift}");
            assert_eq!(check(largest, one(shift)).is_ok(), expected);
        }
        // The zero point leaves 32 bits.
        let whole = Scale::new(i32::MAX, 0).unwrap();
        let most = i64::from(i32::MAX);
        assert!(holds(most - 128, whole) && !holds(most, whole));
    }

    #[test]
    fn what_is_not_held_wraps() {
        let output = |shift| Scaled {
            scale: Scale::new(1 << 30, shift).unwrap(),
            zero_point: 3,
            min: -128,
            max: 127,
        };
        for (sum, shift, machine, reference) in [
            (1, 24, 127, 127),
            (128, 24, 127, -128),
            (-129, 24, -128, 127),
            (256, 24, 127, 3),
        ] {
            assert_eq!(scaled(sum, &output(shift)), machine, "{sum}");
            assert_eq!(wrapped(sum, &output(shift)), reference, "{sum}");
        }
        let found = exact(
            (0..386usize).map(|step| step as i64 - 129),
            256,
            &output(24),
        );
        let expected = Difference {
            cases: 386,
            wrong: 130,
            most: 255,
        };
        assert_eq!(found, Ok(Exact::Compared(expected)));
    }
}

//! Channels whose reference scales in floating point.

use heddle_arch::requantise::{Rounding, Scale, requantise};

use super::Difference;
use crate::scale::scale;

/// Largest distance of an output from its zero point.
const OUTPUT_MAX: i64 = 255;

/// What a scale must do: the output of this sum is at least, or less than, a number.
#[derive(Debug, Clone, Copy)]
struct Bound {
    sum: i64,
    output: i64,
    at_least: bool,
}

/// The scale with which sums, rounded once with halves up, give the products with a real number in double precision, rounded
/// with halves away from 0; `largest` is the largest absolute value of a sum.
///
/// # Errors
/// If the real number is no scale.
pub fn channel(real: f64, largest: i64) -> Result<(Scale, Difference), String> {
    rising(real, largest, |sum, output| {
        (sum as f64 * real).round() as i64 >= output
    })
}

/// The same for a product in float32, both factors and it rounded to that, and then to an integer with halves to even: what onnxruntime
/// makes of a sum.
///
/// # Errors
/// If the real number is no scale.
pub fn single(real: f32, largest: i64) -> Result<(Scale, Difference), String> {
    rising(real.into(), largest, |sum, output| {
        (sum as f32 * real).round_ties_even() as i64 >= output
    })
}

/// The scale whose outputs rise where the reference says: whether the output of a sum is at least this.
///
/// Outputs rise with the sum in both, so that they are equal for all sums if they rise at the same ones: each output
/// bounds the multiplier from two sides, and one between all bounds is exact. Where negative halves occur it lies a little
/// above the nearest.
fn rising(
    real: f64,
    largest: i64,
    reaches: impl Fn(i64, i64) -> bool,
) -> Result<(Scale, Difference), String> {
    let nearest = scale(real)?;
    let bounds: Vec<Bound> = (-OUTPUT_MAX..=OUTPUT_MAX)
        .flat_map(|output| bounds(output, rise(output, real, &reaches), largest))
        .collect();
    let half = 1i128 << (30 - nearest.shift());
    let mut multipliers = (1i128 << 30, (1i128 << 31) - 1);
    for &Bound {
        sum,
        output,
        at_least,
    } in &bounds
    {
        // sum * multiplier + half, compared with output * 2 half.
        let (sum, limit) = (
            i128::from(sum),
            (2 * i128::from(output) - 1) * half - i128::from(!at_least),
        );
        match (sum.signum(), at_least) {
            (1, true) => multipliers.0 = multipliers.0.max(-(-limit).div_euclid(sum)),
            (1, false) => multipliers.1 = multipliers.1.min(limit.div_euclid(sum)),
            (-1, true) => multipliers.1 = multipliers.1.min((-limit).div_euclid(-sum)),
            (-1, false) => multipliers.0 = multipliers.0.max(-limit.div_euclid(-sum)),
            _ => {}
        }
    }
    let exact = nearest.multiplier() > 0 && multipliers.0 <= multipliers.1;
    let found = match exact {
        true => i128::from(nearest.multiplier()).clamp(multipliers.0, multipliers.1) as i32,
        false => nearest.multiplier(),
    };
    let found = Scale::new(found, nearest.shift()).expect("it lies between those of its shift");
    Ok((found, difference(found, &bounds)))
}

/// The smallest sum whose output is at least this.
fn rise(output: i64, real: f64, reaches: impl Fn(i64, i64) -> bool) -> i64 {
    let near = ((output as f64 - 0.5) / real) as i64;
    // Sums of more than 24 bits are rounded in float32. Beyond all sums nothing needs to be found.
    let far = 2 + (near.unsigned_abs() >> 22).min(1 << 10) as i64;
    let mut around = near.saturating_sub(far)..=near.saturating_add(far);
    let end = *around.end();
    around.find(|&sum| reaches(sum, output)).unwrap_or(end)
}

/// What follows from a rise for the sums that occur.
fn bounds(output: i64, rise: i64, largest: i64) -> impl Iterator<Item = Bound> {
    let (first, last) = (rise.max(-largest), rise.saturating_sub(1).min(largest));
    let reached = (first <= largest).then_some(Bound {
        sum: first,
        output,
        at_least: true,
    });
    let before = (last >= -largest).then_some(Bound {
        sum: last,
        output,
        at_least: false,
    });
    reached.into_iter().chain(before)
}

/// How many bounds a scale breaks.
fn difference(scale: Scale, bounds: &[Bound]) -> Difference {
    let pairs = bounds.iter().map(|bound| {
        let sum = bound.sum.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
        let made = i64::from(requantise(sum, scale, Rounding::Single)) >= bound.output;
        (i32::from(made), i32::from(bound.at_least))
    });
    Difference::of(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A scale is exact for sums up to a number: all of those near a rise are tried.
    #[track_caller]
    fn check(real: f64, largest: i64) {
        let (found, difference) = channel(real, largest).unwrap();
        assert_eq!(difference.wrong, 0, "{real}: {found:?}");
        for output in -OUTPUT_MAX..=OUTPUT_MAX {
            let near = ((output as f64 - 0.5) / real) as i64;
            for sum in (near - 5..=near + 5).filter(|sum| sum.abs() <= largest) {
                let expected = (sum as f64 * real).round() as i32;
                let made = requantise(sum as i32, found, Rounding::Single);
                assert_eq!(made, expected, "{real}, sum {sum}");
            }
        }
    }

    #[test]
    fn negative_halves_go_away_from_zero() {
        for shift in [0, 1, 2, 5, 8, 12, 20] {
            check((-f64::from(shift)).exp2(), 1 << 29);
            check((-f64::from(shift)).exp2() * 0.75, 1 << 29);
        }
        let (found, _) = channel(0.5, 1000).unwrap();
        assert_eq!(requantise(-1, found, Rounding::Single), -1);
        assert_eq!(requantise(-1, scale(0.5).unwrap(), Rounding::Single), 0);
    }

    #[test]
    fn usual_scales_have_exact_multipliers() {
        for number in 1..400u32 {
            check(f64::from(number).sqrt() / 65_536.0, 1 << 24);
        }
    }

    /// The sums next to those at which outputs rise, and what float32 makes of each.
    fn near_rises(real: f32, largest: i64) -> impl Iterator<Item = (i64, i64)> {
        let places = (-OUTPUT_MAX..=OUTPUT_MAX).flat_map(move |output| {
            let near = ((output as f64 - 0.5) / f64::from(real)) as i64;
            (near - 3..=near + 3).filter(move |sum| sum.abs() <= largest)
        });
        places.map(move |sum| (sum, (sum as f32 * real).round_ties_even() as i64))
    }

    #[test]
    fn products_in_single_precision_are_met_or_it_is_told() {
        let (mut exact, mut told) = (0, 0);
        for number in 1..400u32 {
            let real = (number as f32).sqrt() / 65_536.0;
            let (found, difference) = single(real, 1 << 19).unwrap();
            let wrong = near_rises(real, 1 << 19).filter(|&(sum, expected)| {
                let made = i64::from(requantise(sum as i32, found, Rounding::Single));
                assert!(made.abs_diff(expected) <= 1, "{real}, sum {sum}");
                made != expected
            });
            assert_eq!(
                wrong.count() > 0,
                difference.wrong > 0,
                "{real}: {difference:?}"
            );
            match difference.wrong {
                0 => exact += 1,
                _ => told += 1,
            }
        }
        assert!(exact > 40 && told > 40, "{exact} exact, {told} not");
    }

    #[test]
    fn halves_go_to_even_in_single_precision_and_to_one_side_here() {
        // A mean of four bytes; of two out of four halves up is right.
        let (_, difference) = single(0.25, 255 * 4).unwrap();
        assert!((200..=300).contains(&difference.wrong), "{difference:?}");
        // A mean of nine bytes has no halves.
        let (_, difference) = single(1.0 / 9.0, 255 * 9).unwrap();
        assert_eq!(difference.wrong, 0, "{difference:?}");
    }

    #[test]
    fn a_scale_that_cannot_be_exact_is_told() {
        // All sums of 32 bits: below the largest half no multiplier fits.
        let (_, difference) = channel((-28f64).exp2(), i32::MAX.into()).unwrap();
        assert!(difference.wrong > 0);
    }
}

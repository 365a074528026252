//! Means of bytes.
//!
//! Sums count from a zero point. From that of the bytes the machine adds nothing to a sum of re-centred bytes, but halves go away from
//! the zero point then; where a mean has halves, sums count from 0.

use heddle_arch::requantise::{Rounding, Scale, requantise};

use super::Difference;

/// How a mean is made of a sum of bytes: the sum of `weight` times each byte less the zero point is scaled and rounded once or twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mean {
    /// Weight of each byte.
    pub weight: i8,
    /// Scale of the sum.
    pub scale: Scale,
    /// How it is rounded.
    pub rounding: Rounding,
    /// What the bytes and their mean count from.
    pub zero_point: i8,
}

/// Constants with which the mean of `count` bytes with this zero point is, for every sum, that of the reference kernel: halves go away from 0.
///
/// # Errors
/// If there are none.
pub fn mean(count: u32, zero_point: i8) -> Result<(Mean, Difference), String> {
    let sums = || -128 * count as i32..=127 * count as i32;
    let reference = |sum: i32| {
        let half = count as i32 / 2;
        (sum + if sum > 0 { half } else { -half }) / count as i32
    };
    let forms = [
        (1, Rounding::Single),
        (1, Rounding::Double),
        (2, Rounding::Double),
    ];
    let zero_points = [zero_point, 0];
    let forms = zero_points
        .into_iter()
        .flat_map(|zero| forms.map(|form| (form, zero)));
    for ((weight, rounding), zero_point) in forms {
        let found = Mean {
            weight,
            scale: Scale::reciprocal(count * u32::from(weight.unsigned_abs())),
            rounding,
            zero_point,
        };
        let zero = i32::from(zero_point);
        let made = |sum: i32| {
            let sum = (sum - zero * count as i32) * i32::from(weight);
            requantise(sum, found.scale, rounding) + zero
        };
        let difference = Difference::of(sums().map(|sum| (made(sum), reference(sum))));
        if difference.wrong == 0 {
            return Ok((found, difference));
        }
    }
    Err(format!(
        "no scale gives the mean of {count} bytes for all sums"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mean_of_bytes_has_exact_constants() {
        for count in (1..=200).chain([255, 256, 257, 511, 512, 784, 1024]) {
            let (found, difference) = mean(count, 0).expect("there are constants");
            assert_eq!(difference.cases, u64::from(255 * count + 1), "{count}");
            assert_eq!(difference.wrong, 0, "{count}: {found:?}");
        }
    }

    #[test]
    fn a_mean_without_halves_counts_from_the_zero_point_of_its_bytes() {
        for zero_point in [-128, -5, 100] {
            for (count, from) in [(125, zero_point), (9, zero_point), (64, 0), (2, 0)] {
                let (found, difference) = mean(count, zero_point).unwrap();
                assert_eq!((found.zero_point, difference.wrong), (from, 0), "{count}");
            }
        }
    }

    #[test]
    fn a_mean_with_halves_up_is_told() {
        let halves_up = |sum: i32| requantise(sum, Scale::reciprocal(4), Rounding::Single);
        let away = |sum: i32| (sum + if sum > 0 { 2 } else { -2 }) / 4;
        let found = Difference::of((-512..=508).map(|sum| (halves_up(sum), away(sum))));
        assert_eq!((found.wrong, found.most), (128, 1));
    }
}

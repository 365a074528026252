//! Two sums in one of 32 bits, and a factor for each.
//!
//! The upper part is a sum of 15 bits, the lower part one of 17 bits. A raised sum is the upper part alone. Its lower part is not 0
//! but the middle of its range: whatever is added to it, nothing is carried or borrowed.

use super::{Rounding, rounded};
use crate::fault::Fault;

const LOWER_BITS: u32 = 17;
const LOWER_MIDDLE: i32 = 1 << (LOWER_BITS - 1);

/// Factors of the upper and the lower part of a sum, of one output channel: the result is
/// (upper * factors\[0\] + lower * factors\[1\]) / 2^shift.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DualScale {
    factors: [u32; 2],
    shift: u32,
}

impl DualScale {
    /// Largest factor.
    pub const FACTOR_MAX: u32 = (1 << 17) - 1;
    /// Smallest shift.
    pub const SHIFT_MIN: u32 = 14;
    /// Largest shift.
    pub const SHIFT_MAX: u32 = 45;

    /// A dual scale.
    ///
    /// # Errors
    /// Unless the factors are 0..=2^17-1 and `shift` is 14..=45.
    pub fn new(factors: [u32; 2], shift: u32) -> Result<DualScale, Fault> {
        let fault = |field: &str, found: u32, allowed: &str| Fault {
            line: None,
            field: field.to_string(),
            message: format!("{field} is {found}, expected {allowed}"),
        };
        for factor in factors {
            if factor > Self::FACTOR_MAX {
                return Err(fault("factor", factor, "0 to 131071"));
            }
        }
        if !(Self::SHIFT_MIN..=Self::SHIFT_MAX).contains(&shift) {
            return Err(fault("shift", shift, "14 to 45"));
        }
        Ok(DualScale { factors, shift })
    }

    /// Factors of the upper and the lower part, 0..=2^17-1.
    pub fn factors(self) -> [u32; 2] {
        self.factors
    }

    /// 14..=45, to the right.
    pub fn shift(self) -> u32 {
        self.shift
    }
}

/// What a raised sum counts, modulo 2^32: `sum` is the upper part, the lower one is 0.
pub fn raised(sum: i32) -> i32 {
    (sum << LOWER_BITS) + LOWER_MIDDLE
}

/// The upper part, -2^14..2^14, and the lower part, -2^16..2^16, of a sum.
pub fn parts(sum: i32) -> [i32; 2] {
    let lower = sum & ((1 << LOWER_BITS) - 1);
    [sum >> LOWER_BITS, lower - LOWER_MIDDLE]
}

/// Scales a sum of two parts.
pub fn requantise_dual(sum: i32, scale: DualScale, rounding: Rounding) -> i32 {
    let terms = parts(sum).into_iter().zip(scale.factors);
    let product: i64 = terms.map(|(part, f)| i64::from(part) * i64::from(f)).sum();
    let right = scale.shift - DualScale::SHIFT_MIN;
    // As the product of a scale, 2^31 of which are one.
    rounded(product << LOWER_BITS, right as i32, rounding)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_parts_come_back_from_their_sum() {
        let upper = [-1 << 14, -1, 0, 1, (1 << 14) - 1];
        let lower = [-1 << 16, -1, 0, 1, (1 << 16) - 1];
        for pair in upper.into_iter().flat_map(|u| lower.map(|l| [u, l])) {
            assert_eq!(parts(raised(pair[0]) + pair[1]), pair);
        }
        assert_eq!(raised(-1), -0x1_0000);
        assert_eq!(raised(1 << 14), i32::MIN + 0x1_0000);
    }

    #[test]
    fn the_sum_of_both_products_is_rounded_once() {
        let scaled = |pair: [i32; 2], factors, shift| {
            let scale = DualScale::new(factors, shift).unwrap();
            requantise_dual(raised(pair[0]) + pair[1], scale, Rounding::Single)
        };
        // A quarter and a quarter are a half, which goes up.
        assert_eq!(scaled([1, 1], [1 << 12, 1 << 12], 14), 1);
        assert_eq!(scaled([-1, -1], [1 << 12, 1 << 12], 14), 0);
        assert_eq!(scaled([-1, -1], [1 << 12, (1 << 12) + 1], 14), -1);
        assert_eq!(scaled([100, -30], [3 << 14, 1 << 15], 15), 120);
        // Both ends.
        let most = DualScale::FACTOR_MAX;
        assert_eq!(scaled([16383, 65535], [most, most], 14), 655_339);
        assert_eq!(scaled([-16384, -65536], [most, most], 14), -655_355);
        assert_eq!(scaled([-16384, -65536], [most, most], 45), 0);
        assert_eq!(scaled([-16384, 65535], [0, most], 33), 1);
    }

    #[test]
    fn dual_scale_refuses_what_the_hardware_cannot_do() {
        let message = |factors, shift| DualScale::new(factors, shift).unwrap_err().message;
        let factor = "factor is 131072, expected 0 to 131071";
        assert_eq!(message([1 << 17, 0], 14), factor);
        assert_eq!(message([0, 1 << 17], 14), factor);
        assert_eq!(message([0, 0], 13), "shift is 13, expected 14 to 45");
        assert_eq!(message([0, 0], 46), "shift is 46, expected 14 to 45");
    }
}

//! Scaling of a 32-bit sum, written from the definitions of the TensorFlow Lite reference kernels.

/// Multiplier and shift of one output channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Scale {
    /// 0 to 2^31 - 1.
    pub multiplier: i32,
    /// Positive = left, -31 to 30.
    pub shift: i32,
}

/// Scales `acc` by `multiplier * 2^(shift - 31)`; a left shift saturates to 32 bits first.
///
/// `single` rounds once (ties up); otherwise the doubling high product is rounded first and its
/// right shift a second time (ties away from zero).
pub fn requantise(acc: i32, scale: Scale, single: bool) -> i64 {
    let left = scale.shift.max(0);
    let right = (-scale.shift).max(0);
    let shifted = (i128::from(acc) << left).clamp(i32::MIN.into(), i32::MAX.into());
    let product = shifted * i128::from(scale.multiplier);
    if single {
        let total = 31 + right;
        let rounded = (product + (1 << (total - 1))) >> total;
        return rounded as i64;
    }
    round_half_away(rounding_doubling_high(product), right)
}

/// Half of the product's 64 bits, doubled: product / 2^31 to the nearest, ties up.
fn rounding_doubling_high(product: i128) -> i64 {
    let nudge = if product >= 0 { 1 << 30 } else { 1 - (1 << 30) };
    // Division truncates towards zero, as in the definition.
    ((product + nudge) / (1 << 31)) as i64
}

/// `value / 2^exponent` to the nearest, ties away from zero.
fn round_half_away(value: i64, exponent: i32) -> i64 {
    let divisor = 1_i64 << exponent;
    let magnitude = (value.abs() + divisor / 2) / divisor;
    magnitude * value.signum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(acc: i32, multiplier: i32, shift: i32, single: bool, expected: i64) {
        let scale = Scale { multiplier, shift };
        assert_eq!(requantise(acc, scale, single), expected);
    }

    #[test]
    fn ties_are_rounded_as_each_mode_says() {
        // Multiplier 2^30 halves: 3/2 and -3/2, then 3/4 and -3/4 ...
        check(3, 1 << 30, 0, false, 2);
        check(-3, 1 << 30, 0, false, -1);
        check(3, 1 << 30, 0, true, 2);
        check(-3, 1 << 30, 0, true, -1);
        // ... and 4 * 2^-2 / 2 = 1/2: away from zero when rounded doubly, up when singly.
        check(4, 1 << 30, -2, false, 1);
        check(-4, 1 << 30, -2, false, -1);
        check(-4, 1 << 30, -2, true, 0);
    }

    #[test]
    fn left_shift_saturates() {
        check(i32::MAX, 1 << 30, 1, false, 1 << 30);
        check(i32::MIN, 1 << 30, 30, true, -(1 << 30));
    }

    #[test]
    fn largest_right_shift_leaves_a_sign_at_most() {
        check(i32::MAX, i32::MAX, -31, false, 1);
        check(i32::MIN, i32::MAX, -31, false, -1);
        check(1, i32::MAX, -31, true, 0);
        check(123, 0, -31, true, 0);
    }
}

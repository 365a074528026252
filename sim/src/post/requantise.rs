//! Scaling of a 32-bit sum, written from the definitions of the TensorFlow Lite reference kernels.

/// Multiplier and shift of one output channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Scale {
    /// 0 to 2^31 - 1.
    pub multiplier: i32,
    /// Positive = left, -31 to 30.
    pub shift: i32,
}

impl Scale {
    /// That of a data word: bits 30..0 multiplier, bits 37..32 shift, two's complement. Without left shifts one is
    /// taken as 0.
    pub fn of_word(data: u64, left_shift: bool) -> Self {
        let code = (data >> 32 & 0x3f) as i32;
        Self {
            multiplier: (data & 0x7fff_ffff) as i32,
            shift: match code {
                32.. => code - 64,
                _ if left_shift => code,
                _ => 0,
            },
        }
    }
}

/// Factors of the two parts of a sum, of one output channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DualScale {
    /// Of the upper and the lower part, 0 to 2^17 - 1.
    pub factors: [i64; 2],
    /// To the right, 14 to 45.
    pub shift: i32,
}

impl DualScale {
    /// That of a data word: bits 16..0 factor of the upper part, bits 31..17 and 39..38 of the lower part, bits 37..32
    /// 14 - shift, two's complement; a positive number is taken as 0.
    pub fn of_word(data: u64) -> Self {
        let lower = data >> 17 & 0x7fff | data >> 38 << 15 & 0x1_8000;
        Self {
            factors: [(data & 0x1_ffff) as i64, lower as i64],
            shift: 14 - Scale::of_word(data, false).shift,
        }
    }
}

/// Scales a sum of two parts: acc = 2^17 upper + lower + 2^16 becomes (upper f + lower g) / 2^shift.
///
/// `single` rounds once (ties up); otherwise it is divided by 2^14 and rounded (ties up), then by the rest (ties away from zero).
pub fn requantise_dual(acc: i32, scale: DualScale, single: bool) -> i64 {
    let acc = i64::from(acc);
    let parts = [acc.div_euclid(1 << 17), acc.rem_euclid(1 << 17) - (1 << 16)];
    let total = parts[0] * scale.factors[0] + parts[1] * scale.factors[1];
    if single {
        return (total + (1 << (scale.shift - 1))) >> scale.shift;
    }
    let first = rounding_doubling_high(i128::from(total) << 17);
    round_half_away(first, scale.shift - 14)
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
    fn parts_of_a_sum_have_a_factor_each() {
        // 100 times 3/4 and -31 times 1/2, 59.5.
        let sum = 100 * 131_072 + 65_536 - 31;
        let word = 0x3f_0000_0000 | 1 << 31 | 3 << 13;
        let scale = DualScale::of_word(word);
        let factors = [3 << 13, 1 << 14];
        assert_eq!((scale.factors, scale.shift), (factors, 15));
        assert_eq!(requantise_dual(sum, scale, true), 60);
        assert_eq!(requantise_dual(-sum + 131_072, scale, true), -59);
        // Doubly the first rounding gives 119 and -119.
        assert_eq!(requantise_dual(sum, scale, false), 60);
        assert_eq!(requantise_dual(-sum + 131_072, scale, false), -60);
        // A shift to the left is none.
        assert_eq!(DualScale::of_word(0xdf_ffff_ffff).shift, 14);
        assert_eq!(DualScale::of_word(0xdf_ffff_ffff).factors, [0x1_ffff; 2]);
    }

    #[test]
    fn largest_right_shift_leaves_a_sign_at_most() {
        check(i32::MAX, i32::MAX, -31, false, 1);
        check(i32::MIN, i32::MAX, -31, false, -1);
        check(1, i32::MAX, -31, true, 0);
        check(123, 0, -31, true, 0);
    }
}

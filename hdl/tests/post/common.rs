//! Test data, and scaling in its textbook form.

use heddle_kernel::prelude::*;

/// A small generator of test data: the same numbers in every run.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
    pub fn one_in(&mut self, n: u64) -> bool {
        self.next(n) == 0
    }
    /// A 32-bit number of any size.
    pub fn acc(&mut self) -> i32 {
        let x = (self.next(1 << 31) << 1 | self.next(2)) as u32 as i32;
        x >> self.next(31)
    }
}

pub fn bits<const N: usize>(x: i64) -> Bits<N> {
    (x as u64 & ((1u64 << N) - 1)).into()
}

pub fn value(x: Bits<32>) -> i64 {
    i64::from(x.to_u32() as i32)
}

#[derive(Clone, Copy, Debug)]
pub struct Scale {
    pub multiplier: i64,
    pub shift: i64,
}

/// The two schemes in their textbook form: a left shift that saturates, then either the doubling
/// high multiplication and a division by a power of two, each rounded on its own, or one
/// rounding of the whole product.
pub fn requantise(acc: i32, scale: Scale, single: bool) -> i64 {
    let left = scale.shift.max(0);
    let right = (-scale.shift).max(0);
    let shifted = (i128::from(acc) << left).clamp(i32::MIN.into(), i32::MAX.into());
    let product = shifted * i128::from(scale.multiplier);
    let rounded_shift = |x: i128, n: i64| if n == 0 { x } else { (x + (1 << (n - 1))) >> n };
    if single {
        return rounded_shift(product, 31 + right) as i64;
    }
    let high = rounded_shift(product, 31);
    // Halves away from zero.
    let magnitude = rounded_shift(high.abs(), right) as i64;
    if high < 0 { -magnitude } else { magnitude }
}

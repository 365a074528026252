//! Functions of real numbers, to some 2^-45 of their value and by additions, multiplications and divisions alone: they
//! give the same bits on every machine, which the functions of a system's library do not.
//!
//! The reference kernels do take those of the system's library, in single precision and wrong by some units in the last
//! place. So the byte that it gives for a value within some 10^-7 of a half is that of one library alone: with glibc 2.36,
//! 1 of the 13 million bytes of 51,000 random tables was another one, of GELU.

use std::f64::consts::{FRAC_2_SQRT_PI, LN_2, SQRT_2};

/// e^x.
pub fn exp(x: f64) -> f64 {
    // Beyond, the results are 0 and infinity in single precision.
    let x = x.clamp(-200.0, 200.0);
    let twos = (x / LN_2).round();
    let rest = x - twos * LN_2;
    let terms = (1..20).rev();
    let found = terms.fold(1.0, |found, n| 1.0 + found * rest / f64::from(n));
    let power = f64::from_bits(((1023 + twos as i64) as u64) << 52);
    found * power
}

/// The natural logarithm of a normal number above 0; what is not finite stays so.
pub fn ln(x: f64) -> f64 {
    const FRACTION: u64 = (1 << 52) - 1;
    if !x.is_finite() {
        return x;
    }
    let exponent = (x.to_bits() >> 52) as i32 - 1023;
    let fraction = f64::from_bits(x.to_bits() & FRACTION | 1023 << 52);
    let (fraction, exponent) = match fraction > SQRT_2 {
        true => (fraction / 2.0, exponent + 1),
        false => (fraction, exponent),
    };
    // Twice the inverse hyperbolic tangent of this.
    let ratio = (fraction - 1.0) / (fraction + 1.0);
    let odd = (0..15).rev().map(|n| f64::from(2 * n + 1));
    let series = odd.fold(0.0, |found, n| found * ratio * ratio + 1.0 / n);
    2.0 * ratio * series + f64::from(exponent) * LN_2
}

/// The hyperbolic tangent of x.
pub fn tanh(x: f64) -> f64 {
    1.0 - 2.0 / (exp(2.0 * x) + 1.0)
}

/// The error function of x.
pub fn erf(x: f64) -> f64 {
    if x.abs() > 6.0 {
        return x.signum();
    }
    // All terms have one sign: 2^n x^(2n + 1) / (1 * 3 * ... * (2n + 1)).
    let mut term = x;
    let mut sum = x;
    for n in 1..150 {
        term *= 2.0 * x * x / f64::from(2 * n + 1);
        sum += term;
    }
    FRAC_2_SQRT_PI * exp(-x * x) * sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `found` is as near to `expected` as functions of single precision need.
    #[track_caller]
    fn check(found: f64, expected: f64) {
        let distance = (found - expected).abs();
        assert!(
            distance <= 1e-13 * expected.abs(),
            "{found}, expected {expected}"
        );
    }

    #[test]
    fn functions_have_their_published_values() {
        check(exp(1.0), std::f64::consts::E);
        check(exp(-20.0), 2.061_153_622_438_558e-9);
        check(exp(50.0), 5.184_705_528_587_072e21);
        check(ln(2.0), LN_2);
        check(ln(1e-4), -9.210_340_371_976_184);
        check(ln(25.5), 3.238_678_452_164_380_5);
        check(tanh(0.5), 0.462_117_157_260_009_76);
        check(tanh(-3.0), -0.995_054_753_686_730_5);
        check(erf(0.1), 0.112_462_916_018_284_9);
        check(erf(-1.0), -0.842_700_792_949_714_9);
        check(erf(3.0), 0.999_977_909_503_001_4);
        check(erf(5.9), 1.0);
    }
}

//! Subscripts: sums of loop indices times constants.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Add, Mul, Sub};

/// A sum of loop indices times constants, plus a constant. Arithmetic saturates; compiling refuses
/// coefficients beyond [`NUMBER_MAX`](super::NUMBER_MAX).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Affine {
    pub(crate) constant: i64,
    pub(crate) terms: BTreeMap<String, i64>,
}

impl Affine {
    /// The index of a loop.
    pub fn index(name: impl Into<String>) -> Affine {
        Affine {
            constant: 0,
            terms: BTreeMap::from([(name.into(), 1)]),
        }
    }

    /// What an index is multiplied with; 0 if it does not occur.
    #[must_use]
    pub fn coefficient(&self, index: &str) -> i64 {
        self.terms.get(index).copied().unwrap_or(0)
    }
}

impl From<&str> for Affine {
    fn from(index: &str) -> Affine {
        Affine::index(index)
    }
}

impl From<i64> for Affine {
    fn from(constant: i64) -> Affine {
        Affine {
            constant,
            terms: BTreeMap::new(),
        }
    }
}

impl<T: Into<Affine>> Add<T> for Affine {
    type Output = Affine;

    fn add(mut self, other: T) -> Affine {
        let other = other.into();
        self.constant = self.constant.saturating_add(other.constant);
        for (index, factor) in other.terms {
            let sum = self.terms.entry(index).or_insert(0);
            *sum = sum.saturating_add(factor);
        }
        self
    }
}

impl<T: Into<Affine>> Sub<T> for Affine {
    type Output = Affine;

    fn sub(self, other: T) -> Affine {
        self + other.into() * -1
    }
}

impl Mul<i64> for Affine {
    type Output = Affine;

    fn mul(mut self, factor: i64) -> Affine {
        self.constant = self.constant.saturating_mul(factor);
        for value in self.terms.values_mut() {
            *value = value.saturating_mul(factor);
        }
        self
    }
}

impl fmt::Display for Affine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        for (index, &factor) in self.terms.iter().filter(|(_, factor)| **factor != 0) {
            let sign = match (first, factor < 0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            match factor.unsigned_abs() {
                1 => write!(f, "{sign}{index}")?,
                size => write!(f, "{sign}{size}*{index}")?,
            }
            first = false;
        }
        match (first, self.constant) {
            (true, constant) => write!(f, "{constant}"),
            (false, 0) => Ok(()),
            (false, constant) if constant < 0 => write!(f, " - {}", constant.unsigned_abs()),
            (false, constant) => write!(f, " + {constant}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_printed_as_they_are_written() {
        let i = || Affine::index("i");
        for (sum, text) in [
            (Affine::from(-3), "-3"),
            (i() * 2 + "k" - 1, "2*i + k - 1"),
            (Affine::from(3) - "i", "-i + 3"),
            (i() - "i" + 4, "4"),
            (i() * i64::MAX * 2, "9223372036854775807*i"),
        ] {
            assert_eq!(sum.to_string(), text);
        }
    }
}

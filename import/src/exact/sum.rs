//! Sums and differences of two tensors.

use heddle_arch::requantise::{Rounding, Scale, quantise_output};
use heddle_network::file::LayerFile;

use super::{Difference, host, made};
use crate::model::Quantised;
use crate::scale::scale;

/// A sum of two inputs, or their difference, as an operator has it.
#[derive(Debug, Clone, Copy)]
pub struct Sum {
    /// The inputs.
    pub inputs: [Quantised; 2],
    /// The second one is subtracted.
    pub subtracts: bool,
    /// The output.
    pub output: Quantised,
    /// Smallest and largest output.
    pub bounds: (i8, i8),
}

/// A sum of the inputs, each times a factor, scaled and rounded once or twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Weighted {
    /// Factors of the inputs.
    pub factors: [i8; 2],
    /// Scale of the sum.
    pub scale: Scale,
    /// How it is rounded.
    pub rounding: Rounding,
}

/// Pairs of factors that are compared with the reference.
const CANDIDATES: usize = 12;

impl Sum {
    /// The output of the reference kernel for all pairs of bytes.
    fn reference(&self) -> Result<Vec<i8>, String> {
        let kind = host::sum(self.inputs, self.output, self.bounds, self.subtracts, None)?;
        let layer = LayerFile {
            output_zero_point: Some(self.output.zero_point),
            ..LayerFile::new(Vec::new(), kind)
        };
        let bytes = || i8::MIN..=i8::MAX;
        let first = bytes().flat_map(|first| [first; 256]).collect();
        let second = bytes().flat_map(|_| bytes()).collect();
        let [one, other] = self.inputs.map(|input| input.zero_point);
        made(layer, &[(one, first), (other, second)])
    }

    fn output(&self, sum: i32, scale: Scale, rounding: Rounding) -> i8 {
        let (min, max) = self.bounds;
        quantise_output(sum, scale, rounding, self.output.zero_point, min, max)
    }

    /// How a weighted sum differs from the reference.
    fn difference(&self, found: &Weighted, reference: &[i8]) -> Difference {
        let bytes = || i32::from(i8::MIN)..=i32::from(i8::MAX);
        let terms = |side: usize| {
            let (factor, zero_point) = (found.factors[side], self.inputs[side].zero_point);
            bytes().map(move |byte| i32::from(factor) * (byte - i32::from(zero_point)))
        };
        let sums = terms(0).flat_map(|first| terms(1).map(move |second| first + second));
        let made = sums.map(|sum| self.output(sum, found.scale, found.rounding));
        Difference::of(
            made.zip(reference)
                .map(|(one, &other)| (one.into(), other.into())),
        )
    }

    /// The factors that differ least, and how far.
    ///
    /// # Errors
    /// If a scale cannot be had.
    pub fn weighted(&self) -> Result<(Weighted, Difference), String> {
        let reference = self.reference()?;
        let [first, second] = self.inputs.map(|input| f64::from(input.scale));
        let larger = first.max(second);
        let mut pairs: Vec<([i8; 2], f64)> = (1..=127i8)
            .map(|most| {
                let factor = |side: f64| (side / larger * f64::from(most)).round();
                let found = [factor(first), factor(second)];
                let error = (found[0] * second - found[1] * first).abs() / f64::from(most);
                (found.map(|factor| factor as i8), error)
            })
            .collect();
        pairs.sort_by(|one, other| one.1.total_cmp(&other.1));
        let mut best: Option<(Weighted, Difference)> = None;
        for (factors, _) in pairs.into_iter().take(CANDIDATES) {
            let most = f64::from(factors[0].max(factors[1]));
            let sign = if self.subtracts { -1 } else { 1 };
            let factors = [factors[0], sign * factors[1]];
            for rounding in [Rounding::Double, Rounding::Single] {
                let scale = scale(larger / (most * f64::from(self.output.scale)))?;
                let found = Weighted {
                    factors,
                    scale,
                    rounding,
                };
                let difference = self.difference(&found, &reference);
                let least = best.as_ref().map(|(_, least)| least.wrong);
                if least.is_none_or(|least| difference.wrong < least) {
                    best = Some((found, difference));
                }
                if difference.wrong == 0 {
                    return Ok((found, difference));
                }
            }
        }
        best.ok_or_else(|| "has no factors".to_string())
    }
}

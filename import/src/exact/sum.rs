//! Sums and differences of two tensors.

use heddle_arch::requantise::{Rounding, Scale, quantise_output, requantise};

use super::Difference;
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

/// Bits by which the reference shifts its inputs to the left.
const SHIFT: u32 = 20;
/// Pairs of factors that are compared with the reference.
const CANDIDATES: usize = 12;

impl Sum {
    /// The output of the reference kernel for all pairs of bytes.
    fn reference(&self) -> Result<Vec<i8>, String> {
        let twice = 2.0 * f64::from(self.inputs[0].scale.max(self.inputs[1].scale));
        let scales = self
            .inputs
            .map(|input| scale(f64::from(input.scale) / twice));
        let [first, second] = scales;
        let scales = [first?, second?];
        let last = twice / (f64::from(1u32 << SHIFT) * f64::from(self.output.scale));
        // The reference kernel takes no larger one.
        if last >= 1.0 {
            return Err(format!(
                "its sums are scaled by {last}, expected less than 1"
            ));
        }
        let last = scale(last)?;
        let scaled = |side: usize| {
            (i8::MIN..=i8::MAX).map(move |byte| {
                let shifted = (i32::from(byte) - i32::from(self.inputs[side].zero_point)) << SHIFT;
                requantise(shifted, scales[side], Rounding::Double)
            })
        };
        let seconds: Vec<i32> = scaled(1).collect();
        let sums = scaled(0).flat_map(|first| {
            seconds.iter().map(move |second| match self.subtracts {
                true => first - second,
                false => first + second,
            })
        });
        Ok(sums
            .map(|sum| self.output(sum, last, Rounding::Double))
            .collect())
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
            let factors = [
                factors[0],
                if self.subtracts {
                    -factors[1]
                } else {
                    factors[1]
                },
            ];
            for rounding in [Rounding::Double, Rounding::Single] {
                let scale = scale(larger / (most * f64::from(self.output.scale)))?;
                let found = Weighted {
                    factors,
                    scale,
                    rounding,
                };
                let difference = self.difference(&found, &reference);
                if best
                    .as_ref()
                    .is_none_or(|(_, least)| difference.wrong < least.wrong)
                {
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

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;
    use crate::model::Kind;
    use crate::scale::bounds;
    use crate::tflite;

    /// Models of one operator with the outputs of the reference kernels: all that read two results.
    #[test]
    fn sums_are_those_of_the_reference_kernels() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/operators.npz");
        let mut arrays = zip::ZipArchive::new(std::fs::File::open(path).unwrap()).unwrap();
        let names: Vec<String> = arrays.file_names().map(str::to_string).collect();
        let mut bytes = |name: String| {
            let mut file = Vec::new();
            arrays
                .by_name(&name)
                .unwrap()
                .read_to_end(&mut file)
                .unwrap();
            let header = u16::from_le_bytes([file[8], file[9]]);
            file.split_off(10 + usize::from(header))
        };
        let mut compared = 0;
        for name in names
            .iter()
            .filter_map(|name| name.strip_suffix("/input1.npy"))
        {
            let file = bytes(format!("{name}/model.npy"));
            let model = tflite::read(&file).unwrap();
            let operator = &model.operators[0];
            if !matches!(operator.kind, Kind::Add | Kind::Sub) {
                continue;
            }
            let tensor = |index: usize| model.tensors[index].quantised().unwrap();
            let output = tensor(operator.outputs[0]);
            let sum = Sum {
                inputs: [0, 1].map(|number| tensor(operator.inputs[number].unwrap())),
                subtracts: operator.kind == Kind::Sub,
                output,
                bounds: bounds(operator.activation, output).unwrap(),
            };
            let reference = sum.reference().unwrap();
            let [first, second, expected] =
                ["input0", "input1", "output"].map(|array| bytes(format!("{name}/{array}.npy")));
            // -128 is the first of them.
            let place = |byte: u8| usize::from(byte ^ 0x80);
            for ((first, second), expected) in first.into_iter().zip(second).zip(expected) {
                let found = reference[256 * place(first) + place(second)];
                assert_eq!(found, expected as i8, "{name}: {first}, {second}");
            }
            compared += 1;
        }
        assert!(compared >= 10, "{compared} models");
    }
}

//! What an operator on two tensors computes.

use heddle_arch::requantise::{Rounding, ScaledInput, ScaledOutput, quantise_output};
use heddle_network::file::{KindFile, LayerFile, RoundingFile};

use super::layers::{Source, one_scale};
use crate::exact::{host, int32, table_of};
use crate::model::{Kind, Operator, Quantised};
use crate::report::Exact;
use crate::scale::bounds;

/// The arithmetic of an operator on two tensors.
pub(super) enum Arithmetic {
    Sum([ScaledInput; 2], ScaledOutput, bool),
    SquaredDifference([ScaledInput; 2], ScaledOutput),
    Product([i8; 2], ScaledOutput, Rounding),
}

impl Arithmetic {
    pub fn of(
        operator: &Operator,
        inputs: [Quantised; 2],
        output: Quantised,
        rounding: Rounding,
    ) -> Result<Arithmetic, String> {
        let bounds = bounds(operator.activation, output)?;
        Ok(match operator.kind {
            Kind::Mul => {
                let zero_points = inputs.map(|input| input.zero_point);
                let product = host::product(inputs, output, bounds, rounding)?;
                Arithmetic::Product(zero_points, product, rounding)
            }
            Kind::SquaredDifference => {
                let (inputs, output) = host::squared_difference(inputs, output)?;
                Arithmetic::SquaredDifference(inputs, output)
            }
            _ => {
                let (inputs, output) = host::sum(inputs, output, bounds)?;
                Arithmetic::Sum(inputs, output, operator.kind == Kind::Sub)
            }
        })
    }

    pub fn name(&self) -> &'static str {
        match self {
            Arithmetic::Sum(..) => "add",
            Arithmetic::SquaredDifference(..) => "squared_difference",
            Arithmetic::Product(..) => "mul",
        }
    }

    pub fn layer(&self, sources: &[&Source<'_>], output: Quantised) -> LayerFile {
        let (kind, inputs, scaled) = match self {
            Arithmetic::Sum(inputs, scaled, _) => (KindFile::Add, Some(inputs), scaled),
            Arithmetic::SquaredDifference(inputs, scaled) => {
                (KindFile::SquaredDifference, Some(inputs), scaled)
            }
            Arithmetic::Product(_, scaled, _) => (KindFile::Mul, None, scaled),
        };
        LayerFile {
            kind,
            input_multiplier: inputs.map(|inputs| inputs.map(|input| input.scale.multiplier())),
            input_shift: inputs.map(|inputs| inputs.map(|input| input.scale.shift())),
            rounding: matches!(self, Arithmetic::Product(_, _, Rounding::Single))
                .then_some(RoundingFile::Single),
            subtract: matches!(self, Arithmetic::Sum(_, _, true)).then_some(true),
            activation_min: Some(scaled.min),
            activation_max: Some(scaled.max),
            ..one_scale(sources, scaled.scale, output)
        }
    }

    /// What it makes of each byte and a constant in this place.
    pub fn table(&self, place: usize, constant: i8) -> [i8; 256] {
        table_of(|byte| {
            let mut pair = [byte, constant];
            if place == 0 {
                pair.reverse();
            }
            self.output(pair)
        })
    }

    /// Whether what it makes is what the reference makes, of all bytes or of those of a constant in this place.
    pub fn exact(&self, constant: Option<(usize, &[i8])>) -> Result<Exact, String> {
        let mut values = [(); 2].map(|()| (i8::MIN..=i8::MAX).collect::<Vec<i8>>());
        if let Some((place, constant)) = constant {
            values[place] = host::distinct(constant);
        }
        let [first, second] = values;
        let pairs = first
            .iter()
            .flat_map(|&a| second.iter().map(move |&b| [a, b]));
        let sums: Vec<i64> = pairs.map(|pair| self.sum(pair).0).collect();
        let largest = sums.iter().map(|sum| sum.abs()).max().unwrap_or(0);
        match self.sum([0; 2]) {
            // The scaled sum of an .onnx file leaves no bits out.
            (_, _, Rounding::Single) => Ok(Exact::Yes),
            (_, output, _) => int32::exact(sums.into_iter(), largest, output),
        }
    }

    fn output(&self, pair: [i8; 2]) -> i8 {
        let (sum, output, rounding) = self.sum(pair);
        let sum = sum.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
        let ScaledOutput {
            scale,
            zero_point,
            min,
            max,
        } = *output;
        quantise_output(sum, scale, rounding, zero_point, min, max)
    }

    /// What it computes before it scales the result, and how it does that.
    fn sum(&self, pair: [i8; 2]) -> (i64, &ScaledOutput, Rounding) {
        let scaled = |inputs: &[ScaledInput; 2], shift| {
            [0, 1].map(|i| i64::from(host::scaled_input(pair[i], inputs[i], shift)))
        };
        match self {
            Arithmetic::Sum(inputs, output, subtracts) => {
                let [first, second] = scaled(inputs, host::SUM_SHIFT);
                (
                    if *subtracts {
                        first - second
                    } else {
                        first + second
                    },
                    output,
                    Rounding::Double,
                )
            }
            Arithmetic::SquaredDifference(inputs, output) => {
                let [first, second] = scaled(inputs, host::DIFFERENCE_SHIFT);
                let difference = first - second;
                (difference * difference, output, Rounding::Double)
            }
            Arithmetic::Product(zero_points, output, rounding) => {
                let [first, second] =
                    [0, 1].map(|i| i64::from(pair[i]) - i64::from(zero_points[i]));
                (first * second, output, *rounding)
            }
        }
    }
}

//! What an operator on two tensors computes.

use heddle_arch::requantise::{Rounding, ScaledInput, ScaledOutput, quantise_output};
use heddle_network::file::{KindFile, LayerFile, RoundingFile};

use super::layers::{Source, one_scale};
use crate::exact::{host, table_of};
use crate::model::{Kind, Operator, Quantised};
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

    fn output(&self, pair: [i8; 2]) -> i8 {
        let scaled = |inputs: &[ScaledInput; 2], shift| {
            [0, 1].map(|i| i64::from(host::scaled_input(pair[i], inputs[i], shift)))
        };
        let (sum, output, rounding) = match self {
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
        };
        let sum = sum.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
        let ScaledOutput {
            scale,
            zero_point,
            min,
            max,
        } = *output;
        quantise_output(sum, scale, rounding, zero_point, min, max)
    }
}

//! What an operator on two tensors computes.

use heddle_arch::requantise::{Rounding, ScaledInput, ScaledOutput, quantise_output};
use heddle_network::file::{
    AddFile, ConstantFile, InputScalesFile, KindFile, LayerFile, MulFile, ScaledFile,
    SquaredDifferenceFile,
};

use super::layers::{Source, layer_of};
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

    pub fn layer(
        &self,
        sources: &[&Source<'_>],
        constant: Option<ConstantFile>,
        output: Quantised,
    ) -> LayerFile {
        let scaled = |to: &ScaledOutput| ScaledFile::new(&[to.scale], (to.min, to.max));
        let kind: KindFile = match self {
            Arithmetic::Sum(inputs, to, subtract) => AddFile {
                inputs: input_scales(inputs),
                scaled: scaled(to),
                subtract: *subtract,
                constant,
            }
            .into(),
            Arithmetic::SquaredDifference(inputs, to) => SquaredDifferenceFile {
                inputs: input_scales(inputs),
                scaled: scaled(to),
                constant,
            }
            .into(),
            Arithmetic::Product(_, to, rounding) => MulFile {
                scaled: scaled(to),
                rounding: Some((*rounding).into()),
                constant,
            }
            .into(),
        };
        layer_of(sources, output, kind)
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

fn input_scales(inputs: &[ScaledInput; 2]) -> InputScalesFile {
    InputScalesFile {
        input_multiplier: inputs.map(|input| input.scale.multiplier()),
        input_shift: inputs.map(|input| input.scale.shift()),
    }
}

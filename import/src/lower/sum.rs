//! Sums and differences of two tensors.

use heddle_arch::network::file::{KindFile, LayerFile};

use heddle_arch::requantise::Rounding;

use super::Lowering;
use super::layers::{Made, Refused, Source, scaled};
use crate::exact::{Sum, Weighted, host};
use crate::model::{Operator, Quantised};
use crate::report::{Exact, Inexact};
use crate::scale::bounds;

impl Lowering<'_> {
    /// A sum or a difference of both.
    pub(super) fn sum(
        &self,
        operator: &Operator,
        output: Quantised,
        subtracts: bool,
    ) -> Result<Made, Refused> {
        let [first, second] = [
            self.plane_source(operator, 0)?,
            self.plane_source(operator, 1)?,
        ];
        first.check_zero()?;
        second.check_zero()?;
        let plane = first.plane;
        if plane != second.plane {
            return Err(Some("adds tensors of two shapes, expected one".to_string()));
        }
        let sum = Sum {
            inputs: [first.quantised, second.quantised],
            subtracts,
            output,
            bounds: bounds(operator.activation, output)?,
        };
        match self.accepted.contains(&Inexact::Add) {
            true => weighted([&first, &second], &sum),
            false => exact([&first, &second], &sum),
        }
    }
}

/// The sum that the reference kernel makes.
fn exact(sources: [&Source<'_>; 2], sum: &Sum) -> Result<Made, Refused> {
    let (inputs, output) = host::sum(sum.inputs, sum.output, sum.bounds)?;
    let layer = LayerFile {
        kind: KindFile::Add,
        input_multiplier: Some(inputs.map(|input| input.scale.multiplier())),
        input_shift: Some(inputs.map(|input| input.scale.shift())),
        subtract: sum.subtracts.then_some(true),
        ..LayerFile::default()
    };
    let layer = scaled(
        layer,
        &sources,
        &[output.scale],
        Rounding::Double,
        sum.output,
        sum.bounds,
    );
    Ok(Made {
        layer: LayerFile {
            rounding: None,
            ..layer
        },
        text: "add".to_string(),
        exact: Exact::Yes,
        plane: sources[0].plane,
        zero_point: sum.output.zero_point,
    })
}

/// A sum of both, each times a factor of 8 bits.
fn weighted(sources: [&Source<'_>; 2], sum: &Sum) -> Result<Made, Refused> {
    let (
        Weighted {
            factors,
            scale,
            rounding,
        },
        difference,
    ) = sum.weighted()?;
    let layer = LayerFile {
        kind: KindFile::WeightedSum,
        factors: Some(factors.to_vec()),
        ..LayerFile::default()
    };
    let plane = sources[0].plane;
    let scales = vec![scale; plane.channels as usize];
    Ok(Made {
        layer: scaled(layer, &sources, &scales, rounding, sum.output, sum.bounds),
        text: format!("weighted_sum, factors {} and {}", factors[0], factors[1]),
        exact: Exact::Compared(difference),
        plane,
        zero_point: sum.output.zero_point,
    })
}

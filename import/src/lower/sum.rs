//! Sums and differences of two tensors.

use heddle_network::file::{ScaledFile, WeightedSumFile};

use super::Lowering;
use super::layers::{Made, Refused, Source, layer_of};
use crate::exact::{Sum, Weighted};
use crate::model::{Operator, Quantised};
use crate::report::{Exact, Inexact};
use crate::scale::bounds;

impl Lowering<'_> {
    /// A sum or a difference of both: that of the reference kernel, unless a weighted sum is asked for.
    pub(super) fn sum(
        &self,
        operator: &Operator,
        output: Quantised,
        subtracts: bool,
    ) -> Result<Made, Refused> {
        if !self.accepted.contains(&Inexact::Add) {
            return self.pair(operator, output);
        }
        let is_constant = |number| {
            let tensor = self.operand(operator, number);
            tensor.is_some_and(|tensor| tensor.data.is_some())
        };
        if is_constant(0) || is_constant(1) {
            return self.pair(operator, output);
        }
        let [first, second] = [
            self.plane_source(operator, 0)?,
            self.plane_source(operator, 1)?,
        ];
        if first.plane != second.plane {
            return self.pair(operator, output);
        }
        first.check_zero()?;
        second.check_zero()?;
        let sum = Sum {
            inputs: [first.quantised, second.quantised],
            subtracts,
            output,
            bounds: bounds(operator.activation, output)?,
        };
        weighted([&first, &second], &sum)
    }
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
    let plane = sources[0].plane;
    let scales = vec![scale; plane.channels as usize];
    let kind = WeightedSumFile {
        factors: factors.to_vec(),
        scaled: ScaledFile::new(&scales, sum.bounds),
        rounding: rounding.into(),
    };
    Ok(Made {
        layer: layer_of(&sources, sum.output, kind),
        text: format!("weighted_sum, factors {} and {}", factors[0], factors[1]),
        exact: Exact::Compared(difference),
        plane,
        zero_point: sum.output.zero_point,
    })
}

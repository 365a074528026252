//! Sums and differences of two tensors.

use heddle_arch::network::file::{KindFile, LayerFile};

use super::Lowering;
use super::layers::{Made, Refused, scaled};
use crate::exact::{Sum, Weighted};
use crate::model::{Operator, Quantised};
use crate::report::{Exact, Inexact};
use crate::scale::bounds;

impl Lowering<'_> {
    /// A sum of both, each times a factor.
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
        let (
            Weighted {
                factors,
                scale,
                rounding,
            },
            difference,
        ) = sum.weighted()?;
        self.accept(difference, Inexact::Add)?;
        let layer = LayerFile {
            kind: KindFile::Add,
            factors: Some(factors.to_vec()),
            ..LayerFile::default()
        };
        let scales = vec![scale; plane.channels as usize];
        Ok(Made {
            layer: scaled(
                layer,
                &[&first, &second],
                &scales,
                rounding,
                output,
                sum.bounds,
            ),
            text: format!("add, factors {} and {}", factors[0], factors[1]),
            exact: Exact::Compared(difference),
            plane,
            zero_point: output.zero_point,
        })
    }
}

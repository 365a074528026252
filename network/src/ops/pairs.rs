//! Operators on two tensors, element by element.

use heddle_arch::requantise::{Rounding, Scale};

use super::{Reads, Sum};
use crate::draft::Draft;
use crate::file::{ConstantFile, InputScalesFile, ScaledFile};
use crate::requantise::scale_accumulator;
use crate::{Constant, Layer, Shape, Tensor};

/// Two tensors, or one and a constant.
pub(super) fn reads(constant: Option<&ConstantFile>) -> Reads {
    match constant {
        Some(_) => Reads::exactly(1, " with a constant"),
        None => Reads::exactly(2, ""),
    }
}

/// What is made of both, each less its zero point.
pub(super) fn each(
    layer: &Layer,
    inputs: &[&Tensor],
    constant: Option<Constant>,
    make: impl Fn([i32; 2]) -> i8,
) -> Vec<i8> {
    let mut operands: Vec<(Shape, i8, &[i8])> = (inputs.iter().zip(&layer.inputs))
        .map(|(tensor, input)| (tensor.shape, input.zero_point, &tensor.values[..]))
        .collect();
    if let Some(constant) = constant {
        let place = usize::from(!constant.first);
        operands.insert(place, (constant.shape, constant.zero_point, &layer.weights));
    }
    Tensor::values_of(layer.output, |place| {
        make([0, 1].map(|operand| {
            let (shape, zero_point, values) = operands[operand];
            let mut place = place;
            for (at, side) in place.iter_mut().zip(shape.sides()) {
                // A side of 1 stands for any.
                *at = (*at).min(side - 1);
            }
            i32::from(values[shape.index(place)]) - i32::from(zero_point)
        }))
    })
}

impl Sum {
    /// The scales of a sum of two tensors.
    pub(super) fn read(
        draft: &mut Draft<'_>,
        inputs: &InputScalesFile,
        scaled: &ScaledFile,
        shifts: std::ops::RangeInclusive<i32>,
        constant: Option<ConstantFile>,
    ) -> Sum {
        let InputScalesFile {
            input_multiplier,
            input_shift,
        } = inputs;
        let inputs = draft.scales(input_multiplier, input_shift, "input_");
        Sum {
            inputs: inputs.try_into().unwrap_or([Scale::ZERO; 2]),
            output: draft.one_scale(scaled, shifts),
            subtracts: false,
            constant: constant.map(|constant| draft.constant(constant)),
        }
    }

    /// Both operands times 2^shift, scaled.
    pub(super) fn scaled(&self, pair: [i32; 2], shift: u32) -> [i64; 2] {
        [0, 1].map(|i| scale_accumulator(pair[i] << shift, self.inputs[i], Rounding::Double).into())
    }
}

//! Values from zero on, and those below it times a slope of their own; sides of 1 are broadcast.

use super::prelude::*;

/// What a file says of values with slopes.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PreluFile {
    /// How values become bytes: one scale from zero on, and one for products with slopes.
    #[serde(flatten)]
    pub scaled: ScaledFile,
    /// The slopes.
    pub constant: ConstantFile,
}

impl OperatorFile for PreluFile {
    fn read(self, draft: &mut Draft<'_>) -> Option<LayerKind> {
        draft.broadcast(Some(&self.constant))?;
        if self.constant.first {
            let message = "is true, expected false: slopes are the second tensor";
            draft.fault("constant.first", message.to_string());
        }
        draft.bounds(&self.scaled);
        let ScaledFile {
            multiplier, shift, ..
        } = &self.scaled;
        let meaning = "one from zero on and one below";
        Some(LayerKind::Prelu(Prelu {
            outputs: draft.own_scales(multiplier, shift, -31..=30, meaning),
            constant: Some(draft.constant(self.constant)),
        }))
    }
}

/// A slope for values below zero: y = clamp(scale(x - zero point) + zero point) from the zero point on, below it
/// y = clamp(scale((x - zero point) * (slope - zero point)) + zero point), rounded twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Prelu {
    /// Scale from the zero point on, and that of the product below it.
    pub outputs: [Scale; 2],
    /// The slopes, the second of the two tensors.
    pub constant: Option<Constant>,
}

/// What a layer does.
pub(super) struct Op(pub Prelu);

impl Operator for Op {
    fn constant(&self) -> Option<Constant> {
        self.0.constant
    }

    fn run(&self, layer: &Layer, inputs: &[&Tensor]) -> Result<Vec<i8>, NetworkError> {
        let Prelu { outputs, constant } = self.0;
        Ok(pairs::each(layer, inputs, constant, |[value, slope]| {
            let (sum, scale) = match value >= 0 {
                true => (value, outputs[0]),
                false => (value * slope, outputs[1]),
            };
            sums::byte(layer, sum.into(), scale, Rounding::Double)
        }))
    }
}

//! Product of two tensors, element by element; sides of 1 are broadcast.

use super::prelude::*;

/// What a file says of a product of two tensors.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MulFile {
    /// How products become bytes: one scale.
    #[serde(flatten)]
    pub scaled: ScaledFile,
    /// Rounding of scaled products. Default: double.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounding: Option<Rounding>,
    /// What takes the place of an input. Default: two inputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constant: Option<ConstantFile>,
}

impl OperatorFile for MulFile {
    const COMMON: Common = Common::SCALED.of_several();

    fn reads(&self) -> Reads {
        pairs::reads(self.constant.as_ref())
    }

    fn read(self, draft: &mut Draft<'_>) -> Option<LayerKind> {
        draft.broadcast(self.constant.as_ref())?;
        draft.layer.rounding = self.rounding.unwrap_or(Rounding::Double);
        Some(LayerKind::Mul(Product {
            output: draft.one_scale(&self.scaled, -31..=30),
            constant: self.constant.map(|constant| draft.constant(constant)),
        }))
    }
}

/// The product of two tensors: y = clamp(scale((a - zero point) * (b - zero point)) + zero point), rounded as the
/// layer says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Product {
    /// Scale of the product.
    pub output: Scale,
    /// What stands for one of the two.
    pub constant: Option<Constant>,
}

/// What a layer does.
pub(super) struct Op(pub Product);

impl Operator for Op {
    fn constant(&self) -> Option<Constant> {
        self.0.constant
    }

    fn run(&self, layer: &Layer, inputs: &[&Tensor]) -> Result<Vec<i8>, NetworkError> {
        let Op(product) = self;
        Ok(pairs::each(layer, inputs, product.constant, |[first, second]| {
            let found = i64::from(first * second);
            sums::byte(layer, found, product.output, layer.rounding)
        }))
    }
}

//! Square of the difference of two tensors; sides of 1 are broadcast.

use super::prelude::*;

/// Bits by which inputs are shifted to the left.
const LEFT_SHIFT: u32 = 7;

/// What a file says of a squared difference.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SquaredDifferenceFile {
    /// Scales of the two.
    #[serde(flatten)]
    pub inputs: InputScalesFile,
    /// How squares become bytes: one scale.
    #[serde(flatten)]
    pub scaled: ScaledFile,
    /// What takes the place of an input. Default: two inputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constant: Option<ConstantFile>,
}

impl OperatorFile for SquaredDifferenceFile {
    const COMMON: Common = Common::SCALED.of_several();

    fn reads(&self) -> Reads {
        pairs::reads(self.constant.as_ref())
    }

    fn read(self, draft: &mut Draft<'_>) -> Option<LayerKind> {
        draft.broadcast(self.constant.as_ref())?;
        let sum = Sum::read(draft, &self.inputs, &self.scaled, -31..=30, self.constant);
        Some(LayerKind::SquaredDifference(sum))
    }
}

/// What a layer does.
pub(super) struct Op(pub Sum);

impl Operator for Op {
    fn constant(&self) -> Option<Constant> {
        self.0.constant
    }

    fn run(&self, layer: &Layer, inputs: &[&Tensor]) -> Result<Vec<i8>, NetworkError> {
        let Op(sum) = self;
        Ok(pairs::each(layer, inputs, sum.constant, |pair| {
            let [first, second] = sum.scaled(pair, LEFT_SHIFT);
            let square = (first - second) * (first - second);
            sums::byte(layer, square, sum.output, Rounding::Double)
        }))
    }
}

//! Sum or difference of two tensors, each with a scale of its own; sides of 1 are broadcast.

use super::prelude::*;

/// What a file says of a sum of two tensors.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddFile {
    /// Scales of the two.
    #[serde(flatten)]
    pub inputs: InputScalesFile,
    /// How sums become bytes: one scale.
    #[serde(flatten)]
    pub scaled: ScaledFile,
    /// The second is subtracted. Default: it is added.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub subtract: bool,
    /// What takes the place of an input. Default: two inputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constant: Option<ConstantFile>,
}

impl OperatorFile for AddFile {
    const FOR_HOST: bool = false;
    const COMMON: Common = Common::SCALED.of_several();

    fn reads(&self) -> Reads {
        pairs::reads(self.constant.as_ref())
    }

    fn read(self, draft: &mut Draft<'_>) -> Option<LayerKind> {
        draft.broadcast(self.constant.as_ref())?;
        draft.layer.groups = draft.shapes[0].channels;
        let sum = Sum::read(draft, &self.inputs, &self.scaled, -31..=0, self.constant);
        let subtracts = self.subtract;
        Some(LayerKind::Add(Sum { subtracts, ..sum }))
    }
}

/// A sum of two tensors with scales of their own, as the TensorFlow Lite reference kernels make it:
///
/// a = scale(2^20 * (x - zero point)) of each input, y = clamp(scale(a + b) + zero point), rounded twice each time.
///
/// A squared difference is y = clamp(scale((a - b)^2) + zero point), with 2^7 instead of 2^20.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sum {
    /// Scales of the inputs.
    pub inputs: [Scale; 2],
    /// Scale of the sum.
    pub output: Scale,
    /// The second input is subtracted.
    pub subtracts: bool,
    /// What stands for one of the two.
    pub constant: Option<Constant>,
}

impl Default for Sum {
    fn default() -> Self {
        Self {
            inputs: [Scale::reciprocal(1); 2],
            output: Scale::reciprocal(1),
            subtracts: false,
            constant: None,
        }
    }
}

impl Sum {
    /// Bits by which inputs are shifted to the left.
    pub const LEFT_SHIFT: u32 = 20;
}

/// What a layer does.
pub(super) struct Op(pub Sum);

impl Operator for Op {
    fn work(&self) -> Work {
        Work::Terms(Some(self.0))
    }

    fn host_reason(&self, layer: &Layer, inputs: &[Shape]) -> Option<&'static str> {
        match self.0.constant {
            Some(_) => Some("the machine adds no stored tensor"),
            None => {
                let other = inputs.iter().any(|&shape| shape != layer.output);
                other.then_some("the machine adds tensors of one shape")
            }
        }
    }

    fn constant(&self) -> Option<Constant> {
        self.0.constant
    }

    fn run(&self, layer: &Layer, inputs: &[&Tensor]) -> Result<Vec<i8>, NetworkError> {
        let Op(sum) = self;
        Ok(pairs::each(layer, inputs, sum.constant, |pair| {
            let [first, second] = sum.scaled(pair, Sum::LEFT_SHIFT);
            let second = if sum.subtracts { -second } else { second };
            sums::byte(layer, first + second, sum.output, Rounding::Double)
        }))
    }
}

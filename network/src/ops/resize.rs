//! Each element several times, down and across; values pass unchanged.

use super::prelude::*;

/// What a file says of elements that come several times.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResizeFile {
    /// How often an element comes, down and across.
    #[schemars(inner(range(min = 1, max = 65536)))]
    pub scale_factor: [u32; 2],
}

impl OperatorFile for ResizeFile {
    const COMMON: Common = Common::MOVED;

    fn read(self, draft: &mut Draft<'_>) -> Option<LayerKind> {
        let [channels, height, width] = draft.shapes[0].sides().map(u64::from);
        let [down, across] = self.scale_factor.map(u64::from);
        let sides = [channels, height * down, width * across];
        draft.layer.output = draft.bounded(sides, "scale_factor")?;
        Some(LayerKind::Resize(self.scale_factor))
    }
}

/// What a layer does.
pub(super) struct Op(pub [u32; 2]);

impl Operator for Op {
    fn moves(&self) -> bool {
        true
    }

    fn run(&self, layer: &Layer, inputs: &[&Tensor]) -> Result<Vec<i8>, NetworkError> {
        let [down, across] = self.0;
        Ok(Tensor::values_of(layer.output, |[channel, y, x]| {
            inputs[0].get([channel, y / down, x / across])
        }))
    }
}

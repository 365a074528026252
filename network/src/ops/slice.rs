//! A part of a tensor that starts at a channel, row and column; values pass unchanged.

use super::prelude::*;

/// What a file says of a part of a tensor.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SliceFile {
    /// Channel, row and column where it starts.
    #[schemars(inner(range(min = 0, max = 65535)))]
    pub start: [u32; 3],
    /// Channels, height and width.
    #[schemars(inner(range(min = 1, max = 65536)))]
    pub output_shape: [u32; 3],
}

impl OperatorFile for SliceFile {
    const COMMON: Common = Common::MOVED;

    fn read(self, draft: &mut Draft<'_>) -> Option<LayerKind> {
        let mut fits = true;
        for (i, has) in draft.shapes[0].sides().into_iter().enumerate() {
            let (start, size) = (self.start[i], self.output_shape[i]);
            if start + size > has {
                let message = format!("is {size} from {start} on, expected to end within {has}");
                draft.fault(&format!("output_shape[{i}]"), message);
                fits = false;
            }
        }
        draft.layer.output = Shape::of(self.output_shape);
        fits.then_some(LayerKind::Slice(self.start))
    }
}

/// What a layer does.
pub(super) struct Op(pub [u32; 3]);

impl Operator for Op {
    fn moves(&self) -> bool {
        true
    }

    fn run(&self, layer: &Layer, inputs: &[&Tensor]) -> Result<Vec<i8>, NetworkError> {
        Ok(Tensor::values_of(layer.output, |place| {
            inputs[0].get([0, 1, 2].map(|i| place[i] + self.0[i]))
        }))
    }
}

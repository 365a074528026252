//! The same elements in another shape; values pass unchanged.

use super::prelude::*;

/// What a file says of another shape.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReshapeFile {
    /// Channels, height and width.
    #[schemars(inner(range(min = 1, max = 65536)))]
    pub output_shape: [u32; 3],
    /// The order in which elements are counted. Default: channels_first.
    #[serde(default)]
    pub order: Order,
}

/// The order in which elements are counted.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Channels, height, width, the last of which moves fastest; as in .onnx files.
    #[default]
    ChannelsFirst,
    /// Height, width, channels; as in .tflite files.
    ChannelsLast,
}

impl OperatorFile for ReshapeFile {
    const COMMON: Common = Common::MOVED;

    fn read(self, draft: &mut Draft<'_>) -> Option<LayerKind> {
        let (input, output) = (draft.shapes[0], Shape::of(self.output_shape));
        let (found, expected) = (output.elements(), input.elements());
        if found != expected {
            let message = format!("has {found} elements, expected {expected}, those of {input}");
            draft.fault("output_shape", message);
            return None;
        }
        draft.layer.output = output;
        Some(LayerKind::Reshape(self.order))
    }
}

/// What a layer does.
pub(super) struct Op(pub Order);

impl Operator for Op {
    fn moves(&self) -> bool {
        true
    }

    fn run(&self, layer: &Layer, inputs: &[&Tensor]) -> Result<Vec<i8>, NetworkError> {
        let (input, output) = (inputs[0], layer.output);
        if self.0 == Order::ChannelsFirst {
            return Ok(input.values.clone());
        }
        let [channels, _, width] = input.shape.sides().map(u64::from);
        Ok(Tensor::values_of(output, |[channel, y, x]| {
            let pixel = u64::from(y) * u64::from(output.width) + u64::from(x);
            let number = pixel * u64::from(output.channels) + u64::from(channel);
            let (pixel, channel) = (number / channels, number % channels);
            input.get([channel, pixel / width, pixel % width].map(|side| side as u32))
        }))
    }
}

//! Fully connected layer: a convolution whose kernel is the whole plane.

use super::prelude::*;

/// What a file says of a fully connected layer.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FullyConnectedFile {
    /// Outputs.
    #[schemars(range(min = 1, max = 65536))]
    pub output_features: u32,
    /// Weights, in the order output, input channel, row, column. In JSON also an object that names another file.
    pub weights: Vec<i8>,
    /// Bias of each output.
    pub bias: Vec<i32>,
    /// How sums become bytes.
    #[serde(flatten)]
    pub scaled: ScaledFile,
    /// Rounding of scaled sums.
    pub rounding: Rounding,
}

impl OperatorFile for FullyConnectedFile {
    const FOR_HOST: bool = false;

    fn weights(&self) -> Option<&Vec<i8>> {
        Some(&self.weights)
    }

    fn weights_mut(&mut self) -> Option<&mut Vec<i8>> {
        Some(&mut self.weights)
    }

    fn read(self, draft: &mut Draft<'_>) -> Option<LayerKind> {
        let input = draft.shapes[0];
        draft.layer.output = Shape::of([self.output_features, 1, 1]);
        draft.layer.kernel = [input.height, input.width];
        draft.weighted(self.weights, self.bias, &self.scaled, self.rounding);
        Some(LayerKind::FullyConnected)
    }
}

/// What a layer does.
pub(super) struct Op;

impl Operator for Op {
    fn work(&self) -> Work {
        Work::Weighted
    }

    fn weight_shape(&self, layer: &Layer) -> Vec<usize> {
        vec![layer.output.channels as usize, layer.taps()]
    }

    fn run(&self, layer: &Layer, inputs: &[&Tensor]) -> Result<Vec<i8>, NetworkError> {
        sums::of_channels(layer, |place| windows::weighted(layer, inputs[0], place))
    }
}

//! Convolution: y = scale(bias + sum of w * (x - zero point)) over the taps of the output's group.

use super::prelude::*;

/// What a file says of a convolution.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Conv2dFile {
    /// Output channels.
    #[schemars(range(min = 1, max = 65536))]
    pub output_channels: u32,
    /// How the kernel moves.
    #[serde(flatten)]
    pub window: WindowFile,
    /// Vertical and horizontal distance of the places of the kernel. Default: 1, 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = 1, max = 65536)))]
    pub dilation: Option<[u32; 2]>,
    /// Groups of channels; divides input and output channels. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 65536))]
    pub groups: Option<u32>,
    /// Weights, in the order output, input channel of the group, kernel row, kernel column. In JSON also an object that names
    /// another file.
    pub weights: Vec<i8>,
    /// Bias of each output.
    pub bias: Vec<i32>,
    /// How sums become bytes.
    #[serde(flatten)]
    pub scaled: ScaledFile,
    /// Rounding of scaled sums.
    pub rounding: Rounding,
}

impl OperatorFile for Conv2dFile {
    const FOR_HOST: bool = false;

    fn weights(&self) -> Option<&Vec<i8>> {
        Some(&self.weights)
    }

    fn weights_mut(&mut self) -> Option<&mut Vec<i8>> {
        Some(&mut self.weights)
    }

    fn read(self, draft: &mut Draft<'_>) -> Option<LayerKind> {
        let groups = self.groups.unwrap_or(1);
        let sides = [
            ("input", draft.shapes[0].channels),
            ("output", self.output_channels),
        ];
        let rests = sides.map(|(what, channels)| {
            let rest = channels % groups;
            if rest != 0 {
                let message =
                    format!("is {groups}, expected a divisor of the {channels} {what} channels");
                draft.fault("groups", message);
            }
            rest
        });
        let dilation = self.dilation.unwrap_or([1, 1]);
        draft.windows(&self.window, [1, 1], dilation, self.output_channels)?;
        if rests != [0, 0] {
            return None;
        }
        draft.layer.groups = groups;
        draft.weighted(self.weights, self.bias, &self.scaled, self.rounding);
        Some(LayerKind::Conv2d)
    }
}

/// What a layer does.
pub(super) struct Op;

impl Operator for Op {
    fn work(&self) -> Work {
        Work::Weighted
    }

    fn words(&self, layer: &Layer) -> Vec<String> {
        let [height, width] = layer.kernel;
        vec![format!("{height}x{width}")]
    }

    fn weight_shape(&self, layer: &Layer) -> Vec<usize> {
        let [height, width] = layer.kernel;
        let sizes = [layer.output.channels, layer.group_inputs(), height, width];
        sizes.map(|size| size as usize).to_vec()
    }

    fn run(&self, layer: &Layer, inputs: &[&Tensor]) -> Result<Vec<i8>, NetworkError> {
        sums::of_channels(layer, |place| windows::weighted(layer, inputs[0], place))
    }
}

impl Layer {
    /// Whether it is a convolution in which each output channel has weights for one input channel alone, of the same number.
    #[must_use]
    pub fn is_depthwise(&self) -> bool {
        self.kind == LayerKind::Conv2d
            && [self.groups; 2] == [self.input.channels, self.output.channels]
    }

    /// Whether it is a convolution in which each output has weights for all channels of one place alone, the same in the input.
    #[must_use]
    pub fn is_pointwise(&self) -> bool {
        let one = [self.kernel, self.stride] == [[1, 1]; 2] && self.padding == Padding::default();
        self.kind == LayerKind::Conv2d && self.groups == 1 && one
    }
}

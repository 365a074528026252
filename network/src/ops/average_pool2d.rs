//! Mean of windows: a depthwise convolution whose weights are 1 and whose scale is 1 / size. With padding it is the mean of the
//! bytes of a window's places inside the plane, halves away from 0, which no machine has.

use super::prelude::*;

/// What a file says of means of windows.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AveragePool2dFile {
    /// How the window moves.
    #[serde(flatten)]
    pub window: WindowFile,
}

impl OperatorFile for AveragePool2dFile {
    // A table gives the output its own zero point.
    const COMMON: Common = Common {
        zero_point: Need::Optional,
        ..Common::SCALED
    };

    fn is_for_host(&self) -> bool {
        self.window.padding.unwrap_or_default() != PaddingFile::default()
    }

    fn read(self, draft: &mut Draft<'_>) -> Option<LayerKind> {
        let [height, width] = self.window.kernel;
        draft.pool(&self.window, Scale::reciprocal(height * width))?;
        if height as usize * width as usize > WINDOW_MAX {
            let message = format!(
                "is {height} x {width}, expected at most {WINDOW_MAX} places: their sum has 32 bits"
            );
            draft.fault("kernel", message);
        }
        Some(LayerKind::AveragePool2d)
    }
}

/// What a layer does.
pub(super) struct Op;

impl Operator for Op {
    fn work(&self) -> Work {
        Work::Window(Reduction::Mean)
    }

    fn only_on_host(&self, layer: &Layer) -> bool {
        layer.padding != Padding::default()
    }

    fn host_reason(&self, layer: &Layer, _inputs: &[Shape]) -> Option<&'static str> {
        let beyond = self.only_on_host(layer);
        beyond.then_some("windows beyond the edges have fewer places")
    }

    fn words(&self, layer: &Layer) -> Vec<String> {
        let [height, width] = layer.kernel;
        vec![format!("{height}x{width}")]
    }

    fn run(&self, layer: &Layer, inputs: &[&Tensor]) -> Result<Vec<i8>, NetworkError> {
        if !self.only_on_host(layer) {
            return sums::of_channels(layer, |place| windows::weighted(layer, inputs[0], place));
        }
        let zero_point = i64::from(layer.inputs[0].zero_point);
        Ok(Tensor::values_of(layer.output, |place| {
            let window = windows::window(layer, inputs[0], place);
            let (sum, count) = window.fold((0, 0), |(sum, count), operand| {
                (sum + operand + zero_point, count + 1)
            });
            ((2 * sum + sum.signum() * count) / (2 * count)) as i8
        }))
    }
}

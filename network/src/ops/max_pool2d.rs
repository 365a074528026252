//! Largest value of windows, of their places inside the plane. Values pass unchanged.

use super::prelude::*;

/// What a file says of maxima of windows.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MaxPool2dFile {
    /// How the window moves.
    #[serde(flatten)]
    pub window: WindowFile,
}

impl OperatorFile for MaxPool2dFile {
    const FOR_HOST: bool = false;

    // A table gives the output its own zero point.
    const COMMON: Common = Common {
        zero_point: Need::Optional,
        ..Common::SCALED
    };

    fn read(self, draft: &mut Draft<'_>) -> Option<LayerKind> {
        draft.pool(&self.window, Scale::reciprocal(1))?;
        Some(LayerKind::MaxPool2d)
    }
}

/// What a layer does.
pub(super) struct Op;

impl Operator for Op {
    fn work(&self) -> Work {
        Work::Window(Reduction::Largest)
    }

    fn words(&self, layer: &Layer) -> Vec<String> {
        let [height, width] = layer.kernel;
        vec![format!("{height}x{width}")]
    }

    fn run(&self, layer: &Layer, inputs: &[&Tensor]) -> Result<Vec<i8>, NetworkError> {
        sums::of_channels(layer, |place| {
            let window = windows::window(layer, inputs[0], place);
            window.max().expect("a window has an element")
        })
    }
}

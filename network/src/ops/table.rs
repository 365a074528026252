//! A function of each byte: an entry of the table of the layer.

use super::prelude::*;

/// What a file says of a function of each byte, apart from its table.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TableFile {}

impl OperatorFile for TableFile {
    const FOR_HOST: bool = false;
    const COMMON: Common = Common {
        table: Need::Required,
        ..Common::SCALED
    };

    fn read(self, draft: &mut Draft<'_>) -> Option<LayerKind> {
        draft.each_channel(Scale::reciprocal(1));
        Some(LayerKind::Table)
    }
}

/// What a layer does.
pub(super) struct Op;

impl Operator for Op {
    fn work(&self) -> Work {
        Work::Bytes
    }

    fn run(&self, layer: &Layer, inputs: &[&Tensor]) -> Result<Vec<i8>, NetworkError> {
        sums::of_channels(layer, |place| windows::weighted(layer, inputs[0], place))
    }
}

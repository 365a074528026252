//! Place of the largest of each row along a dimension, the first of several: [`PLACE_BYTES`] bytes along that dimension, the lowest
//! one first. No layer reads them.

use super::prelude::*;

/// Bytes of a place along a row.
pub const PLACE_BYTES: u32 = 4;

/// What a file says of places of the largest.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArgMaxFile {
    /// The dimension of a row.
    pub axis: Axis,
}

impl OperatorFile for ArgMaxFile {
    const COMMON: Common = Common {
        scale: Need::Foreign,
        ..Common::MOVED
    };
    const MAKES_PLACES: bool = true;

    fn read(self, draft: &mut Draft<'_>) -> Option<LayerKind> {
        draft.layer.output = draft.shapes[0].with(self.axis, PLACE_BYTES);
        draft.layer.output_zero_point = 0;
        Some(LayerKind::ArgMax(self.axis))
    }
}

/// What a layer does.
pub(super) struct Op(pub Axis);

impl Operator for Op {
    fn places(&self) -> Option<Axis> {
        Some(self.0)
    }

    fn run(&self, layer: &Layer, inputs: &[&Tensor]) -> Result<Vec<i8>, NetworkError> {
        Ok(Tensor::values_of(layer.output, |mut place| {
            let byte = std::mem::take(&mut place[self.0.index()]);
            let row = inputs[0].row(self.0, place);
            let largest = (0..row.len()).rev().max_by_key(|&place| row[place]);
            let largest = largest.expect("a row has an element") as u32;
            largest.to_le_bytes()[byte as usize] as i8
        }))
    }
}

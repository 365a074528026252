//! Largest value over some dimensions, which have one place then. Values pass unchanged.

use super::prelude::*;

/// What a file says of a maximum over dimensions.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReduceMaxFile {
    /// The dimensions over which it is.
    #[schemars(length(min = 1, max = 3))]
    pub axes: Vec<Axis>,
}

impl OperatorFile for ReduceMaxFile {
    const COMMON: Common = Common::MOVED;

    fn read(self, draft: &mut Draft<'_>) -> Option<LayerKind> {
        let axes = self.axes.iter();
        draft.layer.output = axes.fold(draft.shapes[0], |shape, &axis| shape.with(axis, 1));
        Some(LayerKind::ReduceMax)
    }
}

/// What a layer does.
pub(super) struct Op;

impl Operator for Op {
    fn moves(&self) -> bool {
        true
    }

    fn run(&self, layer: &Layer, inputs: &[&Tensor]) -> Result<Vec<i8>, NetworkError> {
        let mut largest = vec![i8::MIN; layer.output.elements()];
        let last = layer.output.sides().map(|side| side - 1);
        for (place, &value) in inputs[0].shape.places().zip(&inputs[0].values) {
            // Of a dimension that it is over there is one place.
            let kept = [0, 1, 2].map(|i| place[i].min(last[i]));
            let found = &mut largest[layer.output.index(kept)];
            *found = value.max(*found);
        }
        Ok(largest)
    }
}

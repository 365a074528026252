//! Tensors one after another along a dimension; values pass unchanged.

use super::prelude::*;
use crate::Network;

/// What a file says of tensors one after another.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConcatFile {
    /// The dimension along which they lie.
    pub axis: Axis,
}

impl OperatorFile for ConcatFile {
    const COMMON: Common = Common::MOVED.of_several();

    fn reads(&self) -> Reads {
        Reads {
            // Each has at least one place of the dimension.
            count: 2..=Network::SIZE_MAX as usize,
            case: "",
        }
    }

    fn read(self, draft: &mut Draft<'_>) -> Option<LayerKind> {
        let axis = self.axis.index();
        let first = draft.shapes[0];
        let mut sides = first.sides().map(u64::from);
        let mut fits = true;
        for (i, other) in draft.shapes.clone().into_iter().enumerate().skip(1) {
            let expected = first.with(self.axis, other.sides()[axis]);
            if other != expected {
                let message = format!("has {other}, expected {expected} beside the first input");
                draft.fault(&format!("inputs[{i}]"), message);
                fits = false;
            }
            sides[axis] += u64::from(other.sides()[axis]);
        }
        draft.layer.output = draft.bounded(sides, "inputs")?;
        fits.then_some(LayerKind::Concat(self.axis))
    }
}

/// What a layer does.
pub(super) struct Op(pub Axis);

impl Operator for Op {
    fn moves(&self) -> bool {
        true
    }

    fn run(&self, layer: &Layer, inputs: &[&Tensor]) -> Result<Vec<i8>, NetworkError> {
        let axis = self.0.index();
        Ok(Tensor::values_of(layer.output, |mut place| {
            let mut tensors = inputs.iter();
            loop {
                let tensor = tensors.next().expect("the output has no other places");
                let side = tensor.shape.sides()[axis];
                if place[axis] < side {
                    return tensor.get(place);
                }
                place[axis] -= side;
            }
        }))
    }
}

//! A larger tensor in which the first element of this one lies at a channel, row and column, and the others in steps of the
//! stride; elsewhere it holds the zero point, or another byte.

use super::prelude::*;

/// What a file says of a larger tensor.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PadFile {
    /// Channel, row and column where the first element comes to lie.
    #[schemars(inner(range(min = 0, max = 65535)))]
    pub start: [u32; 3],
    /// Channels, height and width.
    #[schemars(inner(range(min = 1, max = 65536)))]
    pub output_shape: [u32; 3],
    /// Distances of the elements in the output, down and across. Default: 1, 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = 1, max = 65536)))]
    pub stride: Option<[u32; 2]>,
    /// The byte that lies elsewhere. Default: the zero point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<i8>,
}

/// Where the first element comes to lie, and what lies elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pad {
    /// Channel, row and column.
    pub start: [u32; 3],
    /// The byte elsewhere.
    pub value: i8,
}

impl OperatorFile for PadFile {
    const COMMON: Common = Common::MOVED;

    fn read(self, draft: &mut Draft<'_>) -> Option<LayerKind> {
        draft.layer.output = Shape::of(self.output_shape);
        draft.layer.stride = self.stride.unwrap_or([1, 1]);
        let steps = steps(&draft.layer);
        let mut fits = true;
        for (i, side) in draft.shapes[0].sides().into_iter().enumerate() {
            let (start, step, found) = (self.start[i], steps[i], self.output_shape[i]);
            let needed = u64::from(start) + u64::from(side - 1) * u64::from(step) + 1;
            if u64::from(found) < needed {
                let message = format!(
                    "is {found}, expected at least {needed}: {side} from {start} on in steps of {step}"
                );
                draft.fault(&format!("output_shape[{i}]"), message);
                fits = false;
            }
        }
        let value = self.value.unwrap_or(draft.layer.output_zero_point);
        let start = self.start;
        fits.then_some(LayerKind::Pad(Pad { start, value }))
    }
}

/// Distances of elements along each dimension.
fn steps(layer: &Layer) -> [u32; 3] {
    [1, layer.stride[0], layer.stride[1]]
}

/// What a layer does.
pub(super) struct Op(pub Pad);

impl Operator for Op {
    fn moves(&self) -> bool {
        true
    }

    fn run(&self, layer: &Layer, inputs: &[&Tensor]) -> Result<Vec<i8>, NetworkError> {
        let mut values = vec![self.0.value; layer.output.elements()];
        let steps = steps(layer);
        for (place, &value) in inputs[0].shape.places().zip(&inputs[0].values) {
            let moved = [0, 1, 2].map(|i| self.0.start[i] + place[i] * steps[i]);
            values[layer.output.index(moved)] = value;
        }
        Ok(values)
    }
}

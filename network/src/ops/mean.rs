//! Mean over some dimensions, which have one place then.

use super::prelude::*;

/// What a file says of a mean over dimensions.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeanFile {
    /// The dimensions over which it is.
    #[schemars(length(min = 1, max = 3))]
    pub axes: Vec<Axis>,
    /// How sums become bytes: one scale.
    #[serde(flatten)]
    pub scaled: ScaledFile,
}

impl OperatorFile for MeanFile {
    fn read(self, draft: &mut Draft<'_>) -> Option<LayerKind> {
        let input = draft.shapes[0];
        let axes = self.axes.iter();
        let output = axes.fold(input, |shape, &axis| shape.with(axis, 1));
        let count = input.elements() / output.elements();
        if count > WINDOW_MAX {
            let message = format!(
                "are of {count} elements, expected at most {WINDOW_MAX}: their sum has 32 bits"
            );
            draft.fault("axes", message);
        }
        draft.layer.output = output;
        Some(LayerKind::Mean(Mean {
            over: Axis::ALL.map(|axis| self.axes.contains(&axis)),
            scale: draft.one_scale(&self.scaled, -31..=30),
        }))
    }
}

/// The mean over some dimensions: y = clamp(scale(sum of (x - zero point)) + zero point), rounded twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Mean {
    /// Whether the mean is over each of the dimensions channels, height, width.
    pub over: [bool; 3],
    /// Scale of the sum, already divided by the number of elements.
    pub scale: Scale,
}

/// What a layer does.
pub(super) struct Op(pub Mean);

impl Operator for Op {
    fn run(&self, layer: &Layer, inputs: &[&Tensor]) -> Result<Vec<i8>, NetworkError> {
        let Mean { over, scale } = self.0;
        let mut sums = vec![0i64; layer.output.elements()];
        for (place, &value) in inputs[0].shape.places().zip(&inputs[0].values) {
            let place = [0, 1, 2].map(|i| if over[i] { 0 } else { place[i] });
            let difference = i64::from(value) - i64::from(layer.inputs[0].zero_point);
            sums[layer.output.index(place)] += difference;
        }
        let byte = |sum| sums::byte(layer, sum, scale, Rounding::Double);
        Ok(sums.into_iter().map(byte).collect())
    }
}

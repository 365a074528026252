//! Sum of tensors of one shape: y = scale(sum of factor * (x - zero point)), a factor for each.

use super::prelude::*;

/// What a file says of a sum of tensors times factors.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WeightedSumFile {
    /// Factor of each input.
    #[schemars(length(min = 2, max = 8))]
    pub factors: Vec<i8>,
    /// How sums become bytes.
    #[serde(flatten)]
    pub scaled: ScaledFile,
    /// Rounding of scaled sums.
    pub rounding: Rounding,
}

impl OperatorFile for WeightedSumFile {
    const FOR_HOST: bool = false;
    const COMMON: Common = Common::SCALED.of_several();

    fn reads(&self) -> Reads {
        Reads {
            count: 2..=8,
            case: "",
        }
    }

    fn read(self, draft: &mut Draft<'_>) -> Option<LayerKind> {
        let (first, count) = (draft.shapes[0], draft.shapes.len());
        for (i, other) in draft.shapes.clone().into_iter().enumerate() {
            if other != first {
                let name = &draft.names[i];
                let message =
                    format!("is {name:?} with {other}, expected {first} as the first input has");
                draft.fault(&format!("inputs[{i}]"), message);
            }
        }
        if draft.shapes.iter().any(|&other| other != first) {
            return None;
        }
        draft.layer.groups = first.channels;
        draft.check_length("factors", self.factors.len(), count, "one for each input");
        draft.layer.weights = self.factors;
        draft.layer.bias = vec![0; first.channels as usize];
        draft.scaled_channels(&self.scaled, self.rounding);
        draft.check_sums("factors", count);
        Some(LayerKind::WeightedSum)
    }
}

/// What a layer does.
pub(super) struct Op;

impl Operator for Op {
    fn work(&self) -> Work {
        Work::Terms(None)
    }

    fn run(&self, layer: &Layer, inputs: &[&Tensor]) -> Result<Vec<i8>, NetworkError> {
        sums::of_channels(layer, |place| {
            let mut sum = i64::from(layer.bias[place[0] as usize]);
            for ((tensor, input), factor) in inputs.iter().zip(&layer.inputs).zip(&layer.weights) {
                let difference = i64::from(tensor.get(place)) - i64::from(input.zero_point);
                sum += i64::from(*factor) * difference;
            }
            sum
        })
    }
}

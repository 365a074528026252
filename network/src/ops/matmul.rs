//! Products of matrices, one for each channel: y = scale(bias + sum of (a - zero point) * (b - zero point)), with one bias and one
//! scale for all elements or for each column. The second factor may be stored.

use super::prelude::*;

/// What a file says of products of matrices. What it does not say is 0, 1 or the range of a byte.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MatmulFile {
    /// Whether the first and the second factor are taken transposed. Default: neither.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transposed: Option<[bool; 2]>,
    /// Columns of the product, with weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 65536))]
    pub output_features: Option<u32>,
    /// The second factor, row by row, the same for all channels. In JSON also an object that names another file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<Vec<i8>>,
    /// One bias, or one for each column. Default: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bias: Option<Vec<i32>>,
    /// One multiplier, or one for each column, 0 to 2^31 - 1. Default, with shift: scale 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = 0, max = i32::MAX)))]
    pub multiplier: Option<Vec<i32>>,
    /// Shift of as many, positive to the left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = -31, max = 30)))]
    pub shift: Option<Vec<i32>>,
    /// Rounding of scaled sums. Default: single.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounding: Option<Rounding>,
    /// Smallest output. Default: -128.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub activation_min: Option<i8>,
    /// Largest output. Default: 127.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub activation_max: Option<i8>,
}

impl OperatorFile for MatmulFile {
    const FOR_HOST: bool = false;
    const COMMON: Common = Common {
        zero_point: Need::Optional,
        table: Need::Foreign,
        ..Common::SCALED
    };

    fn reads(&self) -> Reads {
        match self.weights {
            Some(_) => Reads::exactly(1, " with weights"),
            None => Reads::exactly(2, " without weights"),
        }
    }

    fn weights(&self) -> Option<&Vec<i8>> {
        self.weights.as_ref()
    }

    fn weights_mut(&mut self) -> Option<&mut Vec<i8>> {
        self.weights.as_mut()
    }

    fn read(mut self, draft: &mut Draft<'_>) -> Option<LayerKind> {
        let matmul = Matmul {
            transposed: self.transposed.unwrap_or_default(),
        };
        draft.layer.output = self.output(matmul, draft)?;
        draft.layer.output_zero_point = 0;
        let cols = draft.layer.output.width as usize;
        let terms = matmul.terms(draft.shapes[0]);
        if let Some(weights) = self.weights.take() {
            let factor = format!("{terms} rows of {cols} columns");
            draft.check_length("weights", weights.len(), terms as usize * cols, &factor);
            draft.layer.weights = weights;
        }
        self.scale(cols, draft);
        draft.layer.rounding = self.rounding.unwrap_or(Rounding::Single);
        draft.layer.min = self.activation_min.unwrap_or(i8::MIN);
        draft.layer.max = self.activation_max.unwrap_or(i8::MAX);
        // A factor less its zero point is at most 255, a weight at most 128.
        let second = if draft.shapes.len() > 1 { 255 } else { 128 };
        let most = i64::from(terms) * 255 * second;
        for (column, bias) in draft.layer.bias.clone().into_iter().enumerate() {
            draft.check_sum(column, bias, most, &format!("{terms} * 255 * {second}"));
        }
        Some(LayerKind::Matmul(matmul))
    }
}

impl MatmulFile {
    /// Shape of the product, if its factors belong together.
    fn output(&self, matmul: Matmul, draft: &mut Draft<'_>) -> Option<Shape> {
        let (first, features) = (draft.shapes[0], self.output_features);
        let (rows, terms) = sides(first, matmul.transposed[0]);
        let product = |cols| Some(Shape::of([first.channels, rows, cols]));
        let (field, message) = match (draft.shapes.get(1), features) {
            (None, Some(features)) => return product(features),
            (None, None) => {
                let message = "is missing, required for matmul with weights";
                ("output_features", message.to_string())
            }
            (Some(second), _) if second.channels != first.channels => {
                let (found, expected) = (second.channels, first.channels);
                let message =
                    format!("has {found} channels, expected {expected} as the first input has");
                ("inputs[1]", message)
            }
            (Some(&second), _) => match (sides(second, matmul.transposed[1]), features) {
                ((found, cols), None) if found == terms => return product(cols),
                ((found, _), _) if found != terms => {
                    let turned = ["", " when transposed"][usize::from(matmul.transposed[1])];
                    let message = format!(
                        "has {found} rows{turned}, expected {terms}: the first factor is {rows} x {terms}"
                    );
                    ("inputs[1]", message)
                }
                _ => {
                    let message = "is not a field of matmul without weights";
                    ("output_features", message.to_string())
                }
            },
        };
        draft.fault(field, message);
        None
    }

    /// Biases and scales: one, or as many as the result has columns. One value stands for as many as the others have.
    fn scale(&self, cols: usize, draft: &mut Draft<'_>) {
        let each = "one for the matrix, or one for each column";
        let lists = [&self.multiplier, &self.shift];
        let (field, other) = match lists {
            [None, Some(_)] => ("multiplier", "shift"),
            [Some(_), None] => ("shift", "multiplier"),
            _ => ("", ""),
        };
        if !field.is_empty() {
            draft.fault(field, format!("is missing, required with {other}"));
        }
        let single = |list: &Option<Vec<i32>>| list.as_ref().is_none_or(|list| list.len() == 1);
        let all_single = [&self.bias, &self.multiplier, &self.shift].into_iter().all(single);
        let outputs = if all_single { 1 } else { cols };
        let mut bias = self.bias.clone().unwrap_or_else(|| vec![0; outputs]);
        if bias.len() == 1 {
            bias = vec![bias[0]; outputs];
        }
        draft.check_length("bias", bias.len(), outputs, each);
        draft.layer.bias = bias;
        draft.layer.scales = vec![Scale::reciprocal(1); outputs];
        if let [Some(multipliers), Some(shifts)] = lists {
            let one = lists.into_iter().all(single);
            let expected = if one { 1 } else { outputs };
            draft.check_length("multiplier", multipliers.len(), expected, each);
            draft.check_length("shift", shifts.len(), expected, each);
            let scales = draft.scales(multipliers, shifts, "");
            draft.layer.scales = match (one, &scales[..]) {
                (true, &[scale]) => vec![scale; outputs],
                _ => scales,
            };
        }
    }
}

/// A product of matrices, one for each channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Matmul {
    /// The first, the second factor is taken transposed.
    pub transposed: [bool; 2],
}

impl Matmul {
    /// Terms of each sum, if the first factor has this shape.
    #[must_use]
    pub fn terms(self, first: Shape) -> u32 {
        sides(first, self.transposed[0]).1
    }
}

/// Rows and columns of a factor.
fn sides(shape: Shape, turned: bool) -> (u32, u32) {
    match turned {
        true => (shape.width, shape.height),
        false => (shape.height, shape.width),
    }
}

/// What a layer does.
pub(super) struct Op(pub Matmul);

impl Operator for Op {
    fn work(&self) -> Work {
        Work::Product(self.0)
    }

    // What is loaded as weights has no zero point.
    fn host_reason(&self, layer: &Layer, _inputs: &[Shape]) -> Option<&'static str> {
        match &layer.inputs[..] {
            [_, second] if second.zero_point != 0 && layer.bias.len() > 1 => {
                Some("columns have their own scales and the second factor a zero point")
            }
            [first, second] if first.zero_point != 0 && second.zero_point != 0 => {
                Some("both factors have a zero point")
            }
            _ => None,
        }
    }

    fn words(&self, _layer: &Layer) -> Vec<String> {
        let factors = ["first", "second"].into_iter().zip(self.0.transposed);
        let turned = factors.filter(|(_, turned)| *turned);
        turned
            .map(|(factor, _)| format!("{factor} factor transposed"))
            .collect()
    }

    fn weight_shape(&self, layer: &Layer) -> Vec<usize> {
        let (terms, columns) = (layer.taps(), layer.output.width as usize);
        match self.0.transposed[1] {
            true => vec![columns, terms],
            false => vec![terms, columns],
        }
    }

    fn run(&self, layer: &Layer, inputs: &[&Tensor]) -> Result<Vec<i8>, NetworkError> {
        let turned = |factor: usize, row, column| match self.0.transposed[factor] {
            true => [column, row],
            false => [row, column],
        };
        let difference = |factor: usize, channel, [y, x]: [u32; 2]| {
            let value = inputs[factor].get([channel, y, x]);
            i64::from(value) - i64::from(layer.inputs[factor].zero_point)
        };
        let stored = self.weight_shape(layer)[1];
        sums::of_places(layer, |[channel, row, column]| {
            let mut sum = i64::from(layer.bias[column as usize % layer.bias.len()]);
            for term in 0..self.0.terms(layer.input) {
                let [y, x] = turned(1, term, column);
                let second = match inputs.len() {
                    1 => i64::from(layer.weights[y as usize * stored + x as usize]),
                    _ => difference(1, channel, [y, x]),
                };
                sum += difference(0, channel, turned(0, row, term)) * second;
            }
            (sum, layer.scales[column as usize % layer.scales.len()])
        })
    }
}

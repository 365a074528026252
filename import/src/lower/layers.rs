//! The layer that one operator becomes.

use heddle_network::Shape;
use heddle_network::file::{KindFile, LayerFile, Need, PaddingFile};

use super::{Lowering, Value};
use crate::exact::Difference;
use crate::model::{Operator, Quantised, Tensor};
use crate::report::{Exact, Inexact};

/// Why an operator cannot run; nothing if it reads what cannot be made.
pub type Refused = Option<String>;

/// Why an operator cannot run that reads another zero than the network has.
pub const OTHER_ZERO: &str = "reads a mean with padding or in a sum";

/// A layer that an operator becomes.
pub struct Made {
    pub layer: LayerFile,
    /// As the report shows it.
    pub text: String,
    pub exact: Exact,
    pub plane: Shape,
    pub zero_point: i8,
}

/// What an operator becomes, or why it cannot run.
pub type Lowered = Result<Made, Refused>;

/// A tensor that an operator reads.
pub struct Source<'a> {
    pub value: &'a Value,
    pub quantised: Quantised,
    /// Its shape as the operator sees it.
    pub plane: Shape,
}

impl Source<'_> {
    /// Padding and sums know one zero alone, and behind a mean it is 0 in the network: [`Lowering::restore_zeros`] mends that.
    pub fn check_zero(&self) -> Result<(), String> {
        match self.quantised.zero_point == self.value.zero_point {
            true => Ok(()),
            false => Err(OTHER_ZERO.to_string()),
        }
    }
}

impl Lowering<'_> {
    /// The layer that makes a tensor.
    ///
    /// # Errors
    /// Why the operator cannot run.
    pub fn layer(&mut self, operator: &Operator, output: usize) -> Lowered {
        let model = self.model;
        let found = &model.tensors[output];
        if !operator.kind.runs() {
            return Err(Some("no layer does this".to_string()));
        }
        found.quantised()?;
        let made = operator.kind.lower(self, operator, output)?;
        // Dimensions of one place may be left out.
        let is_left_out = operator.kind.leaves_out();
        let is_vector = made.plane.elements() == made.plane.channels as usize;
        let fits = self.model.format.plane(&found.shape) == Some(made.plane)
            || (is_vector || is_left_out) && found.elements() == made.plane.elements();
        match fits {
            true => Ok(made),
            false => Err(Some(format!(
                "makes {}, the file says {:?}",
                shown(made.plane),
                found.shape
            ))),
        }
    }

    /// A tensor that is read, if the layer before it can run.
    pub fn source(&self, operator: &Operator, number: usize) -> Result<Source<'_>, Refused> {
        let index = operator.inputs.get(number).copied().flatten();
        let index = index.ok_or_else(|| format!("has no input {number}"))?;
        let tensor = &self.model.tensors[index];
        let name = tensor.name;
        if tensor.data.is_some() {
            return Err(Some(format!(
                "input {name:?} is a constant, expected a result"
            )));
        }
        let value = self.values.get(&index).ok_or(None)?;
        let plane = self.model.format.plane(&tensor.shape);
        let plane = plane.ok_or_else(|| {
            format!(
                "input {name:?} has shape {:?}, expected a batch of 1 and sides of at most 65536",
                tensor.shape
            )
        })?;
        Ok(Source {
            value,
            quantised: tensor.quantised()?,
            plane,
        })
    }

    /// The same, with the elements where the operator expects them, and zeros around them.
    pub fn plane_source(&self, operator: &Operator, number: usize) -> Result<Source<'_>, Refused> {
        let source = self.source(operator, number)?;
        match source.plane == padded(source.value.plane, source.value.padding) {
            true => Ok(source),
            false => Err(Some(format!(
                "reads {} in the shape {}: data would have to move, which a fully connected layer alone folds into its weights",
                shown(source.value.plane),
                shown(source.plane)
            ))),
        }
    }

    /// A tensor that an operator has, if it is not left out.
    pub fn operand(&self, operator: &Operator, number: usize) -> Option<&Tensor<'_>> {
        let index = operator.inputs.get(number).copied().flatten()?;
        Some(&self.model.tensors[index])
    }

    /// Bytes pass unchanged: what they stand for must too, and a view has as many of them.
    pub fn check_same(&self, operator: &Operator, output: usize) -> Result<(), String> {
        let input = operator.inputs.first().copied().flatten().unwrap_or(output);
        let [from, to] = [input, output].map(|tensor| self.model.tensors[tensor].quantised());
        match from? == to? {
            true => Ok(()),
            false => {
                Err("has another scale or zero point than its input, expected the same".to_string())
            }
        }
    }

    /// Whether a layer may differ as it does.
    pub fn accept(&self, difference: Difference, kind: Inexact) -> Result<(), String> {
        match difference.wrong == 0 || self.accepted.contains(&kind) {
            true => Ok(()),
            false => Err(format!(
                "no constants are exact ({}): --inexact {} takes them",
                difference.text(),
                kind.name()
            )),
        }
    }
}

/// A layer that reads these and makes bytes of this scale and zero point.
pub fn layer_of(
    sources: &[&Source<'_>],
    output: Quantised,
    kind: impl Into<KindFile>,
) -> LayerFile {
    let names = sources.iter().map(|source| source.value.name.clone());
    let kind = kind.into();
    let has_zero_point = kind.common().zero_point != Need::Foreign;
    LayerFile {
        output_zero_point: has_zero_point.then_some(output.zero_point),
        output_scale: Some(output.scale.into()),
        ..LayerFile::new(names.collect(), kind)
    }
}

/// A layer that passes values of such tensors on.
pub fn moving(sources: &[&Source<'_>], kind: impl Into<KindFile>) -> LayerFile {
    LayerFile {
        output_zero_point: None,
        ..layer_of(sources, sources[0].quantised, kind)
    }
}

/// An exact layer.
pub fn made(layer: LayerFile, text: &str, plane: Shape, output: Quantised) -> Made {
    Made {
        layer,
        text: text.to_string(),
        exact: Exact::Yes,
        plane,
        zero_point: output.zero_point,
    }
}

/// A plane with zeros around it.
pub fn padded(plane: Shape, padding: PaddingFile) -> Shape {
    Shape {
        height: plane.height + padding.top + padding.bottom,
        width: plane.width + padding.left + padding.right,
        ..plane
    }
}

/// Height, width and channels, as the file has them.
fn shown(plane: Shape) -> String {
    format!("{} x {} x {}", plane.height, plane.width, plane.channels)
}

//! Operators on two tensors, element by element: layers of the host, or a table or a convolution where one is a constant.

use heddle_arch::requantise::{Rounding, ScaledOutput};
use heddle_network::Shape;
use heddle_network::file::{ConstantFile, KindFile, LayerFile};

use super::Lowering;
use super::arithmetic::Arithmetic;
use super::layers::{Made, Refused, Source, made, one_scale, scaled};
use super::weighted::check_left_shift;
use crate::exact::host;
use crate::model::{Format, Operator, Quantised};

/// What an operator on two tensors reads.
enum Operand<'a> {
    Result(Source<'a>),
    Constant(Quantised, Shape, Vec<i8>),
}

impl Operand<'_> {
    fn quantised(&self) -> Quantised {
        match self {
            Operand::Result(source) => source.quantised,
            Operand::Constant(quantised, ..) => *quantised,
        }
    }

    fn plane(&self) -> Shape {
        match self {
            Operand::Result(source) => source.plane,
            Operand::Constant(_, plane, _) => *plane,
        }
    }
}

impl Lowering<'_> {
    fn pair_operand(&self, operator: &Operator, number: usize) -> Result<Operand<'_>, Refused> {
        let constant = self.operand(operator, number);
        let Some(tensor) = constant.filter(|tensor| tensor.data.is_some()) else {
            let source = self.plane_source(operator, number)?;
            source.check_zero()?;
            return Ok(Operand::Result(source));
        };
        let plane = match (self.model.format, &tensor.shape[..]) {
            (_, []) => Some(Shape::of([1; 3])),
            // A batch may be left out: sizes are compared from the last one on.
            (Format::Tflite, &[height, width, channels]) => {
                self.model.format.plane(&[1, height, width, channels])
            }
            (format, shape) => format.plane(shape),
        };
        match (plane, tensor.int8()) {
            (Some(plane), Some(values)) => Ok(Operand::Constant(
                tensor.quantised()?,
                plane,
                ordered(self.model.format, plane, &values),
            )),
            _ => Err(Some(format!(
                "constant {:?} is {} of shape {:?}, expected int8 and a batch of 1",
                tensor.name,
                tensor.element.name(),
                tensor.shape
            ))),
        }
    }

    /// A sum, a difference, a product or a squared difference with sides of 1, or with a constant.
    pub(super) fn pair(&self, operator: &Operator, output: Quantised) -> Result<Made, Refused> {
        let operands = [
            self.pair_operand(operator, 0)?,
            self.pair_operand(operator, 1)?,
        ];
        let planes = operands.each_ref().map(Operand::plane);
        let plane = planes[0].broadcast(planes[1]);
        let plane = plane.ok_or_else(|| {
            "reads tensors whose shapes do not fit, expected equal sides or sides of 1".to_string()
        })?;
        let arithmetic = Arithmetic::of(
            operator,
            operands.each_ref().map(Operand::quantised),
            output,
            self.model.format.rounding(),
        )?;
        let (source, constant) = match &operands {
            [Operand::Constant(..), Operand::Constant(..)] => {
                return Err(Some("reads two constants, expected a result".to_string()));
            }
            [
                Operand::Result(source),
                Operand::Constant(held, shape, values),
            ] => (source, Some((1, held, shape, values))),
            [
                Operand::Constant(held, shape, values),
                Operand::Result(source),
            ] => (source, Some((0, held, shape, values))),
            [Operand::Result(first), Operand::Result(second)] => {
                let layer = arithmetic.layer(&[first, second], output);
                return Ok(Made {
                    exact: arithmetic.exact(None)?,
                    ..made(layer, arithmetic.name(), plane, output)
                });
            }
        };
        let (place, held, shape, values) = constant.expect("one of them is");
        let exact = arithmetic.exact(Some((place, values)))?;
        if let &[value] = &values[..] {
            let table = arithmetic.table(place, value);
            return Ok(Made {
                exact,
                ..self.table_layer(source, table, output)
            });
        }
        let factors = values
            .iter()
            .map(|&value| i16::from(value) - i16::from(held.zero_point));
        let factors: Option<Vec<i8>> = factors.map(|factor| i8::try_from(factor).ok()).collect();
        let is_vector = *shape
            == Shape {
                channels: plane.channels,
                ..Shape::of([1; 3])
            }
            && source.plane == plane;
        if let (Arithmetic::Product(_, scaled, rounding), Some(weights), true) =
            (&arithmetic, factors, is_vector)
        {
            let scales = vec![scaled.scale; weights.len()];
            if check_left_shift(&scales, &vec![0; weights.len()], &weights).is_ok() {
                return Ok(depthwise(source, weights, (*scaled, *rounding), output));
            }
        }
        let layer = LayerFile {
            constant: Some(ConstantFile {
                shape: shape.sides(),
                zero_point: held.zero_point,
                first: place == 0,
                values: values.clone(),
            }),
            ..arithmetic.layer(&[source], output)
        };
        Ok(Made {
            exact,
            ..made(layer, arithmetic.name(), plane, output)
        })
    }

    /// Values below zero times slopes that a constant has.
    pub(super) fn prelu(&self, operator: &Operator, output: Quantised) -> Result<Made, Refused> {
        let operands = [
            self.pair_operand(operator, 0)?,
            self.pair_operand(operator, 1)?,
        ];
        let [
            Operand::Result(source),
            Operand::Constant(slopes, shape, values),
        ] = operands
        else {
            return Err(Some("has slopes that are no constant".to_string()));
        };
        let plane = source
            .plane
            .broadcast(shape)
            .filter(|&plane| plane == source.plane);
        let plane = plane.ok_or_else(|| "has slopes whose shape does not fit".to_string())?;
        let inputs = [source.quantised, slopes];
        let outputs = host::prelu(inputs, output)?;
        let exact = host::prelu_exact(inputs, &values, &outputs)?;
        let scales = outputs.map(|output| output.scale);
        let layer = LayerFile {
            kind: KindFile::Prelu,
            constant: Some(ConstantFile {
                shape: shape.sides(),
                zero_point: slopes.zero_point,
                first: false,
                values,
            }),
            multiplier: Some(scales.iter().map(|scale| scale.multiplier()).collect()),
            shift: Some(scales.iter().map(|scale| scale.shift()).collect()),
            activation_min: Some(i8::MIN),
            activation_max: Some(i8::MAX),
            ..one_scale(&[&source], scales[0], output)
        };
        Ok(Made {
            exact,
            ..made(layer, "prelu", plane, output)
        })
    }

    fn table_layer(&self, source: &Source<'_>, table: [i8; 256], output: Quantised) -> Made {
        let layer = LayerFile {
            kind: KindFile::Table,
            inputs: Some(vec![source.value.name.clone()]),
            table: Some(table.to_vec()),
            output_zero_point: Some(output.zero_point),
            output_scale: Some(output.scale.into()),
            ..LayerFile::default()
        };
        made(layer, "table", source.plane, output)
    }
}

/// A product with a constant for each channel, which is the same arithmetic.
fn depthwise(
    source: &Source<'_>,
    weights: Vec<i8>,
    (product, rounding): (ScaledOutput, Rounding),
    output: Quantised,
) -> Made {
    let channels = source.plane.channels;
    let scales = vec![product.scale; channels as usize];
    let layer = LayerFile {
        kind: KindFile::Conv2d,
        output_channels: Some(channels),
        groups: Some(channels),
        kernel: Some([1, 1]),
        weights: Some(weights),
        bias: Some(vec![0; channels as usize]),
        ..LayerFile::default()
    };
    let bounds = (product.min, product.max);
    let layer = scaled(layer, &[source], &scales, rounding, output, bounds);
    made(layer, "conv2d 1x1, depthwise", source.plane, output)
}

/// The elements of a constant in the order of a network.
fn ordered(format: Format, plane: Shape, values: &[i8]) -> Vec<i8> {
    let channels = format.interleaved(plane);
    match channels {
        1 => values.to_vec(),
        _ => crate::planes(values, channels, values.len() / channels),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_lie_in_planes() {
        let plane = Shape::of([2, 1, 3]);
        let values = [0, 1, 2, 3, 4, 5];
        assert_eq!(ordered(Format::Tflite, plane, &values), [0, 2, 4, 1, 3, 5]);
        assert_eq!(ordered(Format::Onnx, plane, &values), values);
    }
}

//! Operators on two tensors, element by element: layers of the host, or a table or a convolution where one is a constant.

use heddle_network::Shape;
use heddle_network::file::{
    ConstantFile, KindFile, LayerFile, MaximumFile, PreluFile, ScaledFile, WeightedSumFile,
};

use super::bytes::table_layer;
use super::weighted::check_left_shift;
use super::{HELD, Kind, activation};
use crate::exact::{Sum, host};
use crate::lower::Lowering;
use crate::lower::layers::{Lowered, Made, Refused, Source, layer_of, made};
use crate::lower::windows::Windows;
use crate::model::{Format, Operator, Quantised};
use crate::onnx::layers::{Terms, plain};
use crate::onnx::reader::{Reader, Value};
use crate::onnx::schema::Node;
use crate::report::{Exact, Inexact};
use crate::scale::bounds;
use crate::tflite::schema;

const BROADCAST: &str = "sides that are equal or 1; one of the two may be a constant";
const COMPARED: &str = "same arithmetic; the compiler compares all 65,536 pairs. --inexact add makes a weighted_sum, for machines without post.dual_scale";

rows! {
    tflite &["ADD"] => tflite,
    onnx &["Add", "QLinearAdd"] => sum,
    as "add; with one byte a table", COMPARED, "sides that are equal or 1; one of the two may be a constant. The host adds where shapes differ";

    tflite &["SUB"] => tflite,
    onnx &["Sub"] => sum,
    as "add; with one byte a table", COMPARED, "sides that are equal or 1; one of the two may be a constant. The host adds where shapes differ";

    tflite &["MUL"] => tflite,
    onnx &["Mul", "QLinearMul"] => onnx,
    as "mul, by the host; with one byte a table, with a byte for each channel conv2d where that is the same", HELD, BROADCAST;

    tflite &["MAXIMUM", "MINIMUM"] => |_, name| {
        Some((if name == "MAXIMUM" { Kind::Maximum } else { Kind::Minimum }, None))
    },
    as "maximum, by the host; with one byte a table", "same bytes", "one scale and zero point; sides that are equal or 1; one of the two may be a constant";

    tflite &["PRELU"] => |_, _| Some((Kind::Prelu, None)),
    as "prelu, by the host; with one slope a table", HELD, "constant slopes";

    tflite &["SQUARED_DIFFERENCE"] => |_, _| Some((Kind::SquaredDifference, None)),
    as "squared_difference, by the host", "same arithmetic", BROADCAST;
}

fn kind(name: &str) -> Kind {
    match &name.to_lowercase()[..] {
        "add" => Kind::Add,
        "sub" => Kind::Sub,
        _ => Kind::Mul,
    }
}

fn tflite(operator: schema::Operator<'_>, name: &str) -> Option<(Kind, Option<i8>)> {
    Some((kind(name), activation(operator)))
}

fn sum<'a>(reader: &mut Reader<'a>, node: &'a Node) -> Result<Value<'a>, String> {
    match reader.biased(node)? {
        Some(value) => Ok(value),
        None => onnx(reader, node),
    }
}

fn onnx<'a>(reader: &mut Reader<'a>, node: &'a Node) -> Result<Value<'a>, String> {
    let mut terms = Terms::two(|reader, node, _, operands| {
        let shape = reader.broadcast(&mut operands.tensors)?;
        Ok((kind(plain(&node.operator)), shape))
    });
    terms.results = 2;
    reader.layer(node, &terms)
}

pub fn lower(lowering: &mut Lowering<'_>, operator: &Operator, output: usize) -> Lowered {
    let output = lowering.model.tensors[output].quantised()?;
    match operator.kind {
        Kind::Add | Kind::Sub => lowering.sum(operator, output),
        Kind::Prelu => lowering.prelu(operator, output),
        _ => lowering.pair(operator, output),
    }
}

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
    /// A sum or a difference of both: that of the reference kernel, unless a weighted sum is asked for.
    fn sum(&self, operator: &Operator, output: Quantised) -> Lowered {
        if !self.accepted.contains(&Inexact::Add) {
            return self.pair(operator, output);
        }
        let is_constant = |number| {
            let tensor = self.operand(operator, number);
            tensor.is_some_and(|tensor| tensor.data.is_some())
        };
        if is_constant(0) || is_constant(1) {
            return self.pair(operator, output);
        }
        let [first, second] = [
            self.plane_source(operator, 0)?,
            self.plane_source(operator, 1)?,
        ];
        if first.plane != second.plane {
            return self.pair(operator, output);
        }
        first.check_zero()?;
        second.check_zero()?;
        let sum = Sum {
            inputs: [first.quantised, second.quantised],
            subtracts: matches!(operator.kind, Kind::Sub),
            output,
            bounds: bounds(operator.activation, output)?,
        };
        weighted([&first, &second], &sum)
    }

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
    fn pair(&self, operator: &Operator, output: Quantised) -> Lowered {
        let operands = [
            self.pair_operand(operator, 0)?,
            self.pair_operand(operator, 1)?,
        ];
        let planes = operands.each_ref().map(Operand::plane);
        let plane = planes[0].broadcast(planes[1]);
        let plane = plane.ok_or_else(|| {
            "reads tensors whose shapes do not fit, expected equal sides or sides of 1".to_string()
        })?;
        let quantised = operands.each_ref().map(Operand::quantised);
        let kind = |constant| self.pair_kind(operator, quantised, output, constant);
        // Sums are scaled by less than 1, and the scaled sum of an .onnx file leaves no bits out.
        let wraps = matches!(operator.kind, Kind::Mul) && self.model.format == Format::Tflite;
        let exact = |constant| match wraps {
            true => host::product_exact(quantised, constant, output, operator.activation),
            false => Ok(Exact::Yes),
        };
        let (source, place, held, shape, values) = match &operands {
            [Operand::Constant(..), Operand::Constant(..)] => {
                return Err(Some("reads two constants, expected a result".to_string()));
            }
            [
                Operand::Result(source),
                Operand::Constant(held, shape, values),
            ] => (source, 1, held, shape, values),
            [
                Operand::Constant(held, shape, values),
                Operand::Result(source),
            ] => (source, 0, held, shape, values),
            [Operand::Result(first), Operand::Result(second)] => {
                let layer = layer_of(&[first, second], output, kind(None)?);
                return Ok(Made {
                    exact: exact(None)?,
                    ..named(layer, plane, output)
                });
            }
        };
        let constant = ConstantFile {
            shape: shape.sides(),
            zero_point: held.zero_point,
            first: place == 0,
            values: values.clone(),
        };
        let layer = layer_of(&[source], output, kind(Some(constant))?);
        let exact = exact(Some((place, values)))?;
        if values.len() == 1 {
            let bytes = (i8::MIN..=i8::MAX).collect();
            let table = crate::exact::made(layer, &[(source.value.zero_point, bytes)])?;
            return Ok(Made {
                exact,
                ..table_layer(source, table, output)
            });
        }
        let factors = values
            .iter()
            .map(|&value| i16::from(value) - i16::from(held.zero_point));
        let factors: Option<Vec<i8>> = factors.map(|factor| i8::try_from(factor).ok()).collect();
        let is_vector = *shape == Shape::of([plane.channels, 1, 1]) && source.plane == plane;
        if let (Kind::Mul, Some(weights), true) = (&operator.kind, factors, is_vector) {
            let rounding = self.model.format.rounding();
            let scale = host::product_scale(quantised, output, rounding)?;
            let channels = weights.len();
            let scales = vec![scale; channels];
            if check_left_shift(&scales, &vec![0; channels], &weights).is_ok() {
                // A product with a constant for each channel is the same arithmetic.
                let scaled = ScaledFile::new(&scales, bounds(operator.activation, output)?);
                let windows = Windows::plain([1, 1], source.plane);
                let kind = windows.depthwise(weights, vec![0; channels], scaled, rounding);
                let layer = layer_of(&[source], output, kind);
                return Ok(made(layer, "conv2d 1x1, depthwise", source.plane, output));
            }
        }
        Ok(Made {
            exact,
            ..named(layer, plane, output)
        })
    }

    /// The kind of a layer on two tensors, one of which may be a constant.
    fn pair_kind(
        &self,
        operator: &Operator,
        inputs: [Quantised; 2],
        output: Quantised,
        constant: Option<ConstantFile>,
    ) -> Result<KindFile, String> {
        let bounds = bounds(operator.activation, output)?;
        let rounding = self.model.format.rounding();
        match operator.kind {
            Kind::Mul => host::product(inputs, output, bounds, rounding, constant),
            Kind::SquaredDifference => host::squared_difference(inputs, output, constant),
            Kind::Maximum | Kind::Minimum => {
                if inputs != [output; 2] {
                    return Err(
                        "has tensors of several scales or zero points, expected one".to_string()
                    );
                }
                let smaller = matches!(operator.kind, Kind::Minimum);
                Ok(MaximumFile { smaller, constant }.into())
            }
            _ => host::sum(
                inputs,
                output,
                bounds,
                matches!(operator.kind, Kind::Sub),
                constant,
            ),
        }
    }

    /// Values below zero times slopes that a constant has.
    fn prelu(&self, operator: &Operator, output: Quantised) -> Lowered {
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
        let (scaled, exact) = host::prelu(inputs, &values, output)?;
        let kind = PreluFile {
            constant: ConstantFile {
                shape: shape.sides(),
                zero_point: slopes.zero_point,
                first: false,
                values,
            },
            scaled,
        };
        Ok(Made {
            exact,
            ..named(layer_of(&[&source], output, kind), plane, output)
        })
    }
}

/// A sum of both, each times a factor of 8 bits.
fn weighted(sources: [&Source<'_>; 2], sum: &Sum) -> Lowered {
    let (found, difference) = sum.weighted()?;
    let factors = found.factors;
    let plane = sources[0].plane;
    let scales = vec![found.scale; plane.channels as usize];
    let kind = WeightedSumFile {
        factors: factors.to_vec(),
        scaled: ScaledFile::new(&scales, sum.bounds),
        rounding: found.rounding,
    };
    Ok(Made {
        layer: layer_of(&sources, sum.output, kind),
        text: format!("weighted_sum, factors {} and {}", factors[0], factors[1]),
        exact: Exact::Compared(difference),
        plane,
        zero_point: sum.output.zero_point,
    })
}

/// A layer that the report calls by its kind.
fn named(layer: LayerFile, plane: Shape, output: Quantised) -> Made {
    let name = layer.kind.name();
    made(layer, name, plane, output)
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

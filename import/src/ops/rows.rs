//! Operators of rows: a softmax, and places of the largest.

use heddle_network::file::{ArgMaxFile, LayerFile, SoftmaxFile};
use heddle_network::{Axis, PLACE_BYTES, Shape};

use super::Kind;
use crate::exact::host;
use crate::lower::Lowering;
use crate::lower::layers::{Lowered, Made, layer_of, made};
use crate::model::{Activation, Operator};
use crate::report::Exact;
use crate::tflite::schema;

rows! {
    tflite &["ARG_MAX"] => |_, _| Some((Kind::ArgMax, None)),
    onnx &["ArgMax"] => |reader, node| reader.places(node),
    as "arg_max, by the host", "same arithmetic",
    "over any dimension but the batch, the first of several; an output of the network, which no layer reads. Of what is not run it is not run either";

    tflite &["SOFTMAX"] => |operator, _| {
        let options = operator.options::<schema::Factor<'_>>();
        let beta = options.and_then(|options| options.factor());
        Some((Kind::Softmax(beta.unwrap_or(0.0)), None))
    },
    onnx &["Softmax", "QLinearSoftmax"] => |reader, node| reader.hosted(node),
    as "softmax, by the host", "same arithmetic",
    "over the last dimension; output of scale 1/256 and zero point -128, or 0 of uint8; else at the end of the network, where it is not run. Of other dimensions or scales between float32 and QuantizeLinear it is float32, by the host";
}

pub fn lower(lowering: &mut Lowering<'_>, operator: &Operator, output: usize) -> Lowered {
    match operator.kind {
        Kind::ArgMax => lowering.arg_max(operator, output),
        _ => lowering.softmax(operator, output).ok_or(None),
    }
}

impl Lowering<'_> {
    /// A softmax over the last dimension with the output that the reference kernel asks for; none if it cannot be a layer.
    pub fn softmax(&self, operator: &Operator, output: usize) -> Option<Made> {
        let Kind::Softmax(beta) = operator.kind else {
            return None;
        };
        let output = self.model.tensors[output].quantised().ok()?;
        let is_share = output.scale == 1.0 / 256.0 && output.zero_point == i8::MIN;
        let source = self.plane_source(operator, 0).ok()?;
        let scale = host::softmax(source.quantised, beta).ok()?;
        // The last dimension of the file.
        let dimension = *self.dimensions(operator, 0).ok()?.last()?;
        let axis = Axis::ALL[dimension?];
        (is_share && operator.activation == Activation::None).then(|| {
            let kind = SoftmaxFile {
                axis,
                multiplier: vec![scale.multiplier()],
                shift: vec![scale.shift()],
            };
            let layer = LayerFile {
                output_zero_point: None,
                ..layer_of(&[&source], output, kind)
            };
            made(layer, "softmax", source.plane, output)
        })
    }

    /// The place of the largest in each row of a dimension.
    fn arg_max(&self, operator: &Operator, output: usize) -> Lowered {
        let source = self.plane_source(operator, 0)?;
        let dimensions = self.dimensions(operator, 0)?;
        let &[axis] = &self.integers(operator, 1)?[..] else {
            return Err(Some("has several axes, expected one".to_string()));
        };
        let dimension = self.dimension(&dimensions, axis)?;
        let dimension = dimension.ok_or_else(|| {
            let read: Vec<usize> = operator.inputs.iter().flatten().copied().collect();
            let way_out = self.way_out(&read);
            format!("has axis {axis}, which is the batch, expected another dimension{way_out}")
        })?;
        let mut sides = source.plane.sides();
        sides[dimension] = 1;
        let rows = Shape::of(sides).elements();
        let found = &self.model.tensors[output];
        if found.elements() != rows {
            return Err(Some(format!(
                "makes {rows} places, the file says {:?}",
                found.shape
            )));
        }
        sides[dimension] = PLACE_BYTES;
        Ok(Made {
            layer: LayerFile::new(
                vec![source.value.name.clone()],
                ArgMaxFile {
                    axis: Axis::ALL[dimension],
                },
            ),
            text: "arg_max".to_string(),
            exact: Exact::Yes,
            plane: Shape::of(sides),
            zero_point: 0,
        })
    }
}

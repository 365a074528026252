//! Largest value over dimensions.

use heddle_network::file::{LayerFile, MaxPool2dFile, ReduceMaxFile};

use super::Kind;
use crate::lower::Lowering;
use crate::lower::layers::{Made, Refused, made, moving};
use crate::lower::windows::Windows;
use crate::model::Operator;
use crate::onnx::reader::Value;

/// Most places that a machine collects.
const PLACES_MAX: u32 = 256;

rows! {
    tflite &["REDUCE_MAX"] => |_, _| Some((Kind::ReduceMax, None)),
    onnx &["GlobalMaxPool", "ReduceMax"] => |reader, node| {
        let is_float = matches!(reader.input(node, 0)?, Value::Dequantised(_));
        let index = reader.activation(node, 0)?;
        let shape = reader.tensors[index].shape.clone();
        let (axes, keeps) = match &node.operator[..] {
            "GlobalMaxPool" => ((2..shape.len()).collect(), true),
            _ => (
                reader.axes(node, shape.len())?,
                node.int("keepdims", 1) != 0,
            ),
        };
        let left = (0..shape.len()).filter(|axis| keeps || !axes.contains(axis));
        let left = left.map(|axis| if axes.contains(&axis) { 1 } else { shape[axis] });
        let left = left.collect();
        let axes: Vec<u32> = axes.iter().map(|&axis| axis as u32).collect();
        let inputs = vec![index, reader.numbers(&axes)];
        Ok(reader.pass(
            node,
            &node.outputs[0],
            Kind::ReduceMax,
            inputs,
            left,
            is_float,
        ))
    },
    as "max_pool2d over height and width, rows first above 256 places; else reduce_max, by the host", "same bytes",
    "any dimensions but the batch; scale and zero point pass unchanged";
}

/// A window of the whole plane, or of its rows and then of the column that is left.
pub fn lower(
    lowering: &mut Lowering<'_>,
    operator: &Operator,
    output: usize,
) -> Result<Made, Refused> {
    let source = lowering.plane_source(operator, 0)?;
    lowering.check_same(operator, output)?;
    let (over, axes, plane) = lowering.over(operator, source.plane)?;
    let (quantised, zero_point) = (source.quantised, source.value.zero_point);
    let passed = |layer, text: &str| Made {
        zero_point,
        ..made(layer, text, plane, quantised)
    };
    let sides = source.plane.sides();
    let [height, width] = [1, 2].map(|i| if over[i] { sides[i] } else { 1 });
    // A machine collects windows for up to 8 outputs of a row.
    let fits = |places| places * plane.width.min(8) <= PLACES_MAX;
    if over[0] || !fits(height) || !fits(width) {
        let layer = moving(&[&source], ReduceMaxFile { axes });
        return Ok(passed(layer, "reduce_max"));
    }
    let pool = |input, kernel| {
        let window = Windows::plain(kernel, plane).file();
        LayerFile::new(vec![input], MaxPool2dFile { window })
    };
    let input = source.value.name.clone();
    let text = format!("max_pool2d {height}x{width}");
    if fits(height * width) {
        return Ok(passed(pool(input, [height, width]), &text));
    }
    let rows = lowering.push(output, "rows", pool(input, [1, width]));
    let text = format!("{text}, rows first");
    Ok(passed(pool(rows, [height, 1]), &text))
}

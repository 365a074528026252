//! Largest value over dimensions.

use heddle_network::file::{LayerFile, MaxPool2dFile, ReduceMaxFile};

use super::Kind;
use crate::lower::Lowering;
use crate::lower::layers::{Made, Refused, made, moving};
use crate::lower::windows::Windows;
use crate::model::Operator;
use crate::onnx::reader::Value;

/// Most places of a window of the machine.
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
    as "max_pool2d over height and width, columns first above 256 places; else reduce_max, by the host", "same bytes",
    "any dimensions but the batch; scale and zero point pass unchanged";
}

/// Windows of the whole plane, or of its columns and then of the row that is left.
pub fn lower(
    lowering: &mut Lowering<'_>,
    operator: &Operator,
    output: usize,
) -> Result<Made, Refused> {
    let source = lowering.plane_source(operator, 0)?;
    lowering.check_same(operator, output)?;
    let (over, axes, plane) = lowering.over(operator, source.plane)?;
    let sides = source.plane.sides();
    let (quantised, zero_point) = (source.quantised, source.value.zero_point);
    let passed = |layer, text: String| Made {
        zero_point,
        ..made(layer, &text, plane, quantised)
    };
    let [height, width] = [1, 2].map(|i| if over[i] { sides[i] } else { 1 });
    if over[0] || height.max(width) > PLACES_MAX {
        let layer = moving(&[&source], ReduceMaxFile { axes });
        return Ok(passed(layer, "reduce_max".to_string()));
    }
    let pool = |input, kernel| {
        let window = Windows::plain(kernel, plane).file();
        LayerFile::new(vec![input], MaxPool2dFile { window })
    };
    let (input, text) = (
        source.value.name.clone(),
        format!("max_pool2d {height}x{width}"),
    );
    if height * width <= PLACES_MAX {
        return Ok(passed(pool(input, [height, width]), text));
    }
    let columns = lowering.push(output, "columns", pool(input, [height, 1]));
    Ok(passed(
        pool(columns, [1, width]),
        format!("{text}, columns first"),
    ))
}

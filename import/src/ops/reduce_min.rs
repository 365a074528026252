//! Smallest value over dimensions: the largest of bytes whose order is turned.

use heddle_network::file::{LayerFile, TableFile};

use super::reduce_max;
use super::{Kind, bytes::table_layer};
use crate::lower::layers::{Lowered, Made};
use crate::lower::{Lowering, Value};
use crate::model::{Operator, Quantised};

rows! {
    tflite &["REDUCE_MIN"] => |_, _| Some((Kind::ReduceMin, None)),
    onnx &["ReduceMin"] => |reader, node| reader.reduced(node, Kind::ReduceMin),
    as "as REDUCE_MAX, between two tables", "same bytes",
    "any dimensions but the batch; scale and zero point pass unchanged";
}

/// For -128 to 127 the bytes from 127 to -128.
fn turned() -> Vec<i8> {
    (i8::MIN..=i8::MAX).rev().collect()
}

/// A table in front of the maximum, and one behind it.
pub fn lower(lowering: &mut Lowering<'_>, operator: &Operator, output: usize) -> Lowered {
    let source = lowering.plane_source(operator, 0)?;
    let (own, quantised) = (source.value.clone(), source.quantised);
    let zero_point = !own.zero_point;
    let table = table_layer(
        &source,
        turned(),
        Quantised {
            zero_point,
            ..quantised
        },
    );
    let input = operator.inputs[0].ok_or(None)?;
    let name = lowering.push(output, "turned", table.layer);
    let seen = Value {
        name,
        zero_point,
        ..own.clone()
    };
    lowering.values.insert(input, seen);
    let largest = reduce_max::lower(lowering, operator, output);
    lowering.values.insert(input, own.clone());
    let largest = largest?;
    let name = lowering.push(output, "largest", largest.layer);
    let layer = LayerFile {
        table: Some(turned()),
        output_zero_point: Some(own.zero_point),
        output_scale: Some(quantised.scale.into()),
        ..LayerFile::new(vec![name], TableFile {})
    };
    Ok(Made {
        layer,
        text: format!("{} between tables", largest.text),
        zero_point: own.zero_point,
        ..largest
    })
}

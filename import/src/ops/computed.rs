//! Operators whose results are known before the network runs.

use crate::onnx::computed::refusal;

rows! {
    tflite &["CAST", "FILL", "RANGE", "REDUCE_PROD", "SHAPE"] => |_, _| None,
    onnx &["ConstantOfShape", "Equal", "Range", "ReduceProd", "Shape", "Where"] => |_, node| Err(refusal(node)),
    as "no layer: computed at import", "same numbers",
    "sizes of a tensor, or constants of int8, uint8, int32, int64, float32 and bool; so are sums, products, parts, joins and views of these";

    onnx &["Cast"] => |reader, node| reader.cast(node),
    as "no layer: computed at import", "same numbers", "constants, or anything to the type that it has";
}

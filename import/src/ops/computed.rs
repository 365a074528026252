//! Operators whose results are known before the network runs.

use crate::onnx::computed::refusal;

rows! {
    tflite &["CAST", "FILL", "GATHER", "PACK", "SHAPE", "TILE"] => |_, _| None,
    onnx &["Cast", "ConstantOfShape", "Gather", "Shape", "Tile"] => |_, node| Err(refusal(node)),
    as "no layer: computed at import", "same numbers",
    "sizes of a tensor, or constants of int32 and int64; so are sums, products, parts, joins and views of these";
}

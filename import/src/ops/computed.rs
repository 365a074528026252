//! Operators whose results are known before the network runs.

use super::Support;
use crate::onnx::computed::refusal;

pub const ROWS: &[Support] = &[Support {
    tflite: &["CAST", "FILL", "GATHER", "PACK", "SHAPE", "TILE"],
    onnx: &["Cast", "ConstantOfShape", "Gather", "Shape", "Tile"],
    of_onnx: |_, node| Err(refusal(node)),
    runs_as: "no layer: computed at import",
    exact: "same numbers",
    expects: "sizes of a tensor, or constants of int32 and int64; so are sums, products, parts, joins and views of these",
    ..Support::NONE
}];

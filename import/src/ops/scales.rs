//! Operators between bytes and numbers, and bounds.

use super::{Kind, Support};

pub const ROWS: &[Support] = &[
    Support {
        tflite: &["DEQUANTIZE"],
        of_tflite: |_, _| Some((Kind::Host, None)),
        onnx: &["DequantizeLinear"],
        of_onnx: |reader, node| reader.dequantised(node),
        runs_as: "host",
        exact: "not run",
        expects: "at the end of the network; in .onnx files also the scale of what an operator reads",
    },
    Support {
        tflite: &["QUANTIZE"],
        of_tflite: |_, _| Some((Kind::Host, None)),
        onnx: &["QuantizeLinear"],
        of_onnx: |reader, node| reader.quantised(node),
        runs_as: "host",
        exact: "not run",
        expects: "float input at the beginning, or at the end of the network; from int8 to int8 a table; in .onnx files also the scale of what an operator makes",
    },
    Support {
        onnx: &["Relu", "Clip"],
        of_onnx: |reader, node| reader.clipped(node),
        runs_as: "no layer: bounds of the operator before; else conv2d of one weight",
        exact: "same bytes",
        expects: "constant bounds",
        ..Support::NONE
    },
];

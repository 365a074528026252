//! Operators between bytes and numbers, and bounds.

use super::Kind;

rows! {
    tflite &["DEQUANTIZE"] => |_, _| Some((Kind::Host, None)),
    onnx &["DequantizeLinear"] => |reader, node| reader.dequantised(node),
    as "host", "not run", "at the end of the network; in .onnx files also the scale of what an operator reads";

    tflite &["QUANTIZE"] => |_, _| Some((Kind::Host, None)),
    onnx &["QuantizeLinear"] => |reader, node| reader.quantised(node),
    as "host", "not run",
    "float input at the beginning, or at the end of the network; from int8 to int8 a table; in .onnx files also the scale of what an operator makes";

    onnx &["Relu", "Clip"] => |reader, node| reader.clipped(node),
    as "no layer: bounds of the operator before; else conv2d of one weight", "same bytes", "constant bounds";
}

//! Operators between bytes and numbers, and bounds.

use super::Kind;

rows! {
    tflite &["DEQUANTIZE"] => |_, _| Some((Kind::Dequantize, None)),
    onnx &["DequantizeLinear"] => |reader, node| reader.dequantised(node),
    as "an end, by the host", "same arithmetic",
    "int8 to an output of float32, or with other operators behind the network, where it is not run; in .onnx files also the scale of what an operator reads";

    tflite &["QUANTIZE"] => |_, _| Some((Kind::Quantize, None)),
    onnx &["QuantizeLinear"] => |reader, node| reader.quantised(node),
    as "an end, by the host", "same arithmetic",
    "float32 input at the beginning; from int8 to int8 a table; to or from another type not run; in .onnx files also the scale of what an operator makes";

    onnx &["Relu", "Clip"] => |reader, node| reader.clipped(node),
    as "no layer: bounds of the operator before; else conv2d of one weight", "same bytes", "constant bounds";
}

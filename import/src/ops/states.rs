//! Operators that keep values from one image to the next.

use super::Kind;

rows! {
    tflite &["ASSIGN_VARIABLE", "CALL_ONCE", "READ_VARIABLE", "VAR_HANDLE"] => |_, _| Some((Kind::State, None)),
    as "no layer: an input and an output of the network that are one tensor, kept from one image to the next", "same bytes",
    "int8 of one shape, scale and zero point; a CALL_ONCE whose graph assigns constants at first";
}

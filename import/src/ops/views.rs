//! Operators that leave elements as they are: other shapes, and constants.

use std::rc::Rc;

use super::Kind;
use crate::onnx::reader::{Value, constant};

rows! {
    tflite &["RESHAPE", "SQUEEZE", "EXPAND_DIMS"] => |_, _| Some((Kind::Reshape, None)),
    onnx &["Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity", "Dropout"] => |reader, node| reader.view(node),
    as "no layer where its readers can see the elements in another shape; else reshape, by the host", "same bytes", "as many elements";

    onnx &["Constant"] => |_, node| constant(node).map(|found| Value::Constant(Rc::new(found))),
    as "no layer: read by others", "same bytes", "a tensor or numbers";
}

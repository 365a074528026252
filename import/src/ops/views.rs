//! Operators that leave elements as they are: other shapes, and constants.

use std::rc::Rc;

use super::{Kind, Support};
use crate::onnx::reader::{Value, constant};

pub const ROWS: &[Support] = &[
    Support {
        tflite: &["RESHAPE", "SQUEEZE", "EXPAND_DIMS"],
        of_tflite: |_, _| Some((Kind::Reshape, None)),
        onnx: &[
            "Reshape",
            "Flatten",
            "Squeeze",
            "Unsqueeze",
            "Identity",
            "Dropout",
        ],
        of_onnx: |reader, node| reader.view(node),
        runs_as: "no layer where its readers can see the elements in another shape; else reshape, by the host",
        exact: "same bytes",
        expects: "as many elements",
    },
    Support {
        onnx: &["Constant"],
        of_onnx: |_, node| constant(node).map(|found| Value::Constant(Rc::new(found))),
        runs_as: "no layer: read by others",
        exact: "same bytes",
        expects: "a tensor or numbers",
        ..Support::NONE
    },
];

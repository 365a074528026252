//! Faulty layers that the host runs: every message names the field, its value and what is allowed.

use serde_json::json;

use crate::bad_matrices::{refused, refused_layers};

const SCALED: &str = r#""shift": [0], "output_zero_point": 0, "activation_min": -128, "activation_max": 127,
    "output_scale": 1.0"#;

/// The same with what all scaled layers have in place of SCALED.
#[track_caller]
fn refused_scaled(rows: &[&str]) {
    for row in rows {
        refused(&[&row.replace("SCALED", SCALED)]);
    }
}

#[test]
fn pairs_whose_shapes_do_not_fit_are_refused() {
    refused_scaled(&[
        r#"mul {"inputs": ["input"], "multiplier": [1073741824], SCALED} -> layers[0].inputs has length 1, expected 2 for mul"#,
        r#"mul {"inputs": ["input", "input"], "multiplier": [1073741824, 1073741824], SCALED} -> layers[0].multiplier has length 2, expected 1: one for all outputs"#,
        r#"mul {"inputs": ["input", "input"], "multiplier": [1073741824], SCALED, "constant": {"shape": [2, 1, 1], "zero_point": 0, "values": [1, 2]}} -> layers[0].inputs has length 2, expected 1 for mul with a constant"#,
        r#"mul {"inputs": ["input"], "multiplier": [1073741824], SCALED, "constant": {"shape": [3, 1, 1], "zero_point": 0, "values": [1, 2, 3]}} -> layers[0].constant.shape has 3 channels of 1 x 1, expected 2 channels of 3 x 4 as the first input has, or 1 in place of a side"#,
        r#"mul {"inputs": ["input"], "multiplier": [1073741824], SCALED, "constant": {"shape": [2, 1, 1], "zero_point": 0, "values": [1]}} -> layers[0].constant.values has length 1, expected 2: those of its shape"#,
        r#"mul {"inputs": ["input", "input"], "multiplier": [1073741824], SCALED, "rounding": "even"} -> layers[0].rounding is "even", expected "#,
        r#"squared_difference {"inputs": ["input", "input"], "multiplier": [1073741824], "input_multiplier": [1073741824, 1073741824], "input_shift": [0, 0], SCALED, "rounding": "double"} -> layers[0].rounding is not a field of squared_difference"#,
        r#"squared_difference {"inputs": ["input", "input"], "multiplier": [1073741824], SCALED} -> layers[0].input_multiplier is missing, required for squared_difference"#,
        r#"squared_difference {"inputs": ["input", "input"], "multiplier": [5], "input_multiplier": [1073741824, 1073741824], "input_shift": [0, 1], SCALED} -> layers[0].input_shift[1] is 1, expected a whole number from -31 to 0"#,
    ]);
}

#[test]
fn slopes_that_do_not_fit_are_refused() {
    refused_scaled(&[
        r#"prelu {"multiplier": [1073741824], SCALED} -> layers[0].constant is missing, required for prelu"#,
        r#"prelu {"constant": {"shape": [2, 1, 1], "zero_point": 0, "values": [1, 2]}, "multiplier": [1073741824], SCALED} -> layers[0].multiplier has length 1, expected 2: one from zero on and one below"#,
        r#"prelu {"constant": {"shape": [2, 1, 1], "zero_point": 0, "values": [1, 2], "first": true}, "multiplier": [1073741824, 1], SCALED} -> layers[0].constant.first is true, expected false: slopes are the second tensor"#,
        r#"prelu {"constant": {"shape": [1, 1, 3], "zero_point": 0, "values": [1, 2, 3]}, "multiplier": [1073741824, 1], SCALED} -> layers[0].constant.shape has 1 channels of 1 x 3, expected 2 channels of 3 x 4 as the first input has, or 1 in place of a side"#,
    ]);
}

#[test]
fn rows_without_a_dimension_are_refused() {
    refused_scaled(&[
        r#"mean {"multiplier": [1073741824], SCALED} -> layers[0].axes is missing, required for mean"#,
        r#"mean {"axes": [], "multiplier": [1073741824], SCALED} -> layers[0].axes has length 0, expected"#,
        r#"mean {"axes": ["depth"], "multiplier": [1073741824], SCALED} -> layers[0].axes[0] is "depth", expected"#,
        r#"softmax {"multiplier": [1073741824], "shift": [20]} -> layers[0].axis is missing, required for softmax"#,
        r#"softmax {"axis": "width", "multiplier": [1073741824], "shift": [-1]} -> layers[0].shift[0] is -1, expected 0 to 30"#,
        r#"softmax {"axis": "width", "multiplier": [1073741824], "shift": [20], "output_zero_point": 0} -> layers[0].output_zero_point is not a field of softmax"#,
        r#"arg_max {} -> layers[0].axis is missing, required for arg_max"#,
        r#"arg_max {"axis": "width", "output_scale": 1.0} -> layers[0].output_scale is not a field of arg_max"#,
    ]);
}

#[test]
fn places_are_read_by_no_layer() {
    refused_layers(
        &json!([
            {"kind": "arg_max", "name": "best", "axis": "channels"},
            {"kind": "max_pool2d", "name": "pool", "kernel": [1, 1]},
        ]),
        "layers[1].inputs[0] is \"best\", which is of arg_max: no layer reads it, it can only be an output",
    );
}

#[test]
fn elements_that_are_not_there_cannot_be_moved() {
    refused(&[
        r#"concat {"inputs": ["input"], "axis": "channels"} -> layers[0].inputs has length 1, expected 2 to 65536 for concat"#,
        r#"concat {"inputs": ["input", "input"]} -> layers[0].axis is missing, required for concat"#,
        r#"slice {"start": [0, 1, 0], "output_shape": [2, 3, 4]} -> layers[0].output_shape[1] is 3 from 1 on, expected to end within 3"#,
        r#"slice {"start": [0, 0, 0], "output_shape": [2, 0, 4]} -> layers[0].output_shape[1] is 0, expected a whole number from 1 to 65536"#,
        r#"maximum {"inputs": ["input"], "constant": {"shape": [2, 1, 1], "zero_point": 9, "values": [1, 2]}} -> layers[0].inputs have the zero points 0 and 9, expected equal ones"#,
        r#"maximum {"inputs": ["input"]} -> layers[0].inputs has length 1, expected 2 for maximum"#,
        r#"gather {"channels": [0, 12], "rows": [8], "columns": [0, 4]} -> layers[0].channels reach element 24 with rows and columns, expected less than 24"#,
        r#"gather {"channels": [0], "rows": [], "columns": [0]} -> layers[0].rows has length 0, expected 1 to 65536"#,
        r#"gather {"channels": [0], "rows": [0]} -> layers[0].columns is missing, required for gather"#,
        r#"pad {"start": [0, 1, 0], "output_shape": [2, 3, 4]} -> layers[0].output_shape[1] is 3, expected at least 4: 3 from 1 on in steps of 1"#,
        r#"pad {"start": [0, 0, 0], "output_shape": [2, 3, 9], "stride": [1, 3]} -> layers[0].output_shape[2] is 9, expected at least 10: 4 from 0 on in steps of 3"#,
        r#"pad {"start": [0, 0, 0]} -> layers[0].output_shape is missing, required for pad"#,
        r#"pad {"start": [0, 0, 0], "output_shape": [2, 3, 4], "stride": [0, 1]} -> layers[0].stride[0] is 0, expected a whole number from 1 to 65536"#,
        r#"resize {"scale_factor": [2, 20000]} -> layers[0].scale_factor gives 2 channels of 6 x 80000, expected at most 65536 each"#,
        r#"resize {"scale_factor": [12000, 12000]} -> layers[0] makes 2 channels of 36000 x 48000, expected at most 268435456 elements"#,
        r#"resize_bilinear {"output_shape": [3, 6, 8]} -> layers[0].output_shape[0] is 3, expected 2 as the input has"#,
        r#"resize_bilinear {"output_shape": [2, 6, 8], "alignment": "middle"} -> layers[0].alignment is "middle", expected "#,
        r#"reshape {"output_shape": [1, 5, 5]} -> layers[0].output_shape has 25 elements, expected 24, those of 2 channels of 3 x 4"#,
        r#"reshape {"output_shape": [1, 1, 24], "order": "nhwc"} -> layers[0].order is "nhwc", expected "#,
        r#"reshape {"output_shape": [1, 1, 24], "table": []} -> layers[0].table"#,
    ]);
}

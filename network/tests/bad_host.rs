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

/// A layer in float32 of the input and a constant of 3 elements, whose steps are these.
fn float32(steps: &str, message: &str) {
    let fields = r#""inputs": ["input"], "operands": [{"shape": [2, 3, 4], "scale": 0.5}], "constants": [{"shape": [3], "values": [1, 2, 3]}],
        "scale": 1.0, "output_zero_point": 0, "output_shape": [2, 3, 4]"#;
    refused(&[&format!(
        r#"float32 {{{fields}, "steps": [{steps}]}} -> {message}"#
    )]);
}

#[test]
fn layers_in_float32_that_do_not_fit_are_refused() {
    let good = r#""inputs": ["input"], "operands": [{"shape": [24], "scale": 0.5}], "scale": 1.0, "output_zero_point": 0,
        "output_shape": [24, 1, 1], "steps": [{"kind": "function", "of": [0], "function": "abs"}]"#;
    for (from, to, message) in [
        (
            r#""scale": 1.0"#,
            r#""scale": 0"#,
            "layers[0].scale is 0, expected a number above 0",
        ),
        (
            r#""scale": 0.5"#,
            r#""scale": 1e300"#,
            "layers[0].operands[0].scale is inf, expected a number above 0",
        ),
        (
            r#""shape": [24]"#,
            r#""shape": [25]"#,
            "layers[0].operands[0].shape gives 25 elements, expected 24: those of the input",
        ),
        (
            r#""shape": [24]"#,
            r#""shape": [1, 1, 1, 1, 1, 1, 24]"#,
            "layers[0].operands[0].shape has length 7, expected 0 to 6",
        ),
        (
            r#""inputs": ["input"]"#,
            r#""inputs": ["input", "input"]"#,
            "layers[0].operands has length 1, expected 2: one for each input",
        ),
        (
            r#"[24, 1, 1]"#,
            r#"[25, 1, 1]"#,
            "layers[0].output_shape gives 25 elements, expected 24: those of the last step",
        ),
        (
            r#""abs""#,
            r#""sine""#,
            "layers[0].steps[0].function is \"sine\", expected \"abs\"",
        ),
        (
            r#""abs""#,
            r#""elu", "numbers": [1e300, 0]"#,
            "layers[0].steps[0] has numbers [inf, 0.0], expected those that float32 has",
        ),
        (
            r#""kind": "function""#,
            r#""kind": "sort""#,
            "layers[0].steps[0].kind is \"sort\", expected",
        ),
        (
            r#""steps""#,
            r#""table": [], "steps""#,
            "layers[0].table is not a field of float32",
        ),
        (
            r#""steps""#,
            r#""constants": [{"shape": [2], "values": [1]}], "steps""#,
            "layers[0].constants[0].values has length 1, expected 2",
        ),
        (
            r#""steps""#,
            r#""constants": [{"shape": [2], "values": [1, 1e300]}], "steps""#,
            "layers[0].constants[0].values[1] is no number that float32 has",
        ),
    ] {
        refused(&[&format!(
            "float32 {{{}}} -> {message}",
            good.replacen(from, to, 1)
        )]);
    }
}

#[test]
fn steps_in_float32_that_do_not_fit_are_refused() {
    for (step, message) in [
        (
            r#""kind": "pair", "of": [0, 2], "pair": "add""#,
            "steps[0].of is 2, expected 0 to 1: what is made before",
        ),
        (
            r#""kind": "pair", "of": [0, 1], "pair": "add""#,
            "steps[0] reads [2, 3, 4] and [3], expected sides that are equal or 1",
        ),
        (
            r#""kind": "reduce", "of": [0], "over": "mean", "axes": [3]"#,
            "steps[0] has axis 3, expected one of 3 dimensions",
        ),
        (
            r#""kind": "reshape", "of": [0], "shape": [5, 5]"#,
            "steps[0] has shape [5, 5] for elements of [2, 3, 4], expected as many",
        ),
        (
            r#""kind": "gather", "of": [0], "sources": [[20, 0], [0, 4]]"#,
            "steps[0] has sources of 2 dimensions that reach element 24, expected at most 6 and less than 24",
        ),
        (
            r#""kind": "gather", "of": [0], "sources": []"#,
            "steps[0].sources has length 0, expected 1 to 6",
        ),
        (
            r#""kind": "gather", "of": [0], "sources": [[]]"#,
            "steps[0].sources[0] has length 0, expected 1 to 65536",
        ),
        (
            r#""kind": "concat", "of": [0, 1], "axis": 0"#,
            "steps[0] joins [[2, 3, 4], [3]] along 0, expected other sides to be equal",
        ),
        (
            r#""kind": "matmul", "of": [0, 1]"#,
            "steps[0] multiplies [2, 3, 4] and [3], expected matrices that fit",
        ),
        (
            r#""kind": "matmul", "of": [0, 0]"#,
            "steps[0] multiplies [2, 3, 4] and [2, 3, 4], expected matrices that fit",
        ),
    ] {
        float32(&format!("{{{step}}}"), &format!("layers[0].{message}"));
    }
    let window = r#""window": {"kernel": [2, 2], "stride": [2, 2], "dilation": [1, 1], "padding": [[0, 0], [0, 0]], "output": [1, 2]}"#;
    let pool = format!(
        r#"{{"kind": "pool", "of": [0], "over": "max", "counts_padding": false, {window}}}"#
    );
    for (from, to, message) in [
        (
            "[1, 2]",
            "[3, 2]",
            "layers[0].steps[0] has a window 2 along 0 beside the input",
        ),
        (
            "[[0, 0]",
            "[[2, 0]",
            "layers[0].steps[0] has a window 0 along 0 beside the input",
        ),
        (
            "\"max\"",
            "\"sum\"",
            "layers[0].steps[0] has over Sum, expected mean or max",
        ),
        (
            "\"kernel\": [2, 2]",
            "\"kernel\": [0, 2]",
            "layers[0].steps[0].window.kernel[0] is 0, expected a whole number from 1 to 65536",
        ),
    ] {
        float32(&pool.replacen(from, to, 1), message);
    }
    let conv = format!(r#"{{"kind": "conv", "of": [0, 1], "groups": 1, {window}}}"#);
    float32(
        &conv,
        "layers[0].steps[0] has weights [3] in 1 groups for [2, 3, 4], expected outputs",
    );
}

/// Before anything is computed: 2^25 elements three times.
#[test]
fn too_much_in_float32_is_refused() {
    let zeros = vec!["0"; 4096].join(", ");
    let wide = format!(r#"{{"kind": "gather", "of": [0], "sources": [[{zeros}], [{zeros}]]}}"#);
    let steps = [wide.as_str(); 5].join(", ");
    float32(
        &steps,
        "layers[0].steps[3] makes 67108891 elements with what is before, expected at most 67108864 in a layer",
    );
}

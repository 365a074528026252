//! Layers that the host runs, on tensors of channels, rows and columns, against values by hand.

use heddle_network::Network;
use heddle_sim::network::{class_in, run};

/// The output of a layer whose input has 2 channels of 2 x 3, the bytes 0 to 11, with zero point 1.
#[track_caller]
fn check(layer: &str, expected: &[i8]) {
    let text = format!(
        r#"{{"format": "heddle-network-2", "name": "n", "layers": [{layer}],
        "input": {{"channels": 2, "height": 2, "width": 3, "zero_point": 1, "scale": 1.0}}}}"#
    );
    let network = Network::from_json(&text).unwrap();
    let image: Vec<i8> = (0..12).collect();
    assert_eq!(
        run(&network, &image).unwrap()[0].values,
        expected,
        "{layer}"
    );
}

#[test]
fn elements_are_moved_to_other_places() {
    for (layer, expected) in [
        (
            r#"{"kind": "concat", "name": "l", "inputs": ["input", "input"], "axis": "height"}"#,
            &[
                0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 6, 7, 8, 9, 10, 11,
            ][..],
        ),
        (
            r#"{"kind": "slice", "name": "l", "start": [1, 0, 1], "output_shape": [1, 2, 2]}"#,
            &[7, 8, 10, 11],
        ),
        // Columns from the end, the second channel first and last.
        (
            r#"{"kind": "gather", "name": "l", "channels": [6, 0, 6], "rows": [3], "columns": [2, 1, 1]}"#,
            &[11, 10, 10, 5, 4, 4, 11, 10, 10],
        ),
        // Zeros, which are 1, above, on the left and between the rows.
        (
            r#"{"kind": "pad", "name": "l", "start": [0, 1, 1], "output_shape": [2, 4, 4], "stride": [2, 1]}"#,
            &[
                1, 1, 1, 1, 1, 0, 1, 2, 1, 1, 1, 1, 1, 3, 4, 5, 1, 1, 1, 1, 1, 6, 7, 8, 1, 1, 1, 1,
                1, 9, 10, 11,
            ],
        ),
        (
            r#"{"kind": "pad", "name": "l", "start": [1, 0, 0], "output_shape": [4, 2, 3]}"#,
            &[
                1, 1, 1, 1, 1, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 1, 1, 1, 1, 1, 1,
            ],
        ),
        (
            r#"{"kind": "pad", "name": "l", "start": [0, 0, 1], "output_shape": [2, 2, 4], "value": -9}"#,
            &[-9, 0, 1, 2, -9, 3, 4, 5, -9, 6, 7, 8, -9, 9, 10, 11],
        ),
        (
            r#"{"kind": "resize", "name": "l", "scale_factor": [1, 2]}"#,
            &[
                0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11,
            ],
        ),
        (
            r#"{"kind": "reshape", "name": "l", "output_shape": [1, 1, 12]}"#,
            &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
        ),
        // Counted as 0 6, 1 7, 2 8, and so on, and put down in threes.
        (
            r#"{"kind": "reshape", "name": "l", "output_shape": [3, 2, 2], "order": "channels_last"}"#,
            &[0, 7, 3, 10, 6, 2, 9, 5, 1, 8, 4, 11],
        ),
    ] {
        check(layer, expected);
    }
}

/// Scale 1, whose multiplier is 2^30 with a shift of 1, and zero point -10.
const SCALED: &str = r#""multiplier": [1073741824], "shift": [1], "output_zero_point": -10, "activation_min": -128,
    "activation_max": 100, "output_scale": 1.0"#;

#[test]
fn planes_are_resized_by_shares_of_neighbours() {
    let resized = |shape: &str, alignment: &str| {
        format!(
            r#"{{"kind": "resize_bilinear", "name": "l", "output_shape": {shape}, "alignment": "{alignment}"}}"#
        )
    };
    // Rows 0 1 2 and 3 4 5, and 6 more in the second channel; halves go away from 0.
    check(
        &resized("[2, 1, 5]", "align_corners"),
        &[0, 1, 1, 2, 2, 6, 7, 7, 8, 8],
    );
    check(
        &resized("[2, 2, 6]", "origin"),
        &[
            0, 1, 1, 2, 2, 2, 3, 4, 4, 5, 5, 5, 6, 7, 7, 8, 8, 8, 9, 10, 10, 11, 11, 11,
        ],
    );
    check(&resized("[2, 1, 1]", "half_pixel_centers"), &[3, 9]);
}

#[test]
fn means_of_windows_count_the_places_inside_the_plane() {
    // Windows of 2 x 2 lose a row and a column; what is a half goes away from 0.
    check(
        r#"{"kind": "average_pool2d", "name": "l", "kernel": [2, 2], "padding": {"top": 1, "bottom": 1, "left": 0, "right": 1}}"#,
        &[1, 2, 4, 5, 7, 8, 10, 11],
    );
    check(
        r#"{"kind": "average_pool2d", "name": "l", "kernel": [2, 2], "stride": [2, 2], "padding": {"top": 1, "bottom": 1, "left": 1, "right": 0},
            "table": TABLE}"#
            .replace("TABLE", &format!("{:?}", (0..=255).map(|i| 127 - i).collect::<Vec<i32>>()))
            .as_str(),
        &[-1, -3, -4, -6, -7, -9, -10, -12],
    );
}

#[test]
fn sides_of_1_are_broadcast() {
    let mul = |constant: &str| {
        format!(
            r#"{{"kind": "mul", "name": "l", "inputs": ["input"], "constant": {constant}, {SCALED}}}"#
        )
    };
    // (x - 1) times 1 and -2, less 10.
    check(
        &mul(r#"{"shape": [2, 1, 1], "zero_point": 3, "values": [4, 1]}"#),
        &[-11, -10, -9, -8, -7, -6, -20, -22, -24, -26, -28, -30],
    );
    // (x - 1) times 0, 1 and 20 by column: the last one is cut.
    check(
        &mul(r#"{"shape": [1, 1, 3], "zero_point": 0, "values": [0, 1, 20]}"#),
        &[-10, -10, 10, -10, -7, 70, -10, -4, 100, -10, -1, 100],
    );
}

#[test]
fn of_two_bytes_there_is_a_larger_one_and_a_smaller_one() {
    let maximum = |smaller: bool| {
        format!(
            r#"{{"kind": "maximum", "name": "l", "inputs": ["input"], "smaller": {smaller},
            "constant": {{"shape": [2, 1, 1], "zero_point": 1, "values": [2, 9]}}}}"#
        )
    };
    check(&maximum(false), &[2, 2, 2, 3, 4, 5, 9, 9, 9, 9, 10, 11]);
    check(&maximum(true), &[0, 1, 2, 2, 2, 2, 6, 7, 8, 9, 9, 9]);
}

#[test]
fn values_below_zero_have_a_slope() {
    // Of x - 1 in halves from 0 on, and below it times -3 and 2, less 10.
    check(
        r#"{"kind": "prelu", "name": "l", "constant": {"shape": [2, 2, 1], "zero_point": 1, "values": [-2, 3, 3, -2]},
            "multiplier": [1073741824, 1073741824], "shift": [0, 1], "output_zero_point": -10, "activation_min": -128,
            "activation_max": 100, "output_scale": 1.0}"#,
        &[-7, -10, -9, -9, -8, -8, -7, -7, -6, -6, -5, -5],
    );
}

#[test]
fn a_constant_may_be_the_first_of_a_difference() {
    // Both inputs times 2^20 are scaled by 1/2, the difference by 2^-19.
    let add = |first: bool| {
        format!(
            r#"{{"kind": "add", "name": "l", "inputs": ["input"], "subtract": true,
            "input_multiplier": [1073741824, 1073741824], "input_shift": [0, 0],
            "constant": {{"shape": [1, 1, 1], "zero_point": 2, "values": [7], "first": {first}}},
            "multiplier": [1073741824], "shift": [-18], "output_zero_point": 0, "activation_min": -128,
            "activation_max": 127, "output_scale": 1.0}}"#
        )
    };
    check(&add(false), &[-6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5]);
    check(&add(true), &[6, 5, 4, 3, 2, 1, 0, -1, -2, -3, -4, -5]);
}

#[test]
fn maxima_are_over_their_dimensions() {
    let largest =
        |axes: &str| format!(r#"{{"kind": "reduce_max", "name": "l", "axes": [{axes}]}}"#);
    check(&largest(r#""channels""#), &[6, 7, 8, 9, 10, 11]);
    check(&largest(r#""height""#), &[3, 4, 5, 9, 10, 11]);
    check(&largest(r#""width", "channels""#), &[8, 11]);
}

#[test]
fn means_and_shares_are_along_their_dimensions() {
    let mean = |axes: &str, shift: i32| {
        format!(
            r#"{{"kind": "mean", "name": "l", "axes": [{axes}], "multiplier": [1073741824], "shift": [{shift}],
            "output_zero_point": 0, "activation_min": -128, "activation_max": 127, "output_scale": 1.0}}"#
        )
    };
    // Half of x - 1 and x + 6 - 1; a quarter of x - 1 and x + 3 - 1 in both channels.
    check(&mean(r#""channels""#, 0), &[2, 3, 4, 5, 6, 7]);
    check(&mean(r#""channels", "height""#, -1), &[4, 5, 6]);
    // The same means with zero point 20, and what a table has for them: their distance below 0.
    let table: Vec<i8> = (i8::MIN..=i8::MAX)
        .map(|byte| (-i16::from(byte)).min(127) as i8)
        .collect();
    let looked_up = mean(r#""channels""#, 0).replace(
        r#""output_zero_point": 0"#,
        &format!(r#""table_zero_point": 20, "table": {table:?}, "output_zero_point": 0"#),
    );
    check(&looked_up, &[-22, -23, -24, -25, -26, -27]);
    // The largest of 0 to 11, in each place of the two others as 4 bytes.
    let arg_max = |axis: &str| format!(r#"{{"kind": "arg_max", "name": "l", "axis": "{axis}"}}"#);
    check(
        &arg_max("channels"),
        &[[1; 6], [0; 6], [0; 6], [0; 6]].concat(),
    );
    check(
        &arg_max("height"),
        &[[[1; 3], [0; 3], [0; 3], [0; 3]]; 2].concat().concat(),
    );
    check(&arg_max("width"), &[[2, 0, 0, 0]; 4].concat());
    // Steps of 2^-1: the share of x beside x + 6 is 1 / (1 + e^3), that of x beside x + 3 is 1 / (1 + e^1.5).
    let softmax = |axis: &str| {
        format!(
            r#"{{"kind": "softmax", "name": "l", "axis": "{axis}", "multiplier": [1073741824], "shift": [26]}}"#
        )
    };
    let shares = |real: f64| (256.0 * real).round() as i32 - 128;
    let pair =
        |distance: f64| [1.0, -1.0].map(|sign| shares(1.0 / (1.0 + (sign * distance).exp())) as i8);
    let [less, more] = pair(3.0);
    check(&softmax("channels"), &[[less; 6], [more; 6]].concat());
    let [less, more] = pair(1.5);
    check(
        &softmax("height"),
        &[[less; 3], [more; 3], [less; 3], [more; 3]].concat(),
    );
}

/// A network whose output is a place has it as its class, and no other place as a label.
#[test]
fn a_place_is_a_class() {
    let network = |height: usize, label: usize| {
        let image = vec![0; 300 * height];
        let text = serde_json::json!({
            "format": "heddle-network-2", "name": "n",
            "input": {"channels": 300, "height": height, "width": 1, "zero_point": 0, "scale": 1.0},
            "layers": [{"kind": "arg_max", "name": "best", "axis": "channels"}],
            "test": {"images": [image], "labels": [label]},
        });
        Network::from_json(&text.to_string())
    };
    let class = |height: usize| {
        let network = network(height, 299).unwrap();
        let mut image = vec![0; 300 * height];
        image[258 * height] = 1;
        class_in(&network, &run(&network, &image).unwrap()[0].values)
    };
    assert_eq!((class(1), class(2)), (Some(258), None));
    let error = network(1, 300).unwrap_err().to_string();
    assert!(
        error.contains("test.labels[0] is 300, expected 0 to 299"),
        "{error}"
    );
}

/// A layer in float32 of these steps and constants; the input is 0, the constants come behind it. Inputs are bytes less 1, times 1/2.
fn float32(shape: &str, constants: &str, steps: &str, output: &str) -> String {
    format!(
        r#"{{"kind": "float32", "name": "l", "inputs": ["input"], "operands": [{{"shape": {shape}, "scale": 0.5}}], "constants": {constants},
        "steps": {steps}, "scale": 1.0, "output_zero_point": -10, "output_shape": {output}}}"#
    )
}

#[test]
fn halves_of_float32_go_to_the_even_byte_or_away_from_zero() {
    let reshape = r#"[{"kind": "reshape", "of": [0], "shape": [12]}]"#;
    let even = float32("[2, 6]", "[]", reshape, "[1, 1, 12]");
    check(&even, &[-10, -10, -10, -9, -8, -8, -8, -7, -6, -6, -6, -5]);
    let away = even.replace(r#""scale": 1.0"#, r#""scale": 1.0, "halves": "away""#);
    check(&away, &[-11, -10, -9, -9, -8, -8, -7, -7, -6, -6, -5, -5]);
}

#[test]
fn what_is_no_number_becomes_the_lowest_byte_and_infinity_the_last_one() {
    let log = r#"[{"kind": "function", "of": [0], "function": "log"}]"#;
    // Logarithms of -1/2, 0, 1/2 and so on.
    check(
        &float32("[12]", "[]", log, "[12, 1, 1]"),
        &[-128, -128, -11, -10, -10, -9, -9, -9, -9, -9, -8, -8],
    );
    let inverse = log.replace("log", "reciprocal");
    let layer = float32("[12]", "[]", &inverse, "[12, 1, 1]");
    check(
        &layer,
        &[-12, 127, -8, -9, -9, -10, -10, -10, -10, -10, -10, -10],
    );
}

#[test]
fn steps_in_float32_read_those_before() {
    // Each element less the mean of its row, times 2 and 4: -5/2 to 5/2 and -5 to 5. Of 5, 5/2 and -5, -5/2 the larger.
    let constants = r#"[{"shape": [2, 1], "values": [2, 4]}]"#;
    let steps = r#"[{"kind": "reduce", "of": [0], "over": "mean", "axes": [1]}, {"kind": "pair", "of": [0, 2], "pair": "sub"},
        {"kind": "pair", "of": [3, 1], "pair": "mul"}, {"kind": "gather", "of": [4], "sources": [[5, 0], [6, 0]]},
        {"kind": "concat", "of": [5, 5], "axis": 1}, {"kind": "reduce", "of": [6], "over": "max", "axes": [1]}]"#;
    check(
        &float32("[2, 6]", constants, steps, "[1, 1, 2]"),
        &[-5, -12],
    );
}

#[test]
fn windows_and_matrices_of_float32_are_those_of_their_shapes() {
    let window = r#""window": {"kernel": [2, 2], "stride": [1, 1], "dilation": [1, 1], "padding": [[0, 0], [1, 0]], "output": [1, 3]}"#;
    let pool = |over: &str, counts: bool| {
        format!(
            r#"[{{"kind": "pool", "of": [0], "over": "{over}", {window}, "counts_padding": {counts}}}]"#
        )
    };
    // Halves of rows -1 0 1 and 2 3 4, and 6 more in the second channel.
    let plane = "[1, 2, 2, 3]";
    check(
        &float32(plane, "[]", &pool("max", false), "[2, 1, 3]"),
        &[-9, -8, -8, -6, -6, -5],
    );
    check(
        &float32(plane, "[]", &pool("mean", false), "[2, 1, 3]"),
        &[-10, -10, -9, -7, -6, -6],
    );
    check(
        &float32(plane, "[]", &pool("mean", true), "[2, 1, 3]"),
        &[-10, -10, -9, -8, -6, -6],
    );
    let weights = r#"[{"shape": [1, 2, 2, 2], "values": [0, 2, 0, 0, 0, 0, 0, -2]}]"#;
    let conv = format!(r#"[{{"kind": "conv", "of": [0, 1], "groups": 1, {window}}}]"#);
    check(
        &float32(plane, weights, &conv, "[1, 1, 3]"),
        &[-19, -19, -19],
    );
    let factors = r#"[{"shape": [3, 1], "values": [2, 0, 4]}]"#;
    let product = r#"[{"kind": "matmul", "of": [0, 1]}]"#;
    check(
        &float32("[2, 2, 3]", factors, product, "[1, 1, 4]"),
        &[-9, 0, 9, 18],
    );
}

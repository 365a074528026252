//! Faulty networks: one clear message for each fault, exit code 2, nothing written.

use crate::bench::{Bench, CONFIG, MODEL};

#[track_caller]
fn refused(text: impl AsRef<[u8]>, messages: &[&str]) {
    let bench = Bench::new(&[("c.json", CONFIG)]);
    bench.write("m.json", text);
    let lines: Vec<String> = messages.iter().map(|m| format!("m.json{m}")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    bench.refused("cosim -c c.json -m m.json --trace w.vcd", &lines);
    bench.refused("config check -m m.json", &lines);
}

/// Replaces a first occurrence; a row is what, ` -> `, by what, ` | ` and the message. The line is that of the change, found here.
#[track_caller]
fn changed(rows: &[&str]) {
    for row in rows {
        let (change, message) = row.split_once(" | ").expect("a message");
        let (from, to) = change.split_once(" -> ").expect("a change");
        let at = MODEL.find(from).expect("a place in the network");
        let line = 1 + MODEL[..at].matches('\n').count();
        let message = format!(":{line}: {message}");
        refused(MODEL.replacen(from, to, 1), &[&message]);
    }
}

#[test]
fn shapes_that_do_not_fit_are_refused() {
    changed(&[
        r#""kernel": [3,3] -> "kernel": [3,9] | layers[0].kernel[1] is 9, expected at most the padded input, 8"#,
        r#""kernel": [3,3] -> "kernel": [3] | layers[0].kernel has length 1, expected 2"#,
        r#""stride": [1,1] -> "stride": [1,0] | layers[0].stride[1] is 0, expected a whole number from 1 to 65536"#,
        r#""top":1 -> "top":-1 | layers[0].padding.top is -1, expected a whole number from 0 to 65535"#,
        r#""bias": [ -> "bias": [0, | layers[0].bias has length 6, expected 5: one for each output"#,
        r#""weights": [ -> "weights": [0, | layers[0].weights has length 91, expected 90: 5 outputs of 18 weights"#,
    ]);
}

#[test]
fn values_out_of_range_are_refused() {
    changed(&[
        r#""weights": [-128 -> "weights": [-129 | layers[0].weights[0] is -129, expected a whole number from -128 to 127"#,
        r#""zero_point":-7 -> "zero_point":128 | input.zero_point is 128, expected a whole number from -128 to 127"#,
        r#""multiplier": [1253905034 -> "multiplier": [9223372036854775808 | layers[0].multiplier[0] is 9223372036854775808, expected a whole number from 0 to 2147483647"#,
        r#""shift": [-7 -> "shift": [-40 | layers[0].shift[0] is -40, expected a whole number from -31 to 30"#,
        r#""bias": [-831 -> "bias": [-2147483648 | layers[0].bias[0] of layer "conv1" is -2147483648: |bias| + 255 * sum of |weights| is 2147660108, expected less than 2147483648"#,
        r#""rounding": "double" -> "rounding": "up" | layers[0].rounding is "up", expected "double" or "single""#,
    ]);
}

#[test]
fn missing_and_unknown_tensors_are_refused() {
    refused(
        MODEL.replacen("\"bias\": [", "\"biases\": [", 1),
        &[
            ":6: layers[0].bias is missing, required for conv2d",
            ":14: layers[0].biases is unknown, expected one of activation_max, activation_min, bias, \
            dilation, groups, inputs, kernel, kind, multiplier, name, output_channels, output_scale, \
            output_zero_point, padding, rounding, shift, stride, table, table_zero_point, weights",
        ],
    );
    let missing = MODEL.lines().filter(|line| !line.contains("\"bias\": ["));
    let missing: Vec<&str> = missing.collect();
    refused(
        missing.join("\n"),
        &[
            ":6: layers[0].bias is missing, required for conv2d",
            ":22: layers[1].bias is missing, required for conv2d",
            ":38: layers[2].bias is missing, required for fully_connected",
        ],
    );
}

/// In 2 GB of addresses and 20 s of processor time, so that whoever collects or does what nobody needs is stopped.
#[track_caller]
fn refused_in_little_memory(model: &str, arguments: &str, message: &str) {
    let bench = Bench::new(&[("c.json", CONFIG), ("m.json", model)]);
    let mut shell = bench.limited("-v 2000000 -t 20", arguments);
    let result = shell.output().expect("the shell runs");
    let stderr = String::from_utf8_lossy(&result.stderr);
    assert!(stderr.contains(message), "{arguments}: {stderr}");
    assert_eq!(result.status.code(), Some(2), "{arguments}: {stderr}");
}

#[test]
fn networks_of_a_few_bytes_and_any_size_are_refused() {
    let pooled = |kind: &str, kernel: u32| {
        format!(
            "{{\"format\": \"heddle-network-1\", \"name\": \"n\", \"input\": {{\"channels\": 16, \"height\": 4096, \
              \"width\": 4096, \"zero_point\": 0, \"scale\": 1}}, \"layers\": [{{\"kind\": \"{kind}\", \"name\": \"l\", \
              \"kernel\": [{kernel}, {kernel}]}}]}}"
        )
    };
    let compile = "compile m.json -c c.json -o p.json";
    let window = "m.json:1: layers[0].kernel is 4096 x 4096, expected at most 8421504 places";
    for arguments in ["config check -m m.json", compile] {
        refused_in_little_memory(&pooled("average_pool2d", 4096), arguments, window);
    }
    let room = "network n does not fit tiny: activations need ";
    refused_in_little_memory(&pooled("average_pool2d", 2048), compile, room);
    refused_in_little_memory(&pooled("average_pool2d", 1), compile, room);
    let pooling = "max_pool2d needs pooling";
    refused_in_little_memory(&pooled("max_pool2d", 4096), compile, pooling);
    let transpose = pooled("transpose", 1).replace(", \"kernel\": [1, 1]", "");
    let matrices = "network n does not fit tiny: matrices need ";
    refused_in_little_memory(&transpose, compile, matrices);
}

#[test]
fn a_network_of_30_megabytes_is_refused_at_once() {
    let weights = "\"weights\": [".to_string() + &"-128, ".repeat(5_000_000);
    let model = MODEL.replacen("\"weights\": [", &weights, 1);
    let length =
        "m.json:13: layers[0].weights has length 5000090, expected 90: 5 outputs of 18 weights";
    refused_in_little_memory(&model, "config check -m m.json", length);
    let broken = model.replacen("\"labels\"", "\"label\"", 1);
    refused_in_little_memory(&broken, "compile m.json -c c.json -o p.json", "label");
    let cut = &model[..model.len() - 3];
    refused_in_little_memory(cut, "config check -m m.json", "not JSON");
}

#[test]
fn names_with_control_characters_are_refused() {
    for (name, shown) in [
        (r"conv1\nhalt", r"conv1\nhalt"),
        (r"\u001b[2J", r"\u{1b}[2J"),
    ] {
        let allowed = "expected 1 to 64 characters, all of them visible";
        changed(&[&format!(
            "\"name\": \"conv1\" -> \"name\": \"{name}\" | layers[0].name is \"{shown}\", {allowed}"
        )]);
    }
}

#[test]
fn broken_files_are_refused() {
    refused("", &[": the document is empty, expected a JSON object"]);
    let truncated = "{\"format\": \"heddle-network-1\", \"layers\": [";
    refused(
        truncated,
        &[":1: not JSON: EOF while parsing a list (column 42)"],
    );
    let bench = Bench::new(&[("c.json", CONFIG)]);
    bench.refusals(
        "cosim -c c.json -m",
        &[
            "m.json | m.json: cannot read network: No such file or directory (os error 2)",
            ". | .: is a folder, expected a network file",
        ],
    );
}

#[test]
fn numbers_of_images_that_do_not_exist_are_refused() {
    let bench = Bench::new(&[("c.json", CONFIG), ("m.json", MODEL)]);
    for images in ["0", "5", "9223372036854775808"] {
        let line = format!("--images is {images}, expected 1 to 4, the images of m.json");
        bench.refused(
            &format!("cosim -c c.json -m m.json --images {images}"),
            &[&line],
        );
    }
    let line = "invalid value 'four' for '--images <N>': invalid digit found in string";
    bench.refused("cosim -c c.json -m m.json --images four", &[line]);
}

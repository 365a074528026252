//! float32 at the ends of a file: what quantises inputs, and what outputs stand for.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::arrays::{Arrays, npz};
use crate::bench::Bench;
use crate::image::{TFLITE, floats, same};
use crate::import::{DATA, bench, bench_of, npy};

/// Outputs of the file by the number of their tensor: name, type and shape.
const OUTPUTS: [(u32, &str, &str, &str); 4] = [
    (10, "dense/Linear", "|i1", "(1, 7,)"),
    (12, "means", "<f4", "(1, 4, 4, 6,)"),
    (13, "scores", "<f4", "(1, 7,)"),
    (14, "shares", "<f4", "(1, 7,)"),
];

#[track_caller]
fn arrays(bench: &Bench, name: &str) -> Arrays {
    npz(std::fs::read(bench.path().join(name)).expect("a file"))
}

/// Each output has the bytes that the reference gave from the float32 of the input on.
#[track_caller]
fn check(found: &Arrays, outputs: &[(u32, &str, &str, &str)]) {
    let recorded = npz(std::fs::read(format!("{DATA}/float_ends.npz")).expect("arrays"));
    let names: Vec<&str> = found.keys().map(String::as_str).collect();
    let expected: Vec<&str> = outputs.iter().map(|(_, name, ..)| *name).collect();
    assert_eq!(names, expected);
    for (number, name, kind, shape) in outputs {
        let (header, data) = &found[*name];
        assert!(
            header.contains(kind) && header.contains(shape),
            "{name}: {header}"
        );
        assert!(
            *data == recorded[&format!("tensor/{number}")].1,
            "{name}: {data:?}"
        );
    }
}

#[test]
fn float32_of_a_tflite_file_is_that_of_the_reference_kernels() {
    let bench = bench("float_ends");
    for command in ["sim", "cosim"] {
        for options in ["", "--whole"] {
            let line = format!(
                "{command} -c c.json -m net.tflite --inputs in.npy --outputs out.npz {options}"
            );
            let run = bench.simulate(&line);
            assert_eq!(run.code, Some(0), "{line}: {}", run.stderr);
            check(&arrays(&bench, "out.npz"), &OUTPUTS);
        }
    }
    // Tensors are bytes beside what they stand for.
    bench.done("sim -c c.json -m net.tflite --inputs in.npy --outputs all.npz --tensors");
    let all = arrays(&bench, "all.npz");
    let names: Vec<&String> = all.keys().collect();
    let expected = [
        "conv1/Relu",
        "dense/Linear",
        "means",
        "pool",
        "scores",
        "shares",
        "softmax",
    ];
    assert_eq!(names, expected);
    assert!(same(&bench, "net.tflite", "--whole"));
    check(&arrays(&bench, "image.npz"), &OUTPUTS);
    let info = bench.json("image info net.hdi --json");
    let operations = info["ends"].as_array().expect("a list").iter();
    let operations: Vec<&Value> = operations.map(|end| &end["operation"]).collect();
    let expected = [
        "QUANTIZE",
        "SOFTMAX",
        "DEQUANTIZE",
        "DEQUANTIZE",
        "DEQUANTIZE",
    ];
    assert_eq!(operations, expected);
}

/// Where the network ends with bytes or in front of a float32 output, only what is left of the ends is run.
#[test]
fn a_network_ends_where_it_is_told() {
    let bench = bench("float_ends");
    for (until, rows) in [
        ("shares", ["quantize", "dequantize"]),
        ("softmax", ["quantize", "-"]),
    ] {
        let list = bench.json(&format!("import net.tflite --until {until} --json"));
        let list = list["operators"].as_array().expect("a list");
        for (row, operator) in rows.iter().zip(["QUANTIZE", "DEQUANTIZE"]) {
            let is_it = |row: &&Value| {
                row["operator"]
                    .as_str()
                    .is_some_and(|o| o.starts_with(operator))
            };
            let found = list.iter().find(is_it);
            let text = found.map_or("-", |found| found["runs_as"].as_str().expect("text"));
            let expected = match *row {
                "-" => "-".to_string(),
                row => format!("{row}, on the host"),
            };
            assert_eq!(text, expected, "{until}: {operator}");
        }
    }
    let told = bench.done("import net.tflite");
    assert!(
        told.contains("3 for a machine, 1 folded, 5 for the host always"),
        "{told}"
    );
    let row = told
        .lines()
        .find(|line| line.contains("QUANTIZE 2 (input_bytes)"));
    let row = row.expect("a row");
    assert!(
        row.contains("quantize, on the host") && row.contains("the host  yes"),
        "{row}"
    );
}

/// Halves of steps go to the even step in .onnx files.
#[test]
fn float32_of_onnx_files_is_quantised_to_even_steps() {
    for name in ["flattened", "residual"] {
        quantised_to_even_steps(&bench_of(&format!("onnx/{name}"), "onnx"));
    }
}

#[track_caller]
fn quantised_to_even_steps(bench: &Bench) {
    bench.write("tflite.json", TFLITE);
    bench.done("import net.onnx -o net.json");
    let network: Value = serde_json::from_str(&bench.read("net.json")).expect("JSON");
    let input = &network["input"];
    let side = |name: &str| input[name].as_u64().expect("a size") as usize;
    let size = side("channels") * side("height") * side("width");
    let scale = input["scale"].as_f64().expect("a number") as f32;
    let zero = input["zero_point"].as_i64().expect("a number");
    let values: Vec<f32> = (0..size)
        .map(|at| (at % 256) as f32 - 128.0 - zero as f32 + if at % 5 < 3 { 0.5 } else { 0.25 })
        .map(|steps| steps * scale)
        .collect();
    let byte = |value: f32, to_even: bool| {
        let quotient = value / scale;
        let below = quotient.floor();
        let up = match quotient - below {
            0.5 if to_even => below % 2.0 != 0.0,
            0.5 => quotient > 0.0,
            rest => rest > 0.5,
        };
        (below as i64 + i64::from(up) + zero).clamp(-128, 127) as i8
    };
    let even: Vec<i8> = values.iter().map(|&value| byte(value, true)).collect();
    let away: Vec<i8> = values.iter().map(|&value| byte(value, false)).collect();
    let differ = even.iter().zip(&away).filter(|(a, b)| a != b).count();
    assert!(differ > size / 8, "{differ} of {size}");
    let mut found = BTreeMap::new();
    for (name, file) in [
        ("reals", floats(&values)),
        ("even", npy("|i1", &even)),
        ("away", npy("|i1", &away)),
    ] {
        bench.write("in.npy", file);
        let line = "sim -c tflite.json -m net.onnx --inputs in.npy --tensors --outputs";
        bench.done(&format!("{line} {name}.npz"));
        found.insert(name, arrays(bench, &format!("{name}.npz")));
    }
    assert!(found["reals"] == found["even"]);
    assert!(found["reals"] != found["away"]);
    bench.write("in.npy", floats(&values));
    assert!(same(bench, "net.onnx", "--whole"));
    let info = bench.json("image info net.hdi --json");
    assert_eq!(info["ends"][0]["operation"], "QUANTIZE_EVEN");
}

#[test]
fn what_is_no_float32_is_refused() {
    let bench = bench("float_ends");
    bench.write("tflite.json", TFLITE);
    bench.done("compile net.tflite -c tflite.json --whole --image net.hdi");
    let mut values = vec![0.0; 128];
    bench.write("short.npy", floats(&values[..127]));
    values[5] = f32::NAN;
    bench.write("nan.npy", floats(&values));
    bench.write("bytes.npy", npy("|i1", &[1; 128]));
    let image = "sim --image net.hdi -c tflite.json --inputs";
    bench.refused_with(&[
        &format!("{image} nan.npy | nan.npy: element 5 is not a number"),
        "sim -m net.tflite -c tflite.json --inputs nan.npy | nan.npy: element 5 is not a number",
        &format!("{image} bytes.npy | bytes.npy: has elements of type int8, expected float32"),
        &format!("{image} short.npy | short.npy: holds 127 elements, expected a multiple of 128"),
    ]);
}

//! Weights and constants in files beside a network.

use serde_json::Value;

use crate::arrays::npz;
use crate::bench::{Bench, MODEL};
use crate::import::bench_of;

/// A .safetensors file with one tensor.
fn safetensors(header: &str, data: &[u8]) -> Vec<u8> {
    let length = (header.len() as u64).to_le_bytes();
    [&length[..], header.as_bytes(), data].concat()
}

/// An imported network that is too large for one file.
fn imported() -> Bench {
    let bench = bench_of("onnx/heavy", "onnx");
    bench.write("c.json", include_str!("../../configs/tflite.json"));
    bench.done("import net.onnx -o net.json");
    bench
}

#[test]
fn many_weights_lie_beside_the_network() {
    let bench = imported();
    let text = bench.read("net.json");
    assert!(text.len() < 16 << 10, "{}", text.len());
    let network: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        network["layers"][0]["weights"],
        serde_json::json!({"file": "net.safetensors", "tensor": "conv1.w"})
    );
    let outputs = ["onnx", "json"].map(|kind| {
        let line = format!("sim -c c.json -m net.{kind} --inputs in.npy --outputs {kind}.npz");
        bench.done(&line);
        let arrays = npz(std::fs::read(bench.path().join(format!("{kind}.npz"))).unwrap());
        arrays
            .into_values()
            .map(|(_, data)| data)
            .collect::<Vec<_>>()
    });
    assert!(outputs[0] == outputs[1] && outputs[0][0].len() == 10);
    bench.done("compile net.json -c c.json -o p.json");
    // Both are written anew.
    bench.done("import net.onnx -o net.json");
    let few = bench_of("keyword", "tflite");
    few.done("import net.tflite -o net.json");
    assert!(!few.path().join("net.safetensors").exists());
}

#[test]
fn files_that_heddle_has_not_written_stay() {
    let bench = bench_of("onnx/heavy", "onnx");
    bench.write("net.safetensors", safetensors("{}", &[]));
    bench.refused(
        "import net.onnx -o net.json",
        &["net.safetensors: is no file of weights that heddle has written, it is left alone"],
    );
}

#[test]
fn only_files_beside_the_network_are_read() {
    let bench = imported();
    let text = bench.read("net.json");
    bench.write(
        "sub/net.safetensors",
        std::fs::read(bench.path().join("net.safetensors")).unwrap(),
    );
    std::os::unix::fs::symlink("sub/net.safetensors", bench.path().join("link")).unwrap();
    std::os::unix::fs::symlink("net.safetensors", bench.path().join("inside")).unwrap();
    for (name, message) in [
        (
            "sub/net.safetensors",
            "is in the file \"sub/net.safetensors\", expected the name of one in the folder of x.json, without a path",
        ),
        (
            "../net.safetensors",
            "is in the file \"../net.safetensors\", expected the name of one",
        ),
        (
            "/etc/passwd",
            "is in the file \"/etc/passwd\", expected the name of one",
        ),
        ("..", "is in the file \"..\", expected the name of one"),
        (
            "link",
            "is in link, a link out of its folder, expected a file there: copy it",
        ),
        ("nowhere", "is in nowhere: No such file or directory"),
        ("sub", "/sub: is a folder, expected a weights file"),
        (
            "c.json",
            "is in \"c.json\", which is no whole .safetensors file: ",
        ),
        ("", "layers[0].weights.file has 0 characters"),
    ] {
        bench.write("x.json", text.replacen("net.safetensors", name, 1));
        bench.refused_with(&[&format!("sim -c c.json -m x.json | {message}")]);
    }
    bench.write("x.json", text.replacen("net.safetensors", "inside", 1));
    bench.done("compile x.json -c c.json -o p.json");
}

/// A file that never ends is not waited for.
#[test]
fn a_file_of_another_kind_is_refused_at_once() {
    let bench = bench_of("onnx/outside", "onnx");
    let place = bench.path().join("outside.bin");
    let made = std::process::Command::new("mkfifo").arg(&place).status();
    assert!(made.unwrap().success());
    bench.refused_with(&["import net.onnx | outside.bin, which is no regular file, expected one"]);
}

#[test]
fn a_tensor_of_another_kind_is_refused() {
    let mut network: Value = serde_json::from_str(MODEL).unwrap();
    let weights = network["layers"][0]["weights"].as_array().unwrap().clone();
    let data: Vec<u8> = weights
        .iter()
        .map(|weight| weight.as_i64().unwrap() as u8)
        .collect();
    network["layers"][0]["weights"] = serde_json::json!({"file": "w", "tensor": "t"});
    let bench = Bench::new(&[
        ("c.json", crate::bench::CONFIG),
        ("x.json", &network.to_string()),
    ]);
    let count = data.len();
    let shape = [5, 2, 3, 3];
    let held = |kind: &str, name: &str, shape: &[usize], data: &[u8]| {
        let end = data.len();
        let header = format!(
            r#"{{"{name}":{{"dtype":"{kind}","shape":{shape:?},"data_offsets":[0,{end}]}}}}"#
        );
        bench.write("w", safetensors(&header, data));
    };
    held("I8", "t", &[count], &data);
    bench.refused_with(&[&format!("compile x.json -c c.json -o p.json | layers[0].weights is \"t\" of \"w\", whose shape is [{count}], expected [")]);
    held("U8", "t", &[count], &data);
    bench.refused_with(&["compile x.json -c c.json -o p.json | layers[0].weights is in \"w\", which has \"t\" as U8, expected I8"]);
    held("I8", "other", &[count], &data);
    bench.refused_with(&[
        "compile x.json -c c.json -o p.json | which has no tensor \"t\", but 1 others: [\"other\"]",
    ]);
    held("I8", "t", &[1, 3], &data[..3]);
    bench.refused_with(&[&format!(
        "compile x.json -c c.json -o p.json | layers[0].weights has length 3, expected {count}"
    )]);
    held("I8", "t", &shape, &data);
    bench.done("compile x.json -c c.json -o p.json");
}

#[test]
fn constants_of_an_onnx_file_lie_beside_it() {
    let bench = bench_of("onnx/outside", "onnx");
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../import/tests/data/onnx");
    let read = |file: &str| std::fs::read(format!("{data}/{file}")).unwrap();
    bench.refused_with(&[
        "import net.onnx | tensor \"conv1_weights_scale\": is in outside.bin: No such file or directory",
    ]);
    bench.write("outside.bin", &read("outside.bin")[..9]);
    bench.refused_with(&["import net.onnx | of \"outside.bin\", which has 9"]);
    bench.write("outside.bin", read("outside.bin"));
    bench.write("inside.onnx", read("keyword.onnx"));
    for name in ["net", "inside"] {
        bench.done(&format!("import {name}.onnx --name same -o {name}.json"));
    }
    assert!(bench.read("net.json") == bench.read("inside.json"));
    bench.write("net.onnx", read("external.onnx"));
    bench.refused_with(&["import net.onnx | tensor \"weights\": is in the file \"../weights.bin\", expected the name of one in the folder of net.onnx, without a path"]);
}

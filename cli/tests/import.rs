//! `heddle import`, and `.tflite` and `.onnx` files where a network is asked for.

use std::io::Read;

use serde_json::Value;

use crate::bench::{Bench, CONFIG};

pub const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../import/tests/data");

/// A folder with a network of the importer's tests as `net.tflite`, its input as `in.npy`, and the tiny preset.
pub fn bench(name: &str) -> Bench {
    bench_of(name, "tflite")
}

/// The same with a file of this format.
pub fn bench_of(name: &str, format: &str) -> Bench {
    let bench = Bench::new(&[("c.json", CONFIG)]);
    let read = |file: String| std::fs::read(format!("{DATA}/{file}")).unwrap();
    bench.write(&format!("net.{format}"), read(format!("{name}.{format}")));
    if let Ok(arrays) = std::fs::File::open(format!("{DATA}/{name}.npz")) {
        let mut input = Vec::new();
        let mut arrays = zip::ZipArchive::new(arrays).unwrap();
        let name = if format == "onnx" {
            "input.npy"
        } else {
            "input0.npy"
        };
        let mut member = arrays.by_name(name).unwrap();
        member.read_to_end(&mut input).unwrap();
        bench.write("in.npy", input);
    }
    bench
}

/// A .npy file.
pub fn npy(kind: &str, values: &[i8]) -> Vec<u8> {
    let header = format!(
        "{{'descr': '{kind}', 'fortran_order': False, 'shape': ({},), }}\n",
        values.len()
    );
    let length = (header.len() as u16).to_le_bytes();
    let values: Vec<u8> = values.iter().map(|value| *value as u8).collect();
    [
        b"\x93NUMPY\x01\x00",
        &length[..],
        header.as_bytes(),
        &values,
    ]
    .concat()
}

/// Every tensor of this network is that of the reference kernels (tests of the importer); here the Verilog computes it.
#[test]
fn a_tflite_file_runs_on_verilog() {
    let bench = bench("keyword");
    let run = bench.simulate("cosim -c c.json -m net.tflite --inputs in.npy --json");
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    let found: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        found["report"]["layers"].as_array().map(Vec::len),
        Some(5),
        "{found}"
    );
}

/// The same for a file whose bytes have no sign, and images with and without one.
#[test]
fn an_onnx_file_runs_on_verilog() {
    let bench = bench_of("onnx/flattened", "onnx");
    let run = bench.simulate("cosim -c c.json -m net.onnx --inputs in.npy --json");
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    let found: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        found["report"]["layers"].as_array().map(Vec::len),
        Some(4),
        "{found}"
    );
    let image = std::fs::read(bench.path().join("in.npy")).unwrap();
    let image: Vec<i8> = image[image.len() - 196..]
        .iter()
        .map(|&byte| byte as i8)
        .collect();
    let moved: Vec<i8> = image.iter().map(|byte| byte ^ -128).collect();
    for (name, kind, values) in [("signed.npy", "|i1", image), ("bytes.npy", "|u1", moved)] {
        bench.write(name, npy(kind, &values));
        let told = bench.done(&format!("import net.onnx -o {name}.json --inputs {name}"));
        assert!(told.contains("input 14 x 14 x 1 uint8"), "{told}");
    }
    let networks = ["signed", "bytes"].map(|name| bench.read(&format!("{name}.npy.json")));
    assert!(networks[0] == networks[1]);
}

#[test]
fn a_float_network_is_told_how_to_become_int8() {
    let lines = [
        "net.onnx: 1 of 1 layers with weights are float32; Heddle runs int8 networks",
        "quantise it: pip install onnx onnxruntime",
        "with samples beside it, test_data_set_0/input_0.pb, test_data_set_1/input_0.pb and so on, each a TensorProto:",
        "python3 -m onnxruntime.quantization.static_quantize_runner -i ./net.onnx -o ./net.int8.onnx --quant_format qdq \
         --activation_type qint8 --weight_type qint8 --per_channel",
    ];
    let bench = bench_of("onnx/float", "onnx");
    bench.refused("import net.onnx", &lines);
    bench.refused("sim -c c.json -m net.onnx", &lines);
}

#[test]
fn an_imported_network_is_that_of_the_file() {
    let bench = bench("keyword");
    let told = bench.done("import net.tflite -o net.json --inputs in.npy");
    assert!(
        told.contains("7 operators: 5 on the array, 1 folded, 1 on the host, 0 not possible"),
        "{told}"
    );
    bench.done("config check -m net.json");
    let report = |model: &str, inputs: &str| {
        let run = bench.simulate(&format!("sim -c c.json -m {model} {inputs} --json"));
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let found: Value = serde_json::from_str(&run.stdout).unwrap();
        found["report"].clone()
    };
    assert_eq!(
        report("net.json", ""),
        report("net.tflite", "--inputs in.npy")
    );
}

#[test]
fn the_page_about_import_shows_what_is_printed() {
    let page = include_str!("../../docs/import.md");
    let told = bench("keyword").done("import net.tflite");
    assert!(page.contains(&format!("```\n{told}```")), "{told}");
}

#[test]
fn all_operators_that_cannot_run_are_listed() {
    let bench = bench("unsupported");
    let run = bench.heddle("import net.tflite");
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""));
    assert!(
        run.stdout.contains("SVDF 1 (svdf/Relu)") && run.stdout.contains("2 not possible"),
        "{}",
        run.stdout
    );
    let lines = [
        "net.tflite: CUSTOM (Resonator) (\"resonator\"): no layer does this; --until \"conv1/Relu\" ends the network in front of it",
        "net.tflite: SVDF 1 (\"svdf/Relu\"): no layer does this",
        "what can run: heddle import --operators",
    ];
    bench.refused("import net.tflite -o net.json", &lines);
    bench.refused("sim -c c.json -m net.tflite", &lines);
}

#[test]
fn a_sum_that_is_not_exact_must_be_asked_for() {
    let bench = bench("residual");
    bench.refused(
        "import net.tflite -o net.json",
        &[
            "net.tflite: ADD 2 (\"add2/Relu\"): no constants are exact (at most 1 away, 1024 of 65536 inputs): \
             --inexact add takes them",
            "what can run: heddle import --operators",
        ],
    );
    let told = bench.done("import net.tflite -o net.json --inexact add");
    assert!(
        told.contains("no: at most 1 away, 1024 of 65536 inputs"),
        "{told}"
    );
    assert!(told.contains("yes, all 65536 inputs checked"), "{told}");
}

#[test]
fn wrong_arguments_are_refused() {
    let bench = bench("keyword");
    bench.write("short.npy", npy("|i1", &[0; 7]));
    bench.refused_with(&[
        "import net.tflite --until nowhere | has no tensor \"nowhere\"",
        "import c.json | is no .tflite file, whose bytes 4 to 7 are TFL3, and no .onnx file of a version and a graph",
        "import net.tflite -o c.json | c.json: is no network file, it is left alone",
        "import net.tflite -o net.json --inputs short.npy | holds 7 elements, expected a multiple of 250: 25 x 10 pixels of 1 channels",
        "sim -c c.json -m net.tflite | expected at least one image: --inputs gives some",
    ]);
}

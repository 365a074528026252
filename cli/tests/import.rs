//! `heddle import`, and `.tflite` files where a network is asked for.

use std::io::Read;

use serde_json::Value;

use crate::bench::{Bench, CONFIG};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../import/tests/data");

/// A folder with a network of the importer's tests as `net.tflite`, its input as `in.npy`, and the tiny preset.
fn bench(name: &str) -> Bench {
    let bench = Bench::new(&[("c.json", CONFIG)]);
    let read = |file: String| std::fs::read(format!("{DATA}/{file}")).unwrap();
    bench.write("net.tflite", read(format!("{name}.tflite")));
    if let Ok(arrays) = std::fs::File::open(format!("{DATA}/{name}.npz")) {
        let mut input = Vec::new();
        let mut arrays = zip::ZipArchive::new(arrays).unwrap();
        arrays
            .by_name("input0.npy")
            .unwrap()
            .read_to_end(&mut input)
            .unwrap();
        bench.write("in.npy", input);
    }
    bench
}

/// A .npy file.
fn npy(values: &[i8]) -> Vec<u8> {
    let header = format!(
        "{{'descr': '|i1', 'fortran_order': False, 'shape': ({},), }}\n",
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
        "net.tflite: CUSTOM (Resonator) (\"resonator\"): no layer does this",
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
    bench.write("short.npy", npy(&[0; 7]));
    bench.refused_with(&[
        "import net.tflite --until nowhere | has no tensor \"nowhere\"",
        "import c.json | is no .tflite file: bytes 4 to 7 are not TFL3",
        "import net.tflite -o c.json | c.json: is no network file, it is left alone",
        "import net.tflite -o net.json --inputs short.npy | holds 7 bytes, expected a multiple of 250: 25 x 10 pixels of 1 channels",
        "sim -c c.json -m net.tflite | expected at least one image: --inputs gives some",
    ]);
}

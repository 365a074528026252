//! The rows of the layers of a network: every command that prints them prints the same ones, and their MACs are those of the shapes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::{Value, json};

use crate::bench::Bench;
use crate::import::DATA;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
/// A small machine, a usual one, and one with everything that layers of .tflite files ask for.
const MACHINES: [&str; 3] = ["tiny", "edge", "tflite"];
const MODELS: [&str; 4] = ["attention", "digits", "mobile", "tiny"];
/// Networks that a machine has no room or no field for.
const REFUSED: [&str; 20] = [
    "attention.onnx on tiny",
    "attention.onnx on edge",
    "convolution.tflite on tiny",
    "convolution.tflite on edge",
    "gated.onnx on tiny",
    "gated.onnx on edge",
    "heavy.onnx on tiny",
    "keyword.onnx on tiny",
    "keyword.onnx on edge",
    "keyword_1d.tflite on tiny",
    "keyword_1d.tflite on edge",
    "mobile.json on tiny",
    "mobile.json on edge",
    "outside.onnx on tiny",
    "outside.onnx on edge",
    "segmentation.tflite on tiny",
    "segmentation.tflite on edge",
    "tiny.json on edge",
    "transformer.tflite on tiny",
    "transformer.tflite on edge",
];

/// A folder with the machines and all networks that the tests have: files, and what is imported of them as network files with an image.
struct Networks {
    bench: Bench,
    /// The files, by the names of their network files.
    files: BTreeMap<String, String>,
}

fn networks() -> Networks {
    let bench = Bench::new(&[]);
    let copy = |from: String, to: &str| bench.write(to, fs::read(from).unwrap());
    for name in MACHINES {
        copy(
            format!("{ROOT}/configs/{name}.json"),
            &format!("{name}.config"),
        );
    }
    copy(format!("{DATA}/onnx/outside.bin"), "outside.bin");
    let mut files = BTreeMap::new();
    for name in MODELS {
        copy(
            format!("{ROOT}/models/{name}.json"),
            &format!("{name}.json"),
        );
        files.insert(format!("{name}.json"), format!("{name}.json"));
    }
    for folder in [DATA.to_string(), format!("{DATA}/onnx")] {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_string();
            if !name.ends_with(".tflite") && !name.ends_with(".onnx") {
                continue;
            }
            copy(path.to_str().unwrap().to_string(), &name);
            let network = format!("{name}.json");
            if bench.heddle(&format!("import {name} -o {network}")).code == Some(0) {
                bench.write(&network, with_an_image(&bench.read(&network)).to_string());
                files.insert(network, name);
            }
        }
    }
    Networks { bench, files }
}

/// The network with an image of zeros, which has no states.
fn with_an_image(text: &str) -> Value {
    let mut network: Value = serde_json::from_str(text).unwrap();
    let further = network["further_inputs"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let states = network["states"].as_array().cloned().unwrap_or_default();
    let is_own = |input: &&Value| states.iter().all(|state| state["input"] != input["name"]);
    let inputs = further.iter().filter(is_own).chain([&network["input"]]);
    let sides = |input: &Value| ["channels", "height", "width"].map(|side| number(&input[side]));
    let elements: u64 = inputs
        .map(|input| sides(input).iter().product::<u64>())
        .sum();
    network["test"] = json!({ "images": [vec![0; elements as usize]], "labels": [] });
    network
}

fn number(value: &Value) -> u64 {
    value
        .as_u64()
        .unwrap_or_else(|| panic!("{value} is no number"))
}

/// All that a command says of the layers.
fn rows(printed: &Value) -> [Value; 4] {
    ["layers", "macs", "host_operations", "clocks"].map(|field| printed[field].clone())
}

/// Multiply-accumulates of a layer of a network file that makes `output` of `inputs`: channels, height, width.
fn macs(layer: &Value, inputs: &[[u64; 3]], output: [u64; 3]) -> u64 {
    let [channels, height, width] = inputs[0];
    let made: u64 = output.iter().product();
    let kernel = || number(&layer["kernel"][0]) * number(&layer["kernel"][1]);
    match layer["kind"].as_str().unwrap() {
        "conv2d" => made * kernel() * channels / layer["groups"].as_u64().unwrap_or(1),
        "fully_connected" => made * channels * height * width,
        "average_pool2d" => made * kernel(),
        "matmul" if layer["transposed"][0] == true => made * height,
        "matmul" => made * width,
        "add" | "weighted_sum" => made * inputs.len() as u64,
        "arg_max" | "concat" | "float32" | "gather" | "max_pool2d" | "maximum" | "mean" | "mul"
        | "pad" | "prelu" | "reduce_max" | "reshape" | "resize" | "resize_bilinear" | "slice"
        | "softmax" | "squared_difference" | "table" | "transpose" => 0,
        kind => panic!("no formula for {kind}"),
    }
}

/// The same of all layers of a network file, by name. Shapes of the tensors are those of a program.
fn macs_of(network: &Value, program: &Value) -> BTreeMap<String, u64> {
    let tensors = program["program"]["tensors"].as_array().unwrap().iter();
    let shapes: BTreeMap<&str, [u64; 3]> = tensors
        .map(|tensor| {
            (
                tensor["name"].as_str().unwrap(),
                [0, 1, 2].map(|side| number(&tensor["shape"][side])),
            )
        })
        .collect();
    let mut before = "input";
    let mut found = BTreeMap::new();
    for layer in network["layers"].as_array().unwrap() {
        let name = layer["name"].as_str().unwrap();
        let inputs = match layer["inputs"].as_array() {
            Some(inputs) if inputs[0].is_string() => {
                inputs.iter().map(|input| input.as_str().unwrap()).collect()
            }
            _ => vec![before],
        };
        let inputs: Vec<[u64; 3]> = inputs.iter().map(|input| shapes[input]).collect();
        found.insert(name.to_string(), macs(layer, &inputs, shapes[name]));
        before = name;
    }
    found
}

/// What stands in the table of rows of a text: from its heading to the sums.
fn table(text: &str) -> &str {
    let from = text.rfind("  because\n").expect("a heading");
    let from = text[..from].rfind('\n').expect("two lines of it");
    let end = text[from..].find(", one clock each\n").expect("the clocks");
    &text[from..from + end]
}

#[test]
fn all_commands_print_the_same_rows_whose_macs_are_those_of_the_shapes() {
    let Networks { bench, files } = networks();
    let (mut refused, mut places) = (Vec::new(), BTreeSet::new());
    let (mut cases, mut joins) = (0, 0);
    for (network, file) in &files {
        for machine in MACHINES {
            let case = format!("{file} on {machine}");
            let config = format!("-c {machine}.config");
            let compile = format!("compile {network} {config} -o p.program");
            let run = bench.heddle(&format!("{compile} --json"));
            if run.code != Some(0) {
                assert_eq!(run.code, Some(2), "{case}: {}", run.stderr);
                refused.push(case);
                continue;
            }
            cases += 1;
            let made: Value = serde_json::from_str(&run.stdout).unwrap();
            let layers = made["layers"].as_array().unwrap();

            let program = serde_json::from_str(&bench.read("p.program")).unwrap();
            let expected = macs_of(
                &serde_json::from_str(&bench.read(network)).unwrap(),
                &program,
            );
            for layer in layers {
                places.insert(layer["runs_on"].as_str().unwrap().to_string());
                let name = layer["layer"].as_str().unwrap();
                let own = expected.get(name).copied().unwrap_or(0);
                assert_eq!(number(&layer["macs"]), own, "{case}: {name}");
            }
            assert_eq!(
                number(&made["macs"]["all"]),
                expected.values().sum::<u64>(),
                "{case}"
            );
            let sum = |field: &str| {
                layers
                    .iter()
                    .map(|layer| number(&layer[field]))
                    .sum::<u64>()
            };
            let clocks = &made["clocks"];
            assert_eq!(number(&clocks["machine"]), sum("cycles"), "{case}");
            assert!(
                number(&clocks["host"]) > sum("host_words"),
                "{case}: the input is written too"
            );

            // A network file says nothing of how a file was imported.
            let same =
                |line: &str| assert_eq!(rows(&bench.json(line)), rows(&made), "{case}: {line}");
            same(&format!("sim {config} -m {network} --images 1 --json"));
            same(&format!(
                "sim {config} -m {network} -p p.program --images 1 --json"
            ));
            if network != file {
                let made = bench.json(&format!("compile {file} {config} -o p.program --json"));
                let found = bench.json(&format!("import {file} {config} --json"));
                assert_eq!(rows(&found), rows(&made), "{case}");
            }
            let channel = bench.json(&format!("{compile} --mapping channel --json"));
            let advised = bench.json(&format!(
                "advise --slices {config} -m {network} --images 1 --json"
            ));
            assert_eq!(rows(&advised), rows(&channel), "{case}");

            // A layer that shares a run has the cycles of one of its own.
            let whole = bench.json(&format!("{compile} --whole --json"));
            let whole = whole["layers"].as_array().unwrap();
            for (joined, layer) in whole.iter().zip(layers) {
                let case = format!("{case}: {}", layer["layer"]);
                assert_eq!(joined["cycles"], layer["cycles"], "{case}");
                joins += usize::from(joined["cycles_are"] == "alone");
            }

            let told = bench.done(&compile);
            for line in table(&told).lines() {
                assert!(line.chars().count() <= 120, "{case}: {line}");
            }
            let simulated = bench.done(&format!("sim {config} -m {network} --images 1"));
            assert_eq!(table(&simulated), table(&told), "{case}");
        }
    }
    assert_eq!(refused, REFUSED);
    assert_eq!((cases, files.len()), (55, 25));
    assert!(joins > 100, "{joins}");
    assert_eq!(places.into_iter().collect::<Vec<_>>(), ["array", "host"]);
}

/// A network file says nothing of how it was imported; from the file itself all commands know it.
#[test]
fn what_the_import_compared_stands_in_the_rows_of_all_commands() {
    let bench = crate::import::bench("keyword");
    let made = bench.json("compile net.tflite -c c.json -o p.json --json");
    assert_eq!(made["layers"][3]["known"], "all 16576 inputs compared");
    for line in [
        "import net.tflite -c c.json --json",
        "sim -m net.tflite -c c.json --inputs in.npy --json",
        "sim -m net.tflite -c c.json --inputs in.npy -p p.json --json",
    ] {
        assert_eq!(rows(&bench.json(line)), rows(&made), "{line}");
    }
}

#[test]
fn fit_prints_the_rows_of_what_it_finds() {
    let Networks { bench, .. } = networks();
    for network in ["tiny.json", "residual.tflite"] {
        let found = bench.json(&format!(
            "fit -m {network} -o small.json --fastest fast.json --json"
        ));
        for (config, name) in [("small", "smallest"), ("fast", "fastest")] {
            let made = bench.json(&format!(
                "compile {network} -c {config}.json -o p.program --json"
            ));
            assert_eq!(rows(&found[name]), rows(&made), "{network}, {name}");
            assert_eq!(found[name]["cycles"], made["clocks"]["machine"]);
        }
    }
}

#[test]
fn cosim_prints_the_rows_and_compares_nothing_of_the_host() {
    let Networks { bench, .. } = networks();
    for (network, whole) in [("tiny.json", ""), ("keyword.tflite.json", "--whole")] {
        let made = bench.json(&format!(
            "compile {network} -c tiny.config -o p.program --json {whole}"
        ));
        let cosim = format!("cosim -c tiny.config -m {network} -p p.program --images 1");
        let run = bench.simulate(&format!("{cosim} --json"));
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{network}");
        let found: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(rows(&found), rows(&made), "{network}");
        let runs = found["report"]["layers"].as_array().unwrap();
        assert!(
            runs.iter().all(|run| run["compared"] != run["host"]),
            "{network}"
        );
        let told = bench.simulate(&cosim).stdout;
        let hosted = runs.iter().filter(|run| run["host"] == true).count();
        assert_eq!(
            told.contains(&format!(
                "\nnot compared: what the host computes, {hosted} layers; "
            )),
            hosted > 0
        );
    }
}

/// Without a field that a layer needs the host runs it, or the network is refused; other fields nobody misses.
#[test]
fn what_layers_need_is_what_they_miss() {
    let Networks { bench, files } = networks();
    let fields = ["activations", "dual_scale", "left_shift", "pooling"];
    for field in fields {
        let mut machine: Value = serde_json::from_str(&bench.read("tflite.config")).unwrap();
        machine["post"].as_object_mut().unwrap().remove(field);
        bench.write(&format!("no_{field}.config"), machine.to_string());
    }
    let (mut needed, mut always) = (BTreeMap::new(), 0);
    for file in files
        .iter()
        .filter(|(network, file)| network != file)
        .map(|(_, file)| file)
    {
        let told = bench.json(&format!("import {file} --json"));
        let operators = told["operators"].as_array().unwrap();
        always += operators
            .iter()
            .filter(|operator| operator["host_always"].is_string())
            .count();
        let needs: BTreeSet<&str> = (operators.iter())
            .flat_map(|operator| operator["needs"].as_array().into_iter().flatten())
            .map(|field| field.as_str().unwrap())
            .collect();
        for field in fields {
            let run = bench.heddle(&format!("import {file} -c no_{field}.config --json"));
            let missed = [run.stdout, run.stderr]
                .iter()
                .any(|said| said.contains(&format!("post.{field}")));
            assert_eq!(
                missed,
                needs.contains(format!("post.{field}").as_str()),
                "{file} without {field}"
            );
            *needed.entry(field).or_insert(0) += usize::from(missed);
        }
    }
    assert_eq!(
        (needed.into_values().collect::<Vec<_>>(), always),
        (vec![3, 4, 4, 5], 49)
    );
}

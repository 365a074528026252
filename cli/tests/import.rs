//! `heddle import`, and `.tflite` and `.onnx` files where a network is asked for.

use std::io::Read;

use serde_json::Value;

use crate::arrays::{archive, bench_of_operator, bench_of_two, file, npz, recorded};
use crate::bench::{Bench, CONFIG, Run};

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
        Some(6),
        "{found}"
    );
}

#[test]
fn instructions_of_each_run_end_with_halt() {
    let bench = bench("keyword");
    for (options, count) in [("", 6), ("--whole", 2)] {
        let asm = bench.done(&format!(
            "compile net.tflite -c c.json --dump asm {options}"
        ));
        let asm = format!("\n{asm}");
        let runs: Vec<&str> = asm.split("\n# ").skip(1).collect();
        assert_eq!(runs.len(), count, "{asm}");
        let (host, machine) = runs.split_last().expect("runs");
        assert_eq!(*host, "softmax, on the host\n");
        for run in machine {
            let halts = run.lines().position(|line| line.starts_with("halt"));
            assert_eq!(halts, Some(run.lines().count() - 1), "{run}");
        }
    }
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
        told.contains(
            "7 operators: 5 for a machine, 1 folded, 1 for the host always, 0 not possible"
        ),
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

/// Every command of the page runs, and prints what the page shows of it. The reference is what it gave once.
#[test]
fn the_page_about_import_shows_what_is_printed() {
    let page = include_str!("../../docs/import.md");
    let bench = bench("keyword");
    let model = std::fs::read(bench.path().join("net.tflite")).unwrap();
    bench.write("keyword.tflite", model);
    bench.write("configs/tiny.json", CONFIG);
    interpreter(&bench, &GIVE.replace("fake 1.0", "ai_edge_litert 2.3.0"));
    let recorded = recorded(&bench, "keyword");
    given(&bench, "tflite", 0, (0, 0));
    let mut shown = 0;
    let commands = page
        .lines()
        .filter_map(|line| line.strip_prefix("    heddle "));
    for line in commands.clone() {
        let mut command = bench.command(line);
        command.env("HEDDLE_PYTHON", bench.path().join("python"));
        let run = bench.with_cache(command);
        assert_eq!((run.code, &run.stderr[..]), (Some(0), ""), "{line}");
        let last = run.stdout.rsplit("\n\n").next().unwrap_or_default();
        let told = [&run.stdout[..], last];
        shown += usize::from(
            told.iter()
                .any(|told| page.contains(&format!("```\n{told}```"))),
        );
    }
    // The table of operators is printed twice.
    assert_eq!((commands.count(), shown), (9, 4));
    let arrays = |name: &str| npz(std::fs::read(bench.path().join(name)).unwrap());
    let (golden, rtl) = (arrays("golden.npz"), arrays("rtl.npz"));
    assert_eq!((golden.len(), rtl.len()), (1, 6));
    for (name, (_, data)) in golden.iter().chain(&rtl) {
        assert!(*data == recorded[name], "{name}");
    }
    assert!(bench.path().join("run.fst").exists());
}

/// Lines of a block of code that a page shows, but `...`: those of the block with this word.
fn shown<'p>(page: &'p str, word: &str) -> Vec<&'p str> {
    let mut blocks = page.split("```\n").skip(1).step_by(2);
    let block = blocks.find(|block| block.contains(word)).expect("a block");
    block.lines().filter(|line| *line != "...").collect()
}

/// Every command with a file runs, in its order, and cosim prints what is shown of it.
#[test]
fn the_readme_goes_from_a_file_to_outputs() {
    let page = include_str!("../../README.md");
    let bench = bench("keyword");
    let mut printed = Vec::new();
    for line in page
        .lines()
        .filter_map(|line| line.strip_prefix("    heddle "))
    {
        let run = bench.simulate(line);
        assert_eq!((run.code, &run.stderr[..]), (Some(0), ""), "{line}");
        printed.push(run.stdout);
    }
    let [_, _, cosim, _] = &printed[..] else {
        panic!("{} commands", printed.len());
    };
    for line in shown(page, "conv1/Relu") {
        assert!(
            cosim.lines().any(|printed| printed == line),
            "{line}\n{cosim}"
        );
    }
    assert!(
        ["o.npz", "rtl/filelist.f"]
            .iter()
            .all(|file| bench.path().join(file).exists())
    );
}

/// The golden machine prints the same tables as the Verilog, but for speed and verdict.
#[test]
fn the_page_about_the_command_shows_the_demo() {
    let page = include_str!("../../docs/commands.md");
    let bench = Bench::new(&[
        ("edge.json", include_str!("../../configs/edge.json")),
        ("digits.json", include_str!("../../models/digits.json")),
    ]);
    let printed = bench.done("sim -c edge.json -m digits.json --images 20");
    let lines = shown(page, "digits on edge");
    for line in &lines[..lines.len() - 2] {
        assert!(
            printed.lines().any(|printed| printed == *line),
            "{line}\n{printed}"
        );
    }
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
    assert!(run.stdout.contains("  unknown  yes\n"), "{}", run.stdout);
    bench.refused(
        "import net.tflite -c none.json",
        &["none.json: cannot read configuration: No such file or directory (os error 2)"],
    );
    let listed = bench.heddle("import net.tflite --list");
    assert_eq!((listed.code, &listed.stdout), (Some(1), &run.stdout));
    let lines = [
        "net.tflite: CUSTOM (Resonator) (\"resonator\"): no layer does this; --until \"conv1/Relu\" ends the network in front of it",
        "net.tflite: SVDF 1 (\"svdf/Relu\"): no layer does this",
        "what can run: heddle import --operators",
    ];
    bench.refused("import net.tflite -o net.json", &lines);
    bench.refused("sim -c c.json -m net.tflite", &lines);
}

#[test]
fn a_weighted_sum_must_be_asked_for() {
    let bench = bench("residual");
    let told = bench.done("import net.tflite -o net.json");
    assert!(!told.contains("  no: "), "{told}");
    let told = bench.done("import net.tflite -o net.json --inexact add");
    assert!(
        told.contains("no: at most 1 away, 1024 of 65536 inputs"),
        "{told}"
    );
    assert!(told.contains("yes, all 65536 inputs compared"), "{told}");
}

/// A program in place of the Python interpreter, which gets `-`, a folder and the format.
fn interpreter(bench: &Bench, script: &str) {
    use std::os::unix::fs::PermissionsExt;
    bench.write("python", format!("#!/bin/sh\n{script}\n"));
    let path = bench.path().join("python");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// `heddle import net.FORMAT --check` with that program.
fn check(bench: &Bench, format: &str, options: &str) -> Run {
    let mut command = bench.command(&format!("import net.{format} --check {options}"));
    command.env("HEDDLE_PYTHON", bench.path().join("python"));
    Bench::run(command)
}

/// The outputs of a reference: those of the golden machine, with so many bytes of the array `at` moved by `step`.
fn given(bench: &Bench, format: &str, at: usize, (bytes, step): (usize, u8)) {
    let model = format!("net.{format}");
    bench.done(&format!(
        "sim -c c.json -m {model} --inputs in.npy --outputs out.npz --tensors"
    ));
    let mut arrays = npz(std::fs::read(bench.path().join("out.npz")).unwrap());
    let rows = bench.json(&format!("import {model} --json"));
    let rows = rows["operators"].as_array().unwrap();
    let layers = rows.iter().filter(|row| row["layer"].is_string());
    let members = layers.enumerate().map(|(number, row)| {
        let (header, mut data) = arrays.remove(row["tensor"].as_str().unwrap()).unwrap();
        for byte in data.iter_mut().take(if number == at { bytes } else { 0 }) {
            *byte = byte.wrapping_add(step);
        }
        (number.to_string(), file((header, data)))
    });
    let members: Vec<(String, Vec<u8>)> = members.collect();
    let members: Vec<(&str, Vec<u8>)> = members.iter().map(|(n, f)| (&n[..], f.clone())).collect();
    bench.write("given.npz", archive(&members));
}

const GIVE: &str =
    "cat > script; cp \"$2/request.json\" .; cp given.npz \"$2/outputs.npz\"; echo fake 1.0";

#[test]
fn tensors_are_held_against_the_reference() {
    let bench = bench("keyword");
    interpreter(&bench, GIVE);
    given(&bench, "tflite", 0, (0, 0));
    let run = check(&bench, "tflite", "--inputs in.npy");
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    assert_eq!(
        run.stdout.matches(" bytes equal\n").count(),
        6,
        "{}",
        run.stdout
    );
    assert!(
        run.stdout
            .ends_with("\nas reported: fake 1.0 on 1 images\n"),
        "{}",
        run.stdout
    );
    assert!(bench.read("script").contains("BUILTIN_REF"));
    let request: Value = serde_json::from_str(&bench.read("request.json")).unwrap();
    assert_eq!(
        request["tensors"][0],
        serde_json::json!({"name": "conv1/Relu", "index": 3})
    );

    // The layer that differs is named, those that read it are not.
    given(&bench, "tflite", 1, (3, 2));
    let run = check(&bench, "tflite", "--inputs in.npy");
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(
        run.stdout
            .contains("  3 of 520 bytes differ, at most by 2\n"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout
            .ends_with("\nNOT as reported: fake 1.0 on 1 images\n"),
        "{}",
        run.stdout
    );
    let run = check(&bench, "tflite", "--inputs in.npy --json");
    let found: Value = serde_json::from_str(&run.stdout).unwrap();
    let tensors = found["check"]["tensors"].as_array().unwrap();
    let differ: Vec<u64> = tensors
        .iter()
        .filter_map(|tensor| tensor["differ"].as_u64())
        .collect();
    assert_eq!((differ[1], tensors[1]["most"].as_u64()), (3, Some(2)));
    assert_eq!(found["check"]["as_reported"], false);

    // Tensors of other images have other sizes: nothing was compared.
    let run = check(&bench, "tflite", "");
    assert_eq!(run.code, Some(1), "{}", run.stdout);
    assert_eq!(
        run.stdout.matches("  not compared: ").count(),
        6,
        "{}",
        run.stdout
    );
}

/// Not one of them may differ, in .onnx files neither.
#[test]
fn places_are_held_against_the_reference() {
    for (archive, model, input, format) in [
        ("operators.npz", "arg_max_of_height", "input0", "tflite"),
        (
            "onnx/operators.npz",
            "qdq_arg_max_width_int8",
            "input",
            "onnx",
        ),
    ] {
        let (bench, mut take) = bench_of_operator(archive, model, format);
        bench.write("in.npy", file(take(input)));
        interpreter(&bench, GIVE);
        for (moved, code, verdict) in [
            ((0, 0), 0, "all 24 bytes equal\nas reported"),
            (
                (1, 1),
                1,
                "1 of 24 bytes differ, at most by 1\nNOT as reported",
            ),
        ] {
            given(&bench, format, 0, moved);
            let run = check(&bench, format, "--inputs in.npy");
            assert_eq!(run.code, Some(code), "{}{}", run.stdout, run.stderr);
            assert!(run.stdout.contains(verdict), "{}", run.stdout);
        }
    }
}

/// Products of matrices lie between layers that no operator is.
#[test]
fn layers_that_are_parts_of_an_operator_are_not_held_against_the_reference() {
    let bench = bench("transformer");
    bench.write("c.json", include_str!("../../configs/tflite.json"));
    interpreter(&bench, GIVE);
    given(&bench, "tflite", 0, (0, 0));
    let run = check(&bench, "tflite", "--inputs in.npy --json");
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    let found: Value = serde_json::from_str(&run.stdout).unwrap();
    let tensors = found["check"]["tensors"].as_array().unwrap();
    assert!(tensors.len() > 30, "{}", run.stdout);
    assert!(
        tensors.iter().all(|tensor| tensor["differ"] == 0),
        "{}",
        run.stdout
    );
}

#[test]
fn the_reference_is_given_each_input() {
    let (bench, [a, b, expected]) = bench_of_two("concatenation");
    let expected: Vec<i8> = expected.iter().map(|&byte| byte as i8).collect();
    bench.write(
        "in.npz",
        archive(&[("input0", a.clone()), ("input1", b.clone())]),
    );
    bench.write("given.npz", archive(&[("0", npy("|i1", &expected))]));
    interpreter(&bench, &format!("cp \"$2/inputs.npz\" .; {GIVE}"));
    let run = check(&bench, "tflite", "--inputs in.npz");
    let told = "  all 84 bytes equal\nas reported: fake 1.0 on 1 images\n";
    assert!(run.stdout.ends_with(told), "{}{}", run.stdout, run.stderr);
    let request: Value = serde_json::from_str(&bench.read("request.json")).unwrap();
    let name = |input: usize| request["inputs"][input]["name"].as_str();
    assert_eq!([name(0), name(1)], [Some("input0"), Some("input1")]);
    let written = npz(std::fs::read(bench.path().join("inputs.npz")).unwrap());
    for (place, file) in [("0", a), ("1", b)] {
        assert!(file.ends_with(&written[place].1), "{place}");
    }
    // Random images have all inputs too.
    let run = check(&bench, "tflite", "");
    assert_eq!((run.code, &run.stderr[..]), (Some(1), ""), "{}", run.stdout);
}

/// onnxruntime computes with float32: few bytes may be a step away.
#[test]
fn few_bytes_of_onnxruntime_may_be_a_step_away() {
    let bench = bench_of("onnx/flattened", "onnx");
    interpreter(&bench, GIVE);
    // 60 images have 12,960 bytes of the second layer, which none reads here.
    let image = std::fs::read(bench.path().join("in.npy")).unwrap();
    let image: Vec<i8> = image[image.len() - 196..]
        .iter()
        .map(|&b| b as i8)
        .collect();
    bench.write("in.npy", npy("|i1", &image.repeat(60)));
    for (moved, code) in [((1, 1), 0), ((1, 2), 1), ((2, 1), 1)] {
        given(&bench, "onnx", 1, moved);
        let run = check(&bench, "onnx", "--inputs in.npy --until pool1");
        assert_eq!(
            run.code,
            Some(code),
            "{moved:?}: {}{}",
            run.stdout,
            run.stderr
        );
        let told = format!(
            "  {} of 12960 bytes differ, at most by {}\n",
            moved.0, moved.1
        );
        assert!(run.stdout.contains(&told), "{}", run.stdout);
    }
}

#[test]
fn a_reference_that_is_missing_is_named() {
    for (format, packages) in [
        ("tflite", "ai-edge-litert numpy"),
        ("onnx", "onnx onnxruntime"),
    ] {
        let name = ["keyword", "onnx/keyword"][usize::from(format == "onnx")];
        let bench = bench_of(name, format);
        let refused = |script: &str, lines: &[&str]| {
            interpreter(&bench, script);
            let run = check(&bench, format, "");
            assert_eq!((run.code, &run.stdout[..]), (Some(2), ""), "{}", run.stderr);
            let told: Vec<&str> = run.stderr.lines().collect();
            assert_eq!(told.len(), lines.len(), "{told:?}");
            for (told, line) in told.iter().zip(lines) {
                assert!(told.contains(line), "{told}");
            }
        };
        // An interpreter without any package.
        let install = format!("python -m pip install {packages}");
        refused(
            "exec python3 -I -S \"$@\"",
            &[
                "--check needs the reference: No module named ",
                &install,
                "HEDDLE_PYTHON",
            ],
        );
        refused(
            "cat > /dev/null; echo broken >&2; exit 1",
            &["the reference failed (exit status: 1): broken"],
        );
        refused("cat > /dev/null", &["the reference gave no tensors"]);
        std::fs::remove_file(bench.path().join("python")).unwrap();
        let run = check(&bench, format, "");
        assert!(
            run.stderr.starts_with("error: cannot run "),
            "{}",
            run.stderr
        );
    }
}

/// The int32 of the reference wrap where a scale is too small: no command says that such a layer is exact.
#[test]
fn a_layer_that_is_not_exact_is_told() {
    for (model, exact, difference) in [
        ("mul_15", "yes", ""),
        ("mul_16", "no", "at most 255 away, "),
        ("leaky_relu_27", "no", "at most 255 away, "),
    ] {
        let (bench, _) = bench_of_operator("ratios.npz", model, "tflite");
        bench.write("c.json", include_str!("../../configs/tflite.json"));
        for line in [
            "import net.tflite",
            "compile net.tflite -c c.json -o p.json",
        ] {
            let told = bench.done(line);
            let mut rows = told.lines().filter(|line| line.starts_with("output "));
            assert!(
                rows.any(|row| row.contains(&format!("  {exact}")) && row.contains(difference)),
                "{told}"
            );
        }
        // The import's finding reaches what the compiler says of the layer.
        let made = bench.json("compile net.tflite -c c.json -o p.json --json");
        let layers = made["layers"].as_array().unwrap().iter();
        let mut layer = layers.filter(|layer| layer["layer"] == "output");
        let layer = layer.next().unwrap();
        assert_eq!(layer["exact"], exact == "yes");
        let known = layer["known"].as_str().unwrap();
        assert!(known.starts_with(difference), "{known}");
    }
}

#[test]
fn wrong_arguments_are_refused() {
    let unnamed = bench("unnamed");
    let line = "import net.tflite --until #1 -o net.json";
    assert_eq!(unnamed.heddle(line).code, Some(0), "{line}");
    unnamed.refused_with(&["import net.tflite --until #9 | has no tensor \"#9\""]);
    let mut nowhere = unnamed.command("import net.tflite --until");
    nowhere.arg("");
    let run = Bench::run(nowhere);
    assert!(run.stderr.contains("has no tensor \"\""), "{}", run.stderr);
    let bench = bench("keyword");
    bench.write("short.npy", npy("|i1", &[0; 7]));
    bench.refused_with(&[
        "import net.tflite --until nowhere | has no tensor \"nowhere\"",
        "import net.tflite --list -o net.json | cannot be used with",
        "import net.tflite --inputs in.npy | --output <NETWORK>|--check",
        "import c.json | is no .tflite file, whose bytes 4 to 7 are TFL3, and no .onnx file of a version and a graph",
        "import net.tflite -o c.json | c.json: is no network file, it is left alone",
        "import net.tflite -o net.json --inputs short.npy | holds 7 elements, expected a multiple of 250: 25 x 10 pixels of 1 channels",
        "sim -c c.json -m net.tflite | expected at least one image: --inputs gives some",
    ]);
}

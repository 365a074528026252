//! `heddle advise --slices`.

use crate::bench::{Bench, CONFIG, MODEL};
use heddle_arch::Params;
use heddle_arch::params::{SlicedMemory, Slices};
use heddle_network::Network;
use heddle_sim::machine::Machine;
use serde_json::{Value, json};

const DOCUMENT: &str = include_str!("../../docs/sliced.md");
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

#[track_caller]
fn report(bench: &Bench, arguments: &str) -> Value {
    bench.json(&format!("advise --slices --json {arguments}"))
}

fn histogram(populations: &Value, unit_bits: u32) -> Vec<u64> {
    let populations = populations.as_array().expect("a list").iter();
    let mut same = populations.filter(|p| p["unit_bits"] == unit_bits);
    let words = same.next().expect("a unit size")["words"].clone();
    serde_json::from_value(words).expect("numbers")
}

fn layout<'a>(report: &'a Value, unit_bits: u32, widths: &[u32], mask: &str) -> &'a Value {
    let layouts = report["layouts"].as_array().expect("layouts");
    let mut same = layouts.iter().filter(|l| {
        l["unit_bits"] == unit_bits && l["widths"] == json!(widths) && l["mask"] == mask
    });
    same.next().expect("a legal layout")
}

/// One word for each of the 256 masks of 8 bytes.
fn all_masks() -> Vec<u8> {
    let word = |mask: u32| (0..8).map(move |i| (mask >> (7 - i) & 1) as u8 * 0x40);
    (0..256).flat_map(word).collect()
}

#[proves("SPM-41")]
#[test]
fn all_masks_give_the_bits_of_an_independent_half() {
    let bench = Bench::new(&[]);
    bench.write("masks.bin", all_masks());
    let report = report(&bench, "masks.bin");
    assert_eq!(
        (&report["words"], &report["plain_bits"]),
        (&json!(256), &json!(64))
    );
    let populations = &report["populations"];
    assert_eq!(histogram(populations, 8), [1, 8, 28, 56, 70, 56, 28, 8, 1]);
    // The row of z = 0.5 in table 7.2.
    for (mask, widths, expected) in [
        ("slice", [4, 4], 51.50),
        ("field", [4, 4], 51.62),
        ("hybrid", [4, 4], 53.38),
        ("slice", [5, 3], 51.31),
    ] {
        let bits = layout(&report, 8, &widths, mask)["bits"]
            .as_f64()
            .expect("bits");
        assert!((bits - expected).abs() < 0.006, "{mask} {widths:?}: {bits}");
    }
    let zero = layout(&report, 8, &[4, 4], "hybrid")["break_even"].as_f64();
    assert!((zero.expect("a share") - 0.258).abs() < 0.001);
    // 400 layouts: see blocks/tests/slices.rs.
    let layouts = report["layouts"].as_array().expect("layouts");
    assert_eq!(layouts.len(), 77 + 306 + 15 + 2);
    let bits: Vec<f64> = layouts
        .iter()
        .map(|l| l["bits"].as_f64().expect("bits"))
        .collect();
    assert!(bits.is_sorted());
    assert_eq!(report["recommended"]["bits"], bits[0]);
}

#[proves("SPM-41")]
#[test]
fn a_target_lists_exactly_the_layouts_that_reach_it() {
    let bench = Bench::new(&[]);
    bench.write("masks.bin", all_masks());
    let found = report(&bench, "masks.bin --target 19.5 --unit-bits 8");
    let mut reached = 0;
    for layout in found["layouts"].as_array().expect("layouts") {
        let saving = layout["saving"].as_f64().expect("a saving");
        assert_eq!(layout["meets_target"], saving >= 0.195, "{layout}");
        reached += usize::from(layout["meets_target"] == true);
    }
    // 19.53 % of [4, 4] and 19.8 % of [5, 3] are the only ones of two slices and a mask slice.
    let two =
        |l: &&Value| l["mask"] == "slice" && l["widths"].as_array().is_some_and(|w| w.len() == 2);
    let layouts = found["layouts"]
        .as_array()
        .expect("layouts")
        .iter()
        .filter(two);
    let reached_by_two: Vec<&Value> = layouts.filter(|l| l["meets_target"] == true).collect();
    let widths: Vec<&Value> = reached_by_two.iter().map(|l| &l["widths"]).collect();
    assert_eq!(widths, [&json!([5, 3]), &json!([4, 4])]);
    let stdout = bench.done("advise --slices masks.bin --unit-bits 8 --target 19.5");
    let line = format!("\n{reached} layouts save at least 19.5 %\n");
    assert!(stdout.contains(&line), "{stdout}");
    assert_eq!(stdout.matches(" of 8 bits  ").count(), reached);
    // [4, 4] moves 13184 of 16384 bits and saves exactly 19.53125 %.
    for (target, meets) in [("19.53125", true), ("19.53126", false)] {
        let arguments = format!("masks.bin --unit-bits 8 --target {target}");
        let found = report(&bench, &arguments);
        let layout = layout(&found, 8, &[4, 4], "slice");
        assert_eq!(layout["meets_target"], meets, "{target}");
    }
    // Nothing saves half of these.
    let run = bench.heddle("advise --slices masks.bin --target 50");
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""));
    assert!(
        run.stdout.contains("\n0 layouts save at least 50 %\n"),
        "{}",
        run.stdout
    );
}

#[test]
fn files_of_every_kind_hold_the_same_words() {
    let bench = Bench::new(&[]);
    let bytes: Vec<u8> = (0..64u32).map(|i| (i * i % 7 * 40) as u8).collect();
    bench.write("a.raw", &bytes);
    let signed: Vec<i8> = bytes.iter().map(|byte| *byte as i8).collect();
    bench.write("signed.json", json!(signed).to_string());
    bench.write("unsigned.json", json!(bytes).to_string());
    let header = "{'descr': '|u1', 'fortran_order': False, 'shape': (4, 16), }\n";
    let mut array = b"\x93NUMPY\x01\x00".to_vec();
    array.extend((header.len() as u16).to_le_bytes());
    array.extend(header.as_bytes());
    array.extend(&bytes);
    bench.write("a.npy", &array);
    for word_bytes in ["4", "8", "16", "32"] {
        let of = |file| report(&bench, &format!("{file} --word-bytes {word_bytes}"));
        let raw = of("a.raw");
        assert_eq!(
            raw["words"],
            64 / word_bytes.parse::<u64>().expect("a number")
        );
        for file in ["signed.json", "unsigned.json", "a.npy"] {
            assert_eq!(of(file), raw, "{file}");
        }
    }
    let shifted: Vec<u8> = bytes.iter().map(|byte| byte.wrapping_sub(7)).collect();
    bench.write("shifted.raw", &shifted);
    let raw = report(&bench, "a.raw");
    for zero_point in ["-7", "249"] {
        let found = report(&bench, &format!("shifted.raw --zero-point {zero_point}"));
        assert_eq!(found, raw, "{zero_point}");
    }
}

#[test]
fn words_of_a_network_are_those_in_the_golden_machine() {
    let bench = Bench::new(&[("c.json", CONFIG), ("m.json", MODEL)]);
    let params = Params::from_json(CONFIG).expect("a preset");
    let network = Network::from_json(MODEL).expect("a network");
    // Without copies of the input: each word counts once.
    let options = heddle_compiler::Options {
        mapping: Some(heddle_compiler::Mapping::Channel),
        ..heddle_compiler::Options::default()
    };
    let program = heddle_compiler::compile(&network, &params, &options)
        .expect("it fits")
        .program;
    let mut expected = vec![vec![0; 9]; program.tensors.len()];
    for image in &network.images[..2] {
        let mut machine = Machine::new(&params);
        for &(partition, word, bytes) in &program.once.image {
            machine.write_word(partition, word, bytes);
        }
        for column in &program.once.columns {
            machine.write_bias(column.column, column.tile, column.bias);
            machine.write_scale(column.column, column.tile, column.scale);
        }
        for &(row, entry, offset) in &program.once.row_offsets {
            machine.write_row_offset(row, entry, offset);
        }
        machine.write_program(0, &program.once.words);
        machine.set_host_zero(program.tensors[0].zero_point);
        for (partition, word, bytes) in program.tensors[0].pack(image).expect("an image") {
            machine.write_word(partition, word, bytes);
        }
        machine.set_host_zero(0);
        // Tensors may share memory: each is looked at while it is there.
        for (tensor, words) in expected.iter_mut().enumerate() {
            if let Some(run) = tensor.checked_sub(1) {
                machine
                    .run(program.runs[run].start_pc, 1 << 20)
                    .expect("it ends");
            }
            for (partition, word) in program.tensors[tensor].word_places() {
                let bytes = machine.read_word(partition, word);
                words[bytes.iter().filter(|byte| **byte != 0).count()] += 1;
            }
        }
    }
    let arguments = "-c c.json -m m.json --images 2";
    let found = report(&bench, arguments);
    let tensors = found["tensors"].as_array().expect("tensors");
    assert_eq!(tensors.len(), expected.len());
    let mut total = vec![0; 9];
    for (tensor, (plan, words)) in tensors.iter().zip(program.tensors.iter().zip(&expected)) {
        assert_eq!(tensor["name"], plan.name);
        assert_eq!(
            histogram(&tensor["populations"], 8),
            *words,
            "{}",
            plan.name
        );
        total.iter_mut().zip(words).for_each(|(sum, n)| *sum += n);
    }
    assert_eq!(histogram(&found["populations"], 8), total);
    assert_eq!(found["configured"]["slices"]["widths"], json!([4, 4]));
    assert_eq!(
        found["configured"]["bits"],
        layout(&found, 8, &[4, 4], "slice")["bits"]
    );

    let conv = report(&bench, &format!("{arguments} --layer conv2"));
    let plan = program
        .tensors
        .iter()
        .position(|t| t.name == "conv2")
        .expect("conv2");
    assert_eq!(histogram(&conv["populations"], 8), expected[plan]);

    let all = report(&bench, &format!("{arguments} --weights"));
    let weights = all["tensors"]
        .as_array()
        .and_then(|t| t.last())
        .expect("tensors");
    let tensor_words = program.tensors.iter().map(|t| (t.base + t.bytes) / 8).max();
    let mut words = vec![0; 9];
    for (_, word, bytes) in &program.once.image {
        if Some(*word) >= tensor_words {
            words[bytes.iter().filter(|byte| **byte != 0).count()] += 1;
        }
    }
    assert!(words.iter().sum::<u64>() > 20 && words[..8].iter().sum::<u64>() > 0);
    assert_eq!(weights["name"], "weights");
    assert_eq!(histogram(&weights["populations"], 8), words);
}

/// The fragment in the last line of a report, in a configuration with a stand-alone memory.
#[track_caller]
fn configuration(text: &str, section: &str) -> Params {
    let line = text.lines().last().expect("a report");
    let fragment = line.strip_prefix("\"slices\": ").expect("a fragment");
    let config = match section {
        "sliced" => CONFIG.replacen(
            '{',
            &format!("{{ \"sliced\": {{ \"words\": 64, {line} }},"),
            1,
        ),
        _ => CONFIG.replace("{ \"word_bytes\": 8, \"widths\": [4, 4] }", fragment),
    };
    Params::from_json(&config).unwrap_or_else(|e| panic!("{line}: {e}"))
}

#[test]
fn the_recommended_fragment_is_a_valid_configuration() {
    let bench = Bench::new(&[]);
    bench.write("masks.bin", all_masks());
    let mostly_zero: Vec<u8> = (0..1024).map(|i| u8::from(i % 12 == 0)).collect();
    bench.write("zeros.bin", mostly_zero);
    bench.write("dense.bin", [0x11; 64]);
    for file in ["masks.bin", "zeros.bin", "dense.bin"] {
        for word_bytes in ["4", "8", "16", "32"] {
            let arguments = format!("{file} --word-bytes {word_bytes}");
            let stdout = bench.done(&format!("advise --slices {arguments}"));
            let slices = configuration(&stdout, "sliced").sliced_memory().slices;
            let recommended = report(&bench, &arguments)["recommended"]["slices"].clone();
            let expected: Slices = serde_json::from_value(recommended).expect("slices");
            assert_eq!(slices, expected);
            assert_eq!(slices.plain, file == "dense.bin", "{stdout}");
            if word_bytes == "8" {
                let machine = configuration(&stdout, "state_buffer");
                assert_eq!(machine.state_buffer.slices, expected);
            }
        }
    }
}

#[test]
fn every_listed_layout_and_network_is_legal() {
    let bench = Bench::new(&[("c.json", CONFIG), ("m.json", MODEL)]);
    let found = report(&bench, "-c c.json -m m.json");
    let mut params = Params::from_json(CONFIG).expect("a preset");
    for layout in found["layouts"].as_array().expect("layouts") {
        let networks = layout["networks"].as_array().expect("networks");
        for network in ["full", "half", "split"] {
            let options = json!({
                "unit_bits": layout["unit_bits"],
                "widths": layout["widths"],
                "mask": layout["mask"],
                "network": network,
            });
            let slices: Slices = serde_json::from_value(options).expect("slices");
            params.sliced = Some(SlicedMemory { words: 64, slices });
            let listed = networks.contains(&json!(network));
            assert_eq!(params.validate().is_ok(), listed, "{layout} {network}");
        }
    }
}

#[test]
fn all_layouts_are_printed_on_request() {
    let bench = Bench::new(&[]);
    bench.write("masks.bin", all_masks());
    let lines = |arguments: &str| {
        let stdout = bench.done(&format!("advise --slices masks.bin {arguments}"));
        let layouts = |line: &&str| line.contains("] of ") && line.contains(" %  ");
        stdout.lines().filter(layouts).count()
    };
    assert_eq!(lines("--all"), 400);
    assert_eq!(lines("--all --unit-bits 8 --unit-bits 32"), 79);
    assert_eq!(lines(""), 3 * 6 + 2);
}

#[test]
fn the_example_of_the_document_is_what_the_command_prints() {
    let section = DOCUMENT
        .split("## Choosing slices")
        .nth(1)
        .expect("a section");
    let block = section.split("```text\n").nth(1).expect("an example");
    let block = block.split("```").next().expect("an end");
    let (command, expected) = block.split_once('\n').expect("lines");
    let command = command.strip_prefix("$ heddle ").expect("a command");
    let mut run = Bench::new(&[]).command(command);
    let output = run.current_dir(ROOT).output().expect("the binary runs");
    let printed = String::from_utf8(output.stdout).expect("text");
    assert_eq!(printed, expected);
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn bad_input_is_refused() {
    let bench = Bench::new(&[
        ("c.json", CONFIG),
        ("m.json", MODEL),
        ("list.json", "[1, 2,\n 300]"),
        ("object.json", "{\n}"),
        ("float.json", "[1,\n 0.5]"),
        ("none.json", "[]"),
        ("a.npy", "[1]"),
        ("empty", ""),
        ("odd", "0123456789abc"),
    ]);
    std::fs::create_dir(bench.path().join("folder")).expect("a folder");
    bench.refusals("advise --slices", &[
        "empty | empty: holds no activations, expected words of 8 bytes",
        "odd | odd: holds 13 bytes, expected a multiple of 8, the bytes of a word",
        "none.json --word-bytes 4 | none.json: holds no activations, expected words of 4 bytes",
        "list.json | list.json: value 2 is 300, expected a whole number from -128 to 255",
        "object.json | object.json:1: expected a JSON list of whole numbers from -128 to 255: invalid type: map, expected a sequence",
        "float.json | float.json:2: expected a JSON list of whole numbers from -128 to 255: invalid type: floating point `0.5`, expected i64",
        "a.npy | a.npy: is not a .npy file",
        "missing | missing: cannot read data: No such file or directory (os error 2)",
        "folder | folder: is a folder, expected a data file",
        "odd --word-bytes 13 | --word-bytes is 13, expected 4, 8, 16 or 32",
        "odd --zero-point 256 | --zero-point is 256, expected -128 to 255",
        "odd --unit-bits 12 | --unit-bits is 12, expected one of 4, 8, 16, 32 in words of 8 bytes",
        "odd --word-bytes 4 --unit-bits 32 | --unit-bits is 32, expected one of 4, 8, 16 in words of 4 bytes",
        "odd --target 101 | --target is 101, expected 0 to 100 percent",
        "odd --target NaN | --target is NaN, expected 0 to 100 percent",
        "-c c.json -m m.json --layer conv9 | --layer is \"conv9\", expected one of input, conv1, conv2, fc",
        "-c c.json -m m.json --images 5 | --images is 5, expected 1 to 4, the images of m.json",
        "-c c.json -m m.json --word-bytes 8 | the argument '--config <CONFIG>' cannot be used with '--word-bytes <N>'",
        "-c c.json | the following required arguments were not provided: --model <MODEL>",
        "| the following required arguments were not provided: <FILE>",
    ]);
    bench.refusals(
        "advise",
        &["odd | the following required arguments were not provided: --slices"],
    );
}

/// Layers that are too large for the machine are counted like those of a machine that holds them, and `--engine auto` takes what was counted.
#[test]
fn words_of_a_network_in_pieces_are_those_of_the_whole() {
    let edge = include_str!("../../configs/edge.json");
    let digits = include_str!("../../models/digits.json");
    let small = edge.replace(r#""words_per_bank": 512"#, r#""words_per_bank": 64"#);
    assert_ne!(small, edge);
    let sparse = r#""sparse": { "engine": true, "units": 8 }, "results_buffer""#;
    let engines = small.replace(r#""results_buffer""#, sparse);
    let engines = engines.replace(r#""words": 1024"#, r#""words": 16384"#);
    let files = [
        ("edge.json", edge),
        ("small.json", &small),
        ("engines.json", &engines),
        ("m.json", digits),
    ];
    let bench = Bench::new(&files);
    let [whole, pieces] =
        ["edge", "small"].map(|config| report(&bench, &format!("-c {config}.json -m m.json")));
    let tensors = |report: &Value| report["tensors"].as_array().expect("tensors").clone();
    let (whole, pieces) = (tensors(&whole), tensors(&pieces));
    assert!(pieces.len() > whole.len(), "no layer is cut");
    for tensor in &whole {
        let same = pieces.iter().find(|other| other["name"] == tensor["name"]);
        assert_eq!(same, Some(tensor));
    }
    bench.write("z.json", json!({ "tensors": pieces }).to_string());
    let arguments = "m.json -c engines.json --engine auto --zeros z.json -o p.json --json";
    bench.json(&format!("compile {arguments}"));
    let made: Value = serde_json::from_str(&bench.read("p.json")).expect("JSON");
    let layers = made["program"]["layers"].as_array().expect("layers").iter();
    let counted = layers.filter_map(|layer| layer["engine"][1].as_str());
    assert!(counted.filter(|reason| reason.contains("% zeros")).count() > 3);
}

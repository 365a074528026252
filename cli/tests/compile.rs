//! `heddle compile` and `heddle sim`, and programs that `heddle cosim` takes from a file.

use crate::bench::{Bench, CONFIG, MODEL};
use serde_json::Value;

fn files() -> Bench {
    Bench::new(&[("c.json", CONFIG), ("m.json", MODEL)])
}

#[test]
fn a_program_compiled_once_runs_on_both_machines() {
    let bench = files();
    for options in ["", "--whole"] {
        let arguments = format!("compile m.json -c c.json -o p.json --json {options}");
        let made = bench.json(&arguments);
        let runs = made["runs"].as_array().expect("a list");
        assert_eq!(runs.len(), if options.is_empty() { 3 } else { 1 });
        let cycles: u64 = runs.iter().filter_map(|run| run["cycles"].as_u64()).sum();
        // Five rows of the input in four partitions; three outputs.
        let words = serde_json::json!({ "written": 20, "read": 3 });
        assert_eq!(made["tensor_words"], words);

        for command in ["sim", "cosim"] {
            let arguments = "-c c.json -m m.json -p p.json --json";
            let run = bench.simulate(&format!("{command} {arguments}"));
            assert_eq!(run.code, Some(0), "{command}: {}", run.stdout);
            let found: Value = serde_json::from_str(&run.stdout).expect("JSON");
            assert_eq!(found["exact"], true, "{command}");
            assert_eq!(found["report"]["images"], 4, "{command}");
            let network: Value = serde_json::from_str(MODEL).expect("JSON");
            let outputs = found["report"]["outputs"].as_array().expect("a list");
            assert_eq!(outputs.len(), 4, "{command}");
            let labels = network["test"]["labels"].as_array().expect("labels");
            for (output, label) in outputs.iter().zip(labels) {
                let values: Vec<i64> = serde_json::from_value(output.clone()).expect("a list");
                assert_eq!(values.len(), 3, "{command}");
                let class = label.as_u64().expect("a number") as usize;
                assert_eq!(values.iter().max(), Some(&values[class]), "{command}");
            }
            assert_eq!(found["report"]["total"]["cycles"], cycles, "{command}");
            assert_eq!(found["program_words"], made["program_words"], "{command}");
        }
    }
}

/// A machine with room for the column parameters of two layers of three.
#[test]
fn a_network_that_does_not_fit_at_once_runs_in_segments() {
    let bench = files();
    let config = |tiles: u32| {
        let few = format!("\"column_tiles\": {tiles}");
        CONFIG.replace("\"column_tiles\": 16", &few)
    };
    bench.write("small.json", config(4));
    let compile = "compile m.json -c small.json -o p.json";
    let made = bench.json(&format!("{compile} --json"));
    let segments = made["segments"].as_array().expect("a list");
    let part = |at: usize, field: &str| segments[at][field].clone();
    assert_eq!(segments.len(), 2);
    assert_eq!(part(0, "layers"), serde_json::json!(["conv1", "conv2"]));
    assert_eq!(part(1, "layers"), serde_json::json!(["fc"]));
    let lacks = "network tiny does not fit tiny: column parameters need 5 column tiles, 4 available, 1 missing";
    let cut = made["cut"].as_str().expect("a text");
    assert!(cut.starts_with(lacks), "{cut}");
    let text = bench.done(compile);
    assert!(
        text.contains("\n1             2  conv1  conv2     854          22\n"),
        "{text}"
    );
    assert!(text.contains(lacks), "{text}");
    for (options, words) in [("", 64), ("--double-buffer", 256)] {
        let words = format!("\"words\": {words}");
        let short = config(4).replace("\"words\": 1024", &words);
        bench.write("short.json", short);
        let arguments = format!("compile m.json -c short.json {options}");
        let made = bench.json(&format!("{arguments} -o s.json --json"));
        assert!(made["segments"].as_array().expect("a list").len() > 2);
        let runs = made["runs"].as_array().expect("a list").iter();
        let count = runs.filter(|run| run["host"] == false).count();
        let listed = bench.done(&format!("{arguments} --dump asm"));
        assert_eq!(
            listed.matches("\nhalt").count(),
            count,
            "{options}: {listed}"
        );
    }
    // Two column tiles for each segment.
    let made = bench.json(&format!("{compile} --double-buffer --json"));
    let segments = made["segments"].as_array().expect("a list");
    assert_eq!(segments.len(), 3);
    assert_eq!(made["double_buffered"], true);
    let text = bench.done(&format!("{compile} --double-buffer"));
    assert!(
        text.contains("for each image, each beside the next one"),
        "{text}"
    );
    let run = bench.simulate("sim -c small.json -m m.json -p p.json --json");
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    bench.done(compile);

    for command in ["sim", "cosim"] {
        let arguments = format!("{command} -c small.json -m m.json -p p.json");
        let run = bench.simulate(&format!("{arguments} --json"));
        assert_eq!(run.code, Some(0), "{command}: {}{}", run.stdout, run.stderr);
        let found: Value = serde_json::from_str(&run.stdout).expect("JSON");
        assert_eq!(found["exact"], true, "{command}");
        let report = &found["report"];
        for (at, segment) in report["segments"]
            .as_array()
            .expect("a list")
            .iter()
            .enumerate()
        {
            for field in ["runs", "cycles", "host_words"] {
                assert_eq!(segment[field], part(at, field), "{command}: {field}");
            }
        }
        let text = bench.simulate(&arguments).stdout;
        assert!(
            text.contains("\ntotal         3      -      -     989          28\n"),
            "{text}"
        );
    }
}

/// A machine with room for the column parameters of half a layer.
#[test]
fn layers_that_are_too_large_run_in_pieces() {
    let bench = files();
    bench.write(
        "one.json",
        CONFIG.replace("\"column_tiles\": 16", "\"column_tiles\": 1"),
    );
    let made = bench.json("compile m.json -c one.json -o p.json --json");
    let pieces = made["pieces"].as_array().expect("a list");
    let names: Vec<_> = pieces.iter().filter_map(|p| p["layer"].as_str()).collect();
    assert_eq!(names, ["conv1", "conv2"]);
    let lacks =
        "column parameters need 2 column tiles, 1 available, 1 missing (set by column_tiles)";
    for part in pieces {
        let counts = [&part["groups_of_channels"], &part["bands_of_rows"]];
        assert_eq!(counts, [2, 1], "{part}");
        assert_eq!(part["reason"], lacks);
    }
    let text = bench.done("compile m.json -c one.json -o p.json");
    let line = format!("\nconv1      2            1        {lacks}\n");
    assert!(text.contains(&line), "{text}");
    assert!(
        bench
            .done("compile m.json -c one.json --dump place")
            .contains("conv1 channels 0-3")
    );

    // The same tensors with a program of a file, with one that is made now, and without pieces.
    for (name, run) in [
        ("file", "-c one.json -p p.json"),
        ("new", "-c one.json"),
        ("whole", "-c c.json"),
    ] {
        let outputs = format!("sim -m m.json {run} --outputs {name}.npz --json");
        assert_eq!(bench.json(&outputs)["exact"], true, "{name}");
    }
    let read = |name: &str| std::fs::read(bench.path().join(name)).expect("an archive");
    assert_eq!(read("file.npz"), read("whole.npz"));
    assert_eq!(read("new.npz"), read("whole.npz"));
    let run = bench.simulate("cosim -m m.json -c one.json -p p.json");
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);

    let few = CONFIG.replace("\"words_per_bank\": 256", "\"words_per_bank\": 16");
    assert_ne!(few, CONFIG);
    bench.write("few.json", few);
    bench.refused_with(&[
        "compile m.json -c few.json -o p.json | network tiny does not fit tiny, not even layer conv1 by itself: activations need",
    ]);
}

#[test]
fn every_stage_is_printed() {
    let bench = files();
    let dump = |stage| bench.done(&format!("compile m.json -c c.json --dump {stage}"));
    assert!(dump("graph").starts_with("graph of tiny\n   0  host     input: write input -> "));
    assert!(dump("graph --dot").starts_with("digraph \"tiny\" {\n"));
    assert!(dump("schedule").starts_with("layer conv1\n     0  weights  reads "));
    assert!(dump("schedule --dot").starts_with("digraph schedule {\n"));
    let asm = dump("asm");
    let begin = "# conv1, from word 0 on\nload_weights rows=";
    assert!(asm.starts_with(begin), "{asm}");
    let halts = |asm: &str| asm.lines().filter(|line| line.starts_with("halt")).count();
    assert_eq!((halts(&asm), halts(&dump("asm --whole"))), (3, 1));
    assert!(!bench.path().join("p.json").exists());
}

#[test]
fn ways_and_places_are_printed() {
    let bench = files();
    let dump =
        |stage, config| bench.done(&format!("compile m.json -c {config}.json --dump {stage}"));
    let map = dump("map", "c");
    let ways: Vec<Vec<&str>> = (map.lines().filter(|line| line.starts_with("way ")))
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(map.matches("  taken\n").count(), 1, "{map}");
    assert_eq!(ways[0].last(), Some(&"taken"), "{map}");
    let cycles = |way: &[&str]| way[6].parse::<u64>().expect("cycles");
    assert!(
        ways.windows(2)
            .all(|pair| cycles(&pair[0]) <= cycles(&pair[1])),
        "{map}"
    );
    let made = bench.json("compile m.json -c c.json -o p.json --json");
    let runs = made["runs"].as_array().expect("a list").iter();
    let sum: u64 = runs.filter_map(|run| run["cycles"].as_u64()).sum();
    // Runs read the program as well.
    assert!(
        cycles(&ways[0]) <= sum && sum < cycles(&ways[0]) + 30,
        "{map}"
    );
    let asked = bench.done("compile m.json -c c.json --dump map --mapping channel");
    assert!(asked.contains("  not asked for by --mapping\n"), "{asked}");

    let place = dump("place", "c");
    let room = place.lines().last().expect("a line").split_whitespace();
    let room: Vec<&str> = room.collect();
    let number = |at: usize| room[at].parse::<u64>().expect("bytes");
    assert_eq!(room[0], "0..3", "{place}");
    assert_eq!(number(1) + number(2), 4096, "{place}");
    assert!(number(3) <= number(2), "{place}");
    let network: Value = serde_json::from_str(MODEL).expect("JSON");
    for layer in network["layers"].as_array().expect("a list") {
        let name = format!("\n{} ", layer["name"].as_str().expect("a name"));
        assert_eq!(
            place.matches(&name).count(),
            2,
            "a tensor and weights: {place}"
        );
    }

    // Where nothing fits, the ways say why.
    bench.write(
        "small.json",
        CONFIG.replace("\"words_per_bank\": 256", "\"words_per_bank\": 16"),
    );
    let none = dump("map", "small");
    assert!(
        !none.contains("taken") && none.contains("network tiny does not fit tiny"),
        "{none}"
    );
    bench.refused_with(&[
        "compile m.json -c small.json --dump place | network tiny does not fit tiny",
        "compile m.json -c c.json --dump map --dot | --dot is given with --dump map, expected graph or schedule",
    ]);
}

/// On a machine with factors for both inputs one of the sums of this network is exact; else the host makes it.
#[test]
fn layers_of_the_host_are_told_apart() {
    let bench = crate::import::bench("residual");
    let configs = ["edge", "tflite"].map(|name| format!("{name}.json"));
    for name in &configs {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../configs");
        bench.write(
            name,
            std::fs::read(format!("{root}/{name}")).expect("a preset"),
        );
    }
    let reason = "the machine has no post.dual_scale";
    let compile =
        |config: &str| bench.json(&format!("compile net.tflite -c {config} -o p.json --json"));
    let [host, array] = [0, 1].map(|config| compile(&configs[config])["layers"].clone());
    let fields = |layer: &Value| {
        ["runs_on", "reason", "compared", "host_operations"].map(|field| layer[field].clone())
    };
    assert_eq!(
        fields(&host[7]),
        ["host".into(), reason.into(), Value::Null, 384.into()]
    );
    let expected = serde_json::json!(["array", "its input has no copies", 65536, 0]);
    assert_eq!(serde_json::json!(fields(&array[7])), expected);
    let inexact = array[3]["reason"].as_str().expect("a reason");
    assert!(inexact.starts_with("no factors are exact, "), "{inexact}");
    let told = bench.done("compile net.tflite -c edge.json -o p.json");
    assert!(told.contains(&format!("  {reason}\n")), "{told}");
    let told = bench.done("compile net.tflite -c tflite.json -o p.json");
    assert!(told.contains("  all 65536 inputs compared; "), "{told}");

    let sim = "sim -c edge.json -m net.tflite --inputs in.npy";
    let found = bench.json(&format!("{sim} --json"));
    let (layers, total) = (&found["report"]["layers"], &found["report"]["total"]);
    for field in ["utilisation", "operands", "cycles"] {
        assert_eq!(layers[3][field].as_f64(), Some(0.0), "{field}");
    }
    assert_eq!(layers[3]["compared"], false);
    // Two terms for each of 8 x 8 x 8 outputs; the other sum has 12 x 4 x 4.
    assert_eq!(layers[3]["macs"], 2 * 512);
    assert_eq!(total["host_macs"], 2 * (512 + 192));
    assert_eq!(found["macs"]["host"], total["host_macs"]);
    assert_eq!(found["macs"]["all"], total["macs"]);
    assert!(total["utilisation"].as_f64() < Some(1.0), "{total}");
    let told = bench.done(sim);
    let not_compared = "not compared: what the host computes, 3 layers; ";
    assert!(told.contains(not_compared), "{told}");
}

/// Where the host works in between, both runs of a program have a name of their own.
#[test]
fn runs_of_a_whole_program_are_told_apart() {
    let bench = crate::import::bench("residual");
    bench.write("c.json", include_str!("../../configs/tflite.json"));
    let names = [
        "conv1/Relu to conv2b/Linear",
        "add2/Relu",
        "conv3a/Relu to dense/Linear",
        "softmax",
    ];
    let compile = "compile net.tflite -c c.json --whole -o p.json";
    let sim = "sim -c c.json -m net.tflite --inputs in.npy -p p.json";
    let made = bench.json(&format!("{compile} --json"));
    let text = bench.done(compile);
    let found = bench.json(&format!("{sim} --json"));
    for (run, name) in names.iter().enumerate() {
        assert_eq!(made["runs"][run]["name"], *name);
        assert_eq!(found["report"]["layers"][run]["name"], *name);
        assert!(text.contains(&format!("\n{name} ")), "{text}");
    }
}

#[test]
fn bad_input_is_refused_with_code_2_and_leaves_nothing() {
    let bench = files();
    bench.refused_with(&[
        "compile m.json -c c.json | required arguments were not provided: <--output <PROG>|--image <IMAGE>|--dump <STAGE>>",
        "compile m.json -c c.json -o m.json | m.json: is no program file, it is left alone",
        "compile none.json -c c.json -o p.json | none.json: cannot read network",
        "compile m.json -c c.json --dump asm --dot | --dot is given with --dump asm",
    ]);
    assert!(!bench.path().join("p.json").exists());
    let made = bench.done("compile m.json -c c.json -o p.json");
    let told = "program words, activations take ";
    assert!(made.contains(told), "{made}");
    let text = bench.read("p.json");
    bench.write("cut.json", &text[..text.len() / 2]);
    let other = text.replacen("\"start_pc\": 0", "\"start_pc\": 1", 1);
    bench.write("bad.json", other);
    bench.refused_with(&[
        "sim -c c.json -m m.json -p cut.json | cut.json:",
        "sim -c c.json -m m.json -p bad.json | the file was changed or damaged",
        "sim -c c.json -m m.json -p none.json | none.json: cannot read program",
        "sim -c c.json -m m.json -p m.json | m.json:",
        "sim -c c.json -m m.json -p p.json --whole | --whole",
        "sim -c c.json -m m.json --images 5 | --images is 5, expected 1 to 4",
    ]);
}

#[proves("PET-61")]
#[test]
fn the_input_is_told_apart_where_it_has_banks_of_its_own() {
    let bench = files();
    let with = |banks: &str| CONFIG.replace("\"banks\": 2", &format!("\"banks\": 4{banks}"));
    bench.write("plain.json", with(""));
    bench.write("input.json", with(", \"input_banks\": 1"));
    let compile = |config| format!("compile m.json -c {config}.json -o p.json");
    let summary = |config| bench.json(&format!("{} --json", compile(config)));
    let (plain, input) = (summary("plain"), summary("input"));
    assert_eq!(plain["input_bytes"], Value::Null);
    let bytes = input["input_bytes"].as_u64().expect("a number");
    let others = |made: &Value| made["activation_bytes"].as_u64().expect("a number");
    assert!(bytes > 0 && others(&input) > 0);
    assert!(others(&input) <= others(&plain));
    assert!(!bench.done(&compile("plain")).contains("input banks"));
    let text = bench.done(&compile("input"));
    let told = format!("the input {bytes} bytes of its input banks,");
    assert!(text.contains(&told), "{text}");
    // The program is for a machine with such banks.
    bench.refused_with(&["sim -c plain.json -m m.json -p p.json | state_buffer.input_banks"]);
    bench.done("sim -c input.json -m m.json -p p.json");
}

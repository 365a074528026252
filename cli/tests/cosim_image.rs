//! `heddle cosim --image`: the jobs of an image on the Verilog, held against the golden machine.

use serde_json::Value;

use crate::arrays::npz;
use crate::bench::{Bench, CONFIG, MODEL};
use crate::import::{bench, npy};

/// The preset with one thing in place of another.
#[track_caller]
fn changed(from: &str, to: &str) -> String {
    assert!(CONFIG.contains(from), "{from}");
    CONFIG.replacen(from, to, 1)
}

/// The tiny network as `net.json`, with its test images as inputs.
fn tiny() -> Bench {
    let bench = Bench::new(&[("net.json", MODEL)]);
    let network: Value = serde_json::from_str(MODEL).expect("JSON");
    let images = network["test"]["images"].as_array().expect("a list").iter();
    let values = images.flat_map(|image| image.as_array().expect("a list"));
    let values = values.map(|value| value.as_i64().expect("a number") as i8);
    bench.write("in.npy", npy("|i1", &values.collect::<Vec<_>>()));
    bench
}

/// Compiles a network, runs its image on both machines and gives what cosim has found.
#[track_caller]
fn exact(bench: &Bench, (net, config): (&str, &str), options: &str) -> Value {
    bench.write("c.json", config);
    bench.done(&format!(
        "compile {net} -c c.json --image net.hdi {options}"
    ));
    let line = "-c c.json --image net.hdi --inputs in.npy --outputs";
    bench.done(&format!("sim {line} golden.npz"));
    let run = bench.simulate(&format!("cosim {line} rtl.npz --json"));
    let ended = (run.code, run.stderr.as_str());
    assert_eq!(ended, (Some(0), ""), "{}", run.stdout);
    let [golden, rtl] = ["golden.npz", "rtl.npz"]
        .map(|name| npz(std::fs::read(bench.path().join(name)).expect("outputs")));
    assert!(!rtl.is_empty() && golden == rtl, "{golden:?}\n{rtl:?}");
    let found: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(found["exact"], true);
    let runs = found["report"]["runs"].as_array().expect("a list");
    assert!(!runs.is_empty());
    // In a ring they are those of all runs together.
    let joined = config.contains("dma") && runs.len() > 1;
    for run in runs {
        assert!(run["cycles"].as_u64() > Some(0), "{run}");
        assert!(joined || run["counters"].as_u64() > Some(6), "{run}");
    }
    let total = &found["report"]["in_all"]["counters"];
    assert!(!joined || total.as_u64() > Some(6), "{found}");
    found
}

/// What the Verilog has made of an image is what the network gives without one.
#[track_caller]
fn same_as_the_network(bench: &Bench, options: &str) {
    bench.done(&format!(
        "sim -c c.json -m net.json {options} --inputs in.npy --outputs net.npz"
    ));
    let [net, rtl] = ["net.npz", "rtl.npz"]
        .map(|name| npz(std::fs::read(bench.path().join(name)).expect("outputs")));
    assert!(net == rtl, "{net:?}\n{rtl:?}");
}

#[test]
fn the_verilog_makes_of_an_image_what_the_golden_machine_makes() {
    let bench = tiny();
    let found = exact(&bench, ("net.json", CONFIG), "");
    assert_eq!(found["report"]["images"], 4);
    // The runs of layers of their own, and one of all; two inferences of four.
    assert_eq!(found["report"]["runs"].as_array().map(Vec::len), Some(3));
    let found = exact(&bench, ("net.json", CONFIG), "--whole");
    assert_eq!(found["report"]["runs"].as_array().map(Vec::len), Some(1));
    // With a DMA the next inputs come beside the second of two.
    let dma = changed("{", r#"{ "system": { "registers": "axil", "dma": {} },"#);
    let found = exact(&bench, ("net.json", &dma), "--whole");
    assert_eq!(found["report"]["runs"].as_array().map(Vec::len), Some(2));
    bench.write("c.json", CONFIG);
    bench.done("compile net.json -c c.json --image net.hdi --whole");
    let line = "cosim -c c.json --image net.hdi --inputs in.npy --images 2";
    let run = bench.simulate(line);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    for text in [
        "net.hdi on tiny (4 x 4 processing elements)\n",
        "\n2 images\n",
        "\nexact: all outputs and counters are those of the golden machine\n",
    ] {
        assert!(run.stdout.contains(text), "{}", run.stdout);
    }
}

/// Through registers on a bus, from float32 to float32.
#[test]
fn an_image_runs_through_the_registers() {
    let config = changed("{", r#"{ "system": { "registers": "axil" },"#);
    let bench = bench("float_ends");
    exact(&bench, ("net.tflite", &config), "--whole");
    // So does the network itself.
    let run = bench.simulate("cosim -c c.json -m net.tflite --inputs in.npy --json");
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
}

/// LOADs among the runs, through registers and by a DMA; segments beside each other are loaded while the array works.
#[test]
fn an_image_of_a_network_in_segments_runs() {
    let config = changed(r#""column_tiles": 16"#, r#""column_tiles": 4"#);
    let port = r#"{ "system": { "registers": "axil" },"#;
    let dma = r#"{ "system": { "registers": "axil", "dma": {} },"#;
    let (alone, beside) = ("--whole", "--whole --double-buffer");
    for (system, options, segments, entries) in [
        (port, alone, 2, 7),
        (port, beside, 3, 8),
        (dma, alone, 2, 7),
        (dma, beside, 3, 8),
    ] {
        let config = config.replacen('{', system, 1);
        let bench = tiny();
        let found = exact(&bench, ("net.json", &config), options);
        assert_eq!(found["report"]["images"], 4);
        assert_eq!(
            found["report"]["runs"].as_array().map(Vec::len),
            Some(segments)
        );
        let loader = match system == dma {
            true => "jobs of the image load",
            false => "the host loads",
        };
        let text = bench.done(&format!(
            "compile net.json -c c.json --image net.hdi {options}"
        ));
        let line = format!("in {segments} segments, which {loader} for each image");
        assert!(text.contains(&line), "{text}");
        same_as_the_network(&bench, options);
        let info = bench.json("image info net.hdi --json");
        // 20 of inputs, two for each of 14 columns.
        assert_eq!(info["loaded_words"], 48);
        let lists = info["sections"].as_array().expect("a list").iter();
        let mut runs = lists.filter(|list| list["name"] == "runs");
        assert_eq!(
            runs.next().map(|list| &list["entries"]),
            Some(&Value::from(entries))
        );
    }
}

/// A program that loads weights while the array works; images one behind the other, whose inputs come by jobs beside it.
#[test]
fn an_image_of_a_program_that_loads_runs() {
    let digits = include_str!("../../models/digits.json");
    let values: Vec<i8> = (0..3 * 64).map(|at| (at * 37 % 251) as i8).collect();
    // With a quarter of that memory layers are in groups of channels and bands of rows, which the program loads and stores.
    for (words, loads, scratch) in [(256, 4, 0), (64, 43, 2048)] {
        let words = format!("\"words_per_bank\": {words}");
        let config = include_str!("../../configs/edge_dma.json");
        let config = config.replace("\"words_per_bank\": 512", &words);
        let bench = Bench::new(&[("net.json", digits)]);
        bench.write("in.npy", npy("|i1", &values));
        let found = exact(&bench, ("net.json", &config), "--whole");
        assert_eq!(found["report"]["images"], 3);
        assert_eq!(found["report"]["loading"], true);
        let info = bench.json("image info net.hdi --json");
        let found = ["program_loads", "scratch_bytes"].map(|key| info[key].as_u64());
        assert_eq!(found, [Some(loads), Some(scratch)]);
        same_as_the_network(&bench, "--whole");
    }
}

/// Weights and commands of the sparse cluster, whose counters are compared too.
#[test]
fn an_image_with_words_of_the_cluster_runs() {
    let config = changed(
        r#""results_buffer""#,
        r#""sparse": { "engine": true, "units": 4, "channels": 4 }, "results_buffer""#,
    );
    let bench = tiny();
    let options = "--mapping channel --engine sparse";
    let found = exact(&bench, ("net.json", &config), options);
    let run = &found["report"]["runs"][0];
    let plain = exact(&tiny(), ("net.json", CONFIG), "");
    let more = run["counters"].as_u64() > plain["report"]["runs"][0]["counters"].as_u64();
    assert!(more, "{run}");
    let info = bench.done("image info net.hdi");
    let words = info.lines().find(|line| line.contains("sparse cluster"));
    assert!(words.is_some_and(|line| !line.ends_with(" 0")), "{info}");
}

/// The program in banks, whose words go in pairs.
#[test]
fn an_image_with_its_program_in_banks_runs() {
    let config = changed(r#""words": 1024"#, r#""memory": "banks", "words": 1024"#)
        .replace(r#""banks": 2,"#, r#""banks": 4,"#);
    exact(&tiny(), ("net.json", &config), "--whole");
}

#[test]
fn images_of_other_machines_are_refused_before_a_model_is_built() {
    let bench = tiny();
    bench.write("c.json", CONFIG);
    bench.write(
        "other.json",
        changed(r#""column_tiles": 16"#, r#""column_tiles": 32"#),
    );
    bench.done("compile net.json -c c.json --whole --image net.hdi");
    bench.write("short.npy", npy("|i1", &[0; 7]));
    bench.refused_with(&[
        "cosim --image net.hdi -c other.json --inputs in.npy | net.hdi: header: config is ",
        "cosim --image net.hdi -c c.json --inputs short.npy | short.npy: ",
        "cosim --image net.hdi -c c.json --inputs in.npy --images 5 | --images is 5, expected 1 to 4",
        "cosim --image none.hdi -c c.json --inputs in.npy | none.hdi: cannot read image: ",
        "cosim --image net.hdi -c c.json | the following required arguments were not provided: --inputs",
        "cosim --image net.hdi -m net.json -c c.json --inputs in.npy | the argument '--image <IMAGE>' cannot be used with",
        "cosim --image net.hdi -c c.json --inputs in.npy --trace run.txt | --trace is run.txt, expected a name",
    ]);
}

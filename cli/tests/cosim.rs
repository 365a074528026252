//! `heddle cosim`: the tiny network on the verilated tiny machine.

use crate::bench::{Bench, CONFIG, MODEL, Run};
use serde_json::Value;

/// Runs the binary with a cache that lives as long as the build folder.
fn cosim(bench: &Bench, arguments: &str) -> Run {
    bench.simulate(&format!("cosim -c c.json -m m.json {arguments}"))
}

#[test]
fn the_machine_agrees_with_the_golden_models() {
    let bench = Bench::new(&[("c.json", CONFIG), ("m.json", MODEL)]);
    let run = cosim(&bench, "--json");
    let ended = (run.code, run.stderr.as_str());
    assert_eq!(ended, (Some(0), ""), "{}", run.stdout);
    let found: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(found["exact"], true);
    assert_eq!(found["report"]["images"], 4);
    let layers = found["report"]["layers"].as_array().expect("a list");
    assert_eq!(layers.len(), 3);
    let sum = |key: &str| {
        layers
            .iter()
            .filter_map(|layer| layer[key].as_u64())
            .sum::<u64>()
    };
    for key in ["macs", "cycles", "mask_accesses", "sliced_bits"] {
        assert!(sum(key) > 0, "{key}");
        assert_eq!(found["report"]["total"][key], sum(key), "{key}");
    }
    let slices = |layer: &Value| {
        let accesses = layer["slice_accesses"].as_array().expect("a list");
        accesses
            .iter()
            .filter_map(Value::as_u64)
            .collect::<Vec<_>>()
    };
    let total = slices(&found["report"]["total"]);
    assert_eq!(total.len(), 2);
    for (k, total) in total.into_iter().enumerate() {
        let sum: u64 = layers.iter().map(|layer| slices(layer)[k]).sum();
        assert!(sum > 0 && sum == total, "slice {k}");
    }
    // Loading and host accesses are simulated too.
    assert!(found["simulation"]["cycles"].as_u64() > Some(4 * sum("cycles")));
    assert!(found["simulation"]["cycles_per_second"].as_f64() > Some(0.0));
    let run = cosim(&bench, "--images 1");
    assert!(run.stdout.contains("\n1 images, "), "{}", run.stdout);
    assert!(
        run.stdout.contains(" % of them for the host\nexact: "),
        "{}",
        run.stdout
    );
    let table: Vec<&str> = run.stdout.lines().skip(5).take(5).collect();
    assert!(table[0].starts_with("layer "), "{}", run.stdout);
    assert!(table[4].starts_with("total "), "{}", run.stdout);
    for line in table {
        assert!(line.len() <= 110, "{line}");
    }
}

#[proves("SGCR-54")]
#[test]
fn every_mapping_of_the_first_layer_gives_the_golden_outputs() {
    let bench = Bench::new(&[("c.json", CONFIG), ("m.json", MODEL)]);
    let mut cycles = Vec::new();
    for mapping in ["channel", "flattened", "auto"] {
        let run = cosim(&bench, &format!("--json --images 2 --mapping {mapping}"));
        assert_eq!(run.code, Some(0), "{mapping}: {}", run.stderr);
        let found: Value = serde_json::from_str(&run.stdout).expect("JSON");
        assert_eq!(found["exact"], true, "{mapping}");
        let first = &found["layers"][0];
        let measured = found["report"]["layers"][0]["cycles"].as_u64();
        let used = first["mapping"].as_str().expect("a name");
        assert_eq!(first["cycles"].as_u64(), measured, "{mapping}");
        if mapping != "auto" {
            assert_eq!(used, mapping);
            assert_eq!(first["reason"], "as asked for");
        }
        assert_eq!(found["layers"][1]["mapping"], "channel");
        cycles.push(measured.expect("a number"));
    }
    assert_eq!(cycles[2], cycles[0].min(cycles[1]), "{cycles:?}");
    bench.refusals("cosim -c c.json -m m.json", &[
        "--mapping rows | invalid value 'rows' for '--mapping <MAPPING>' [possible values: auto, channel, flattened, toeplitz, blocks]",
    ]);
}

#[test]
fn machines_that_are_too_small_are_refused() {
    let small = CONFIG.replace("\"words_per_bank\": 256", "\"words_per_bank\": 16");
    let bench = Bench::new(&[("c.json", &small), ("m.json", MODEL)]);
    bench.refused(
        "cosim -c c.json -m m.json",
        &[
            "network tiny does not fit tiny, not even layer conv1 by itself: activations need 160 bytes in each partition, \
            128 available, 32 missing (set by state_buffer.words_per_bank or state_buffer.banks); weights need 144 bytes in \
            each partition, 128 available, 16 missing (set by state_buffer.words_per_bank or state_buffer.banks)",
        ],
    );
}

#[test]
fn a_wave_that_finds_no_room_ends_with_code_2_slow() {
    let bench = Bench::new(&[("c.json", CONFIG), ("m.json", MODEL)]);
    let line = "cosim -c c.json -m m.json --images 1 --trace wave.fst";
    // The model is built without a limit.
    let run = bench.simulate(line);
    let ended = (run.code, run.stderr.as_str());
    assert_eq!(ended, (Some(0), ""), "{}", run.stdout);
    let whole = std::fs::metadata(bench.path().join("wave.fst")).expect("a wave");
    assert!(whole.len() > 100 << 10);
    let run = bench.with_cache(bench.limited("-f 100", line));
    let begin = "error: cannot write wave wave.fst: ";
    let told = run.stderr.starts_with(begin) && run.stderr.lines().count() == 1;
    assert!(told, "{}{}", run.stdout, run.stderr);
    assert_eq!(run.code, Some(2));
    assert!(!run.stdout.contains("exact"), "{}", run.stdout);
}

#[test]
fn relative_folders_of_models_are_folders_below_the_working_folder_slow() {
    let bench = Bench::new(&[("c.json", CONFIG), ("m.json", MODEL)]);
    // The model is built here; the second run finds it where the other variable puts it.
    for (variable, folder) in [("HEDDLE_CACHE", "mine/heddle"), ("XDG_CACHE_HOME", "mine")] {
        let mut command = bench.command("cosim -c c.json -m m.json --images 1");
        for other in ["HEDDLE_CACHE", "XDG_CACHE_HOME"] {
            command.env_remove(other);
        }
        command.env(variable, folder);
        let run = Bench::run(command);
        let ended = (run.code, run.stderr.as_str());
        assert_eq!(ended, (Some(0), ""), "{variable}: {}", run.stdout);
        assert!(run.stdout.contains("\nexact: ") && !run.stdout.contains("\\n"));
        let models = std::fs::read_dir(bench.path().join("mine/heddle")).expect("a folder");
        assert!(models.count() > 0, "{variable}");
    }
    bench.write("file", "");
    let mut command = bench.command("cosim -c c.json -m m.json --images 1");
    command.env("HEDDLE_CACHE", "file");
    let run = Bench::run(command);
    let told = run.stderr.contains("file") && run.stderr.lines().count() == 1;
    assert!(told && !run.stderr.contains("\\n"), "{}", run.stderr);
    assert_eq!(run.code, Some(2));
}

#[test]
fn the_preset_mobile_runs_its_network() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let bench = Bench::new(&[]);
    let line = format!("sim -c {root}/configs/mobile.json -m {root}/models/mobile.json --images 1");
    let found = bench.done(&line);
    assert!(
        found.contains("\n1 images, 1 classified correctly\n"),
        "{found}"
    );
    assert!(found.contains("\nexact: "), "{found}");
}

#[test]
fn names_of_wave_files_are_checked() {
    let bench = Bench::new(&[("c.json", CONFIG), ("m.json", MODEL)]);
    bench.refusals(
        "cosim -c c.json -m m.json --trace",
        &[
            "wave.txt | --trace is wave.txt, expected a name that ends in .vcd or .fst",
            "no/wave.vcd | --trace is no/wave.vcd, but no is not a folder",
        ],
    );
}

/// Zeros from advise, engines by them, a program file, and a report of both engines: of the Verilog and of the golden machine.
#[proves("FSA-16", "FSA-18")]
#[test]
fn the_report_has_engines_of_layers_and_counters_of_the_cluster() {
    let sparse = r#""sparse": { "engine": true, "units": 4, "channels": 4 }, "results_buffer""#;
    let config = CONFIG.replace(r#""results_buffer""#, sparse);
    let bench = Bench::new(&[("c.json", &config), ("m.json", MODEL)]);
    let zeros = bench.done("advise --slices --json -c c.json -m m.json --images 2");
    bench.write("z.json", zeros);
    for engine in [
        "--engine sparse",
        "--engine auto --sparse-rule threshold=20 --zeros z.json",
    ] {
        let options = format!("--images 2 --mapping channel {engine}");
        let run = cosim(&bench, &format!("--json {options}"));
        let ended = (run.code, run.stderr.as_str());
        assert_eq!(ended, (Some(0), ""), "{}", run.stdout);
        let found: Value = serde_json::from_str(&run.stdout).expect("JSON");
        assert_eq!(found["exact"], true);
        let layers = found["layers"].as_array().expect("a list");
        let engines: Vec<_> = layers.iter().map(|layer| &layer["runs_on"]).collect();
        assert!(
            engines.iter().any(|engine| **engine == "cluster"),
            "{engines:?}"
        );
        for (layer, run) in layers
            .iter()
            .zip(found["report"]["layers"].as_array().expect("a list"))
        {
            let is_sparse = layer["runs_on"] == "cluster";
            let reason = layer["reason"].as_str().expect("a reason");
            assert_eq!(is_sparse, layer["mapping"].is_null(), "{reason}");
            assert_eq!(is_sparse, layer["cycles_are"] == "estimated", "{reason}");
            assert_eq!(is_sparse, run["cluster"].is_object(), "{reason}");
            if is_sparse {
                let products = &run["cluster"]["counters"][5];
                assert_eq!(products[0], "SPARSE_PRODUCTS");
                let made = run["cluster"]["multiplications"].as_u64();
                assert_eq!(products[1].as_u64().map(|words| 4 * words), made);
                assert!(made > Some(0));
            }
        }
        // The golden machine takes the same clocks, and says which cycles nothing has predicted.
        let golden = bench.json(&format!("sim -c c.json -m m.json --json {options}"));
        assert_eq!(golden["exact"], true);
        assert_eq!(
            golden["report"]["total"]["cluster"],
            found["report"]["total"]["cluster"]
        );
        assert_eq!(
            golden["report"]["total"]["cycles"],
            found["report"]["total"]["cycles"]
        );
        let text = bench.done(&format!("sim -c c.json -m m.json {options}"));
        assert!(
            text.contains("\nsparse cluster: 4 units of 4 multipliers"),
            "{text}"
        );
        assert!(text.contains("  sparse cluster  yes "), "{text}");
        assert!(
            text.ends_with("all cycles of the array as predicted\n"),
            "{text}"
        );
        // The program in a file is the same one.
        bench.done(&format!(
            "compile -c c.json m.json -o p.json --mapping channel {engine}"
        ));
        let run = bench.json("sim -c c.json -m m.json --program p.json --images 2 --json");
        assert_eq!(run["report"], golden["report"]);
    }
}

/// A program of the machine with all counters, on machines with fewer of them.
#[test]
fn counters_that_are_not_there_are_named_and_their_figures_are_those_of_the_golden_machine() {
    let sparse = r#""sparse": { "engine": true, "units": 2, "channels": 4 }, "results_buffer""#;
    let full = CONFIG.replace(r#""results_buffer""#, sparse);
    let bench = Bench::new(&[("full.json", &full), ("m.json", MODEL)]);
    bench.done("compile m.json -c full.json --mapping channel --engine auto -o p.json");
    let run = |command: &str, config: &str| {
        let options = "-m m.json -p p.json --images 2";
        let run = bench.simulate(&format!("{command} -c {config}.json {options}"));
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{config}");
        run.stdout
    };
    let json = |text: &str| -> Value { serde_json::from_str(text).expect("JSON") };
    let golden = json(&run("sim --json", "full"));
    assert_eq!(golden["report"].get("counters"), None);
    let verdict =
        "exact: all values, and the counters that are there, as predicted by the golden models";
    for (set, compared, text, verdict) in [
        (
            "basic",
            "CYCLES MACS STALL_WEIGHTS STALL_WAIT STALL_SUMS SPARSE_CYCLES SPARSE_SLOT_WAITS SPARSE_PRODUCTS SPARSE_HOLDS",
            "CYCLES, MACS, STALL_WEIGHTS, STALL_WAIT, STALL_SUMS, SPARSE_CYCLES, SPARSE_SLOT_WAITS, SPARSE_PRODUCTS, SPARSE_HOLDS; 26",
            verdict,
        ),
        (
            "none",
            "",
            "none; 35",
            "exact: all values as predicted by the golden models",
        ),
    ] {
        let counters = format!(r#""counters": "{set}", "sparse""#);
        bench.write(
            &format!("{set}.json"),
            full.replacen(r#""sparse""#, &counters, 1),
        );
        let found = json(&run("cosim --json", set));
        assert_eq!(found["exact"], true, "{set}");
        let names = |key: &str| -> Vec<String> {
            let list = found["report"]["counters"][key].as_array().expect("a list");
            list.iter()
                .map(|name| name.as_str().expect("a name").to_string())
                .collect()
        };
        assert_eq!(names("compared").join(" "), compared, "{set}");
        assert_eq!(names("compared").len() + names("absent").len(), 26 + 9);
        for key in [
            "counters",
            "cluster",
            "cycles",
            "zero_operands",
            "sliced_bits",
        ] {
            assert_eq!(
                found["report"]["total"][key], golden["report"]["total"][key],
                "{set} {key}"
            );
        }
        let found = run("cosim", set);
        let line = format!(
            "counters compared: {text} are not there: their figures are those of the golden machine\n"
        );
        assert!(found.contains(&line), "{found}");
        assert!(found.ends_with(&format!("\n{verdict}\n")), "{found}");
        let total = found
            .lines()
            .find(|line| line.starts_with("total "))
            .expect("a line");
        assert_eq!(total.ends_with(" ok"), set == "basic", "{total}");
        assert_eq!(total.ends_with(" -"), set == "none", "{total}");
    }
}

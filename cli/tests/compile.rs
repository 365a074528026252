//! `heddle compile` and `heddle sim`, and programs that `heddle cosim` takes from a file.

use crate::bench::{Bench, CONFIG, MODEL};
use serde_json::Value;

fn files() -> Bench {
    Bench::new(&[("c.json", CONFIG), ("m.json", MODEL)])
}

#[test]
fn a_program_compiled_once_runs_on_both_machines() {
    let bench = files();
    for options in [&[][..], &["--whole"][..]] {
        let mut arguments = vec![
            "compile", "m.json", "-c", "c.json", "-o", "p.json", "--json",
        ];
        arguments.extend(options);
        let run = bench.heddle(&arguments);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
        let made: Value = serde_json::from_str(&run.stdout).expect("JSON");
        let runs = made["runs"].as_array().expect("a list");
        assert_eq!(runs.len(), if options.is_empty() { 3 } else { 1 });
        let cycles: u64 = runs.iter().filter_map(|run| run["cycles"].as_u64()).sum();

        let network = ["-c", "c.json", "-m", "m.json", "-p", "p.json", "--json"];
        for command in ["sim", "cosim"] {
            let mut arguments = vec![command];
            arguments.extend(network);
            let run = bench.simulate(&arguments);
            assert_eq!(run.code, Some(0), "{command}: {}", run.stdout);
            let found: Value = serde_json::from_str(&run.stdout).expect("JSON");
            assert_eq!(found["exact"], true, "{command}");
            assert_eq!(found["report"]["images"], 4, "{command}");
            let network: Value = serde_json::from_str(MODEL).expect("JSON");
            let outputs = found["report"]["outputs"].as_array().expect("a list");
            assert_eq!(outputs.len(), 4, "{command}");
            for (output, label) in outputs
                .iter()
                .zip(network["test"]["labels"].as_array().expect("labels"))
            {
                let values = output
                    .as_array()
                    .expect("a list")
                    .iter()
                    .filter_map(Value::as_i64);
                let values: Vec<i64> = values.collect();
                assert_eq!(values.len(), 3, "{command}");
                let class = label.as_u64().expect("a number") as usize;
                assert_eq!(values.iter().max(), Some(&values[class]), "{command}");
            }
            assert_eq!(found["report"]["total"]["cycles"], cycles, "{command}");
            assert_eq!(found["program_words"], made["program_words"], "{command}");
        }
    }
}

#[test]
fn every_stage_is_printed() {
    let bench = files();
    let dump = |stage: &[&str]| {
        let mut arguments = vec!["compile", "m.json", "-c", "c.json", "--dump"];
        arguments.extend(stage);
        let run = bench.heddle(&arguments);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{stage:?}");
        run.stdout
    };
    assert!(dump(&["graph"]).starts_with("graph of tiny\n   0  host     input: write input -> "));
    assert!(dump(&["graph", "--dot"]).starts_with("digraph \"tiny\" {\n"));
    assert!(dump(&["schedule"]).starts_with("layer conv1\n     0  weights  reads "));
    assert!(dump(&["schedule", "--dot"]).starts_with("digraph schedule {\n"));
    let asm = dump(&["asm"]);
    assert!(
        asm.starts_with("# conv1, from word 0 on\nload_weights rows="),
        "{asm}"
    );
    assert_eq!(
        asm.lines().filter(|line| line.starts_with("halt")).count(),
        3
    );
    let asm = dump(&["asm", "--whole"]);
    assert_eq!(
        asm.lines().filter(|line| line.starts_with("halt")).count(),
        1
    );
    assert!(!bench.path().join("p.json").exists());
}

#[test]
fn bad_input_is_refused_with_code_2_and_leaves_nothing() {
    let bench = files();
    let refused = |arguments: &[&str], message: &str| {
        let run = bench.heddle(arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}: {}", run.stdout);
        assert!(
            run.stderr.contains(message),
            "{arguments:?}: {}",
            run.stderr
        );
        assert_eq!(
            run.stderr.lines().count(),
            1,
            "{arguments:?}: {}",
            run.stderr
        );
    };
    refused(
        &["compile", "m.json", "-c", "c.json"],
        "required arguments were not provided: <--output <PROG>|--dump <STAGE>>",
    );
    refused(
        &["compile", "m.json", "-c", "c.json", "-o", "m.json"],
        "m.json: is no program file, it is left alone",
    );
    refused(
        &["compile", "none.json", "-c", "c.json", "-o", "p.json"],
        "none.json: cannot read network",
    );
    refused(
        &[
            "compile", "m.json", "-c", "c.json", "--dump", "asm", "--dot",
        ],
        "--dot is given with --dump asm",
    );
    assert!(!bench.path().join("p.json").exists());
    let made = bench.heddle(&["compile", "m.json", "-c", "c.json", "-o", "p.json"]);
    assert_eq!((made.code, made.stderr.as_str()), (Some(0), ""));
    assert!(
        made.stdout.contains("program words, activations take "),
        "{}",
        made.stdout
    );
    let text = std::fs::read_to_string(bench.path().join("p.json")).expect("a program");
    std::fs::write(bench.path().join("cut.json"), &text[..text.len() / 2]).expect("written");
    std::fs::write(
        bench.path().join("bad.json"),
        text.replacen("\"start_pc\": 0", "\"start_pc\": 1", 1),
    )
    .expect("written");
    let sim = |file| ["sim", "-c", "c.json", "-m", "m.json", "-p", file];
    refused(&sim("cut.json"), "cut.json:");
    refused(&sim("bad.json"), "the file was changed or damaged");
    refused(&sim("none.json"), "none.json: cannot read program");
    refused(&sim("m.json"), "m.json:");
    refused(
        &[
            "sim", "-c", "c.json", "-m", "m.json", "-p", "p.json", "--whole",
        ],
        "--whole",
    );
    refused(
        &["sim", "-c", "c.json", "-m", "m.json", "--images", "5"],
        "--images is 5, expected 1 to 4",
    );
}

#[test]
fn pet_61_the_input_is_told_apart_where_it_has_banks_of_its_own() {
    let bench = files();
    let with = |banks: &str| CONFIG.replace("\"banks\": 2", &format!("\"banks\": 4{banks}"));
    bench.write("plain.json", with(""));
    bench.write("input.json", with(", \"input_banks\": 1"));
    let compile = |config: &str, json: bool| {
        let mut arguments = vec!["compile", "m.json", "-c", config, "-o", "p.json"];
        arguments.extend(json.then_some("--json"));
        let run = bench.heddle(&arguments);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{config}");
        run.stdout
    };
    let summary = |config| -> Value { serde_json::from_str(&compile(config, true)).expect("JSON") };
    let (plain, input) = (summary("plain.json"), summary("input.json"));
    assert_eq!(plain["input_bytes"], Value::Null);
    let bytes = input["input_bytes"].as_u64().expect("a number");
    let others = |made: &Value| made["activation_bytes"].as_u64().expect("a number");
    assert!(bytes > 0 && others(&input) > 0);
    assert!(others(&input) <= others(&plain));
    assert!(!compile("plain.json", false).contains("input banks"));
    let text = compile("input.json", false);
    assert!(
        text.contains(&format!("the input {bytes} bytes of its input banks,")),
        "{text}"
    );
    // The program is for a machine with such banks.
    let run = bench.heddle(&["sim", "-c", "plain.json", "-m", "m.json", "-p", "p.json"]);
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr.contains("state_buffer.input_banks"),
        "{}",
        run.stderr
    );
    let run = bench.heddle(&["sim", "-c", "input.json", "-m", "m.json", "-p", "p.json"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
}

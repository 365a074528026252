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
fn bad_input_is_refused_with_code_2_and_leaves_nothing() {
    let bench = files();
    bench.refused_with(&[
        "compile m.json -c c.json | required arguments were not provided: <--output <PROG>|--dump <STAGE>>",
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

#[test]
fn pet_61_the_input_is_told_apart_where_it_has_banks_of_its_own() {
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

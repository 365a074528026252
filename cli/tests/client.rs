//! The clients of the documents, with cocotb on Icarus Verilog: a program file on the emitted machine, a layer on the sparse cluster.

use std::path::Path;
use std::process::Command;

use crate::bench::{Bench, CONFIG, MODEL};
use heddle_compiler::LAYOUT;
use serde_json::Value;

/// Whether a client in Python passes with a folder and more arguments, and what it prints.
pub fn run(client: &str, more: &[&str], folder: &Path) -> (bool, String) {
    run_on("icarus", client, more, folder)
}

/// The same on this simulator.
pub fn run_on(simulator: &str, client: &str, more: &[&str], folder: &Path) -> (bool, String) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let result = Command::new(root.join(".venv/bin/python"))
        .arg(root.join(client))
        .arg(folder)
        .args(more)
        .env("SIM", simulator)
        .output()
        .expect(".venv is missing: run scripts/setup.sh");
    let text = String::from_utf8_lossy(&result.stdout).into_owned();
    let errors = String::from_utf8_lossy(&result.stderr);
    (result.status.success(), text + &errors)
}

#[test]
fn the_client_of_the_document_gets_the_golden_outputs() {
    let bench = Bench::new(&[("c.json", CONFIG), ("m.json", MODEL)]);
    bench.done("gen -c c.json -o top");
    bench.done("compile m.json -c c.json -o p.json");
    let found = bench.done("sim -c c.json -m m.json -p p.json --json");
    bench.write("sim.json", &found);
    let client = |outputs: &str| {
        bench.write("sim.json", outputs);
        run("docs/client.py", &[], bench.path())
    };
    let (passed, text) = client(&found);
    assert!(passed, "{text}");
    assert_eq!(text.matches("output [").count(), 4, "{text}");
    // It can fail.
    let mut wrong: Value = serde_json::from_str(&found).expect("JSON");
    let value = &mut wrong["report"]["outputs"][0][0];
    *value = Value::from(value.as_i64().expect("a number") ^ 1);
    let (passed, text) = client(&wrong.to_string());
    assert!(!passed, "{text}");
}

#[test]
fn the_client_of_the_sparse_cluster_gets_the_results_of_the_definition() {
    let bench = Bench::new(&[("c.json", include_str!("../../configs/edge.json"))]);
    bench.done("gen -c c.json --top sparse_cluster -o top");
    let client = || run("examples/sparse_client.py", &[], &bench.path().join("top"));
    let (passed, text) = client();
    assert!(passed && text.contains("1920 results are right"), "{text}");
    // It can fail: the first sums of a position are lost.
    let file = bench.module("top", "heddle_drain_link_g8").expect("a link");
    let link = bench.read(&file);
    let wrong = link.replacen("sum_i[31:0] + added_q", "added_q", 1);
    assert_ne!(link, wrong, "{link}");
    bench.write(&file, &wrong);
    let (passed, text) = client();
    assert!(!passed, "{text}");
}

#[test]
fn the_layout_stands_beside_a_program_and_replaces_nothing_but_itself() {
    let bench = Bench::new(&[("c.json", CONFIG), ("m.json", MODEL)]);
    bench.done("compile m.json -c c.json -o p.json");
    assert_eq!(bench.read("heddle_layout.py"), LAYOUT);
    // That of another version is replaced, one that is the same is left as it is.
    bench.write(
        "heddle_layout.py",
        LAYOUT.replace("class Host", "class Guest"),
    );
    bench.done("compile m.json -c c.json -o p.json");
    let path = bench.path().join("heddle_layout.py");
    let written = || {
        std::fs::metadata(&path)
            .expect("a file")
            .modified()
            .expect("a time")
    };
    assert_eq!(bench.read("heddle_layout.py"), LAYOUT);
    let before = written();
    bench.done("compile m.json -c c.json -o other.json");
    assert_eq!(written(), before);
    bench.write("heddle_layout.py", "print('mine')\n");
    let before = bench.content();
    bench.refused(
        "compile m.json -c c.json -o p.json",
        &["heddle_layout.py: is no heddle_layout.py, it is left alone"],
    );
    bench.refused(
        "compile m.json -c c.json -o heddle_layout.py",
        &["heddle_layout.py: is the place of what is written beside a program, expected another name"],
    );
    assert_eq!(bench.content(), before);
    // A dump alone writes nothing.
    bench.done("compile m.json -c c.json --dump asm");
    assert_eq!(bench.content(), before);
}

#[test]
fn the_layout_knows_every_kind_of_layer() {
    let schema = Bench::new(&[]).json("config schema --network");
    let kinds = schema["properties"]["layers"]["items"]["oneOf"]
        .as_array()
        .expect("kinds");
    assert!(kinds.len() > 20);
    for kind in kinds {
        let name = kind["properties"]["kind"]["const"]
            .as_str()
            .expect("a name");
        assert!(LAYOUT.contains(&format!("\n    \"{name}\": (")), "{name}");
    }
}

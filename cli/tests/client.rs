//! The host of `docs/host.md`: a program file and the emitted Verilog, with cocotb on Icarus Verilog.

use std::path::Path;
use std::process::Command;

use crate::bench::{Bench, CONFIG, MODEL};
use serde_json::Value;

#[test]
fn the_client_of_the_document_gets_the_golden_outputs() {
    let bench = Bench::new(&[("c.json", CONFIG), ("m.json", MODEL)]);
    bench.done("gen -c c.json -o top");
    bench.done("compile m.json -c c.json -o p.json");
    let found = bench.done("sim -c c.json -m m.json -p p.json --json");
    bench.write("sim.json", &found);
    let client = |outputs: &str| {
        bench.write("sim.json", outputs);
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let result = Command::new(root.join(".venv/bin/python"))
            .arg(root.join("docs/client.py"))
            .arg(bench.path())
            .output()
            .expect(".venv is missing: run scripts/setup.sh");
        let text = String::from_utf8_lossy(&result.stdout).into_owned();
        (
            result.status.success(),
            text + &String::from_utf8_lossy(&result.stderr),
        )
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

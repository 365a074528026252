//! `heddle lint`: clean folders, warnings, missing tools.

use crate::bench::{Bench, CONFIG};
use serde_json::Value;

/// A folder with one generated module.
fn generated() -> Bench {
    let bench = Bench::new(&[("c.json", CONFIG)]);
    bench.done("gen -c c.json -o out --top pe_row");
    bench
}

#[test]
fn generated_verilog_is_clean() {
    let bench = generated();
    let stdout = bench.done("lint out");
    assert!(stdout.contains("verilator 5."), "{stdout}");
    let last = stdout.lines().last().expect("a result");
    assert!(last.starts_with("heddle_pe_row_c4_"), "{stdout}");
    assert!(last.ends_with(": clean (2 files)"), "{stdout}");
}

#[test]
fn every_warning_is_a_failure() {
    let bench = generated();
    let cell = bench.module("out", "heddle_pe").expect("a cell");
    let text = bench.read(&cell);
    let broken = text.replacen("endmodule", "  wire [3:0] lost;\n\nendmodule", 1);
    assert_ne!(text, broken);
    bench.write(&cell, broken);
    let run = bench.heddle("lint out --json");
    let ended = (run.code, run.stderr.as_str());
    assert_eq!(ended, (Some(1), ""), "{}", run.stdout);
    let report: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(report["clean"], false);
    let checks = report["checks"].as_array().expect("checks");
    let verilator = checks
        .iter()
        .find(|c| c["tool"] == "verilator")
        .expect("verilator");
    assert_eq!(verilator["status"], "warnings");
    let output = verilator["output"].as_str().expect("text");
    assert!(output.contains("lost"), "{output}");
}

#[test]
fn a_file_that_was_changed_by_hand_is_told() {
    let bench = generated();
    let cell = bench.module("out", "heddle_pe").expect("a cell");
    let text = bench.read(&cell);
    bench.write(&cell, text + "// Changed\n");
    let run = bench.heddle("lint out");
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""));
    let told = "differs from its hash in manifest.json: generate it again";
    let told = format!("{} {told}", cell.trim_start_matches("out/"));
    assert!(run.stdout.contains(&told), "{}", run.stdout);
}

#[test]
fn missing_linters_are_told() {
    let bench = generated();
    let result = bench
        .command("lint out")
        .env("PATH", "")
        .env_remove("HEDDLE_VENV")
        .output()
        .expect("the binary runs");
    assert_eq!(
        String::from_utf8_lossy(&result.stderr),
        "error: no linter is installed, run scripts/setup.sh\n"
    );
    assert_eq!(result.status.code(), Some(2));
}

//! What every generated text keeps to, on the presets of 16x16 and 128x128.

use std::collections::BTreeMap;
use std::process::Command;

use crate::bench::Bench;

const PRESETS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../configs");

/// The files that `gen` writes for a preset.
fn generate(bench: &Bench, preset: &str, folder: &str, more: &str) -> BTreeMap<String, String> {
    bench.done(&format!(
        "gen -c {PRESETS}/{preset}.json -o {folder} {more}"
    ));
    let entries = std::fs::read_dir(bench.path().join(folder)).expect("the folder is there");
    entries
        .map(|entry| {
            let path = entry.expect("a readable folder").path();
            let name = path.file_name().expect("a name").to_string_lossy();
            let text = std::fs::read_to_string(&path).expect("UTF-8 text");
            (name.into_owned(), text)
        })
        .collect()
}

/// The text without comments.
fn code(text: &str) -> String {
    text.lines()
        .map(|line| line.split("//").next().unwrap_or(""))
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn the_number_of_modules_does_not_depend_on_the_array() {
    let bench = Bench::new(&[]);
    let count = |preset: &str| {
        let files = generate(&bench, preset, preset, "");
        let text: String = files
            .iter()
            .filter(|(name, _)| name.starts_with("heddle_"))
            .map(|(_, text)| code(text))
            .collect();
        text.lines().filter(|l| l.starts_with("module ")).count()
    };
    let modules = count("default");
    assert!(modules > 20, "{modules} modules are no machine");
    assert_eq!(modules, count("huge"));
}

#[test]
fn texts_hold_nothing_forbidden_and_two_runs_are_equal() {
    let bench = Bench::new(&[]);
    let files = generate(&bench, "default", "once", "");
    assert_eq!(files, generate(&bench, "default", "again", ""));
    for (name, text) in files.iter().filter(|(name, _)| name.ends_with(".v")) {
        assert!(text.is_ascii(), "{name} is not ASCII");
        assert!(text.ends_with('\n'), "{name} has no final newline");
        let longest = text.lines().map(str::len).max().unwrap_or(0);
        assert!(longest <= 100, "{name} has a line of {longest} characters");
        for pragma in "lint_off lint_on synopsys translate_off verilator".split(' ') {
            assert!(!text.contains(pragma), "{name} holds {pragma}");
        }
        let code = code(text);
        let plain = code.replace("$signed(", "(").replace("$unsigned(", "(");
        assert!(!plain.contains('$'), "{name} calls a system function");
        for word in "initial casex timescale `define `include logic".split(' ') {
            let found = plain
                .split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '`')
                .any(|token| token == word);
            assert!(!found, "{name} holds {word}");
        }
        assert!(
            !plain.contains('#') || plain.contains("#("),
            "{name} holds a delay"
        );
    }
}

#[proves("TTU-005", "TTU-034")]
#[test]
fn the_traversal_unit_is_flip_flops_and_adders() {
    let Ok(version) = Command::new("yosys").arg("-V").output() else {
        panic!("yosys not found: run scripts/setup.sh");
    };
    assert!(version.status.success());
    let bench = Bench::new(&[]);
    let files = generate(&bench, "edge", "unit", "--top traversal");
    let verilog: Vec<&str> = files
        .keys()
        .filter(|name| name.ends_with(".v"))
        .map(String::as_str)
        .collect();
    let run = |passes: &str| {
        let script = format!(
            "read_verilog {}; hierarchy -check -auto-top; proc; {passes}",
            verilog.join(" ")
        );
        let run = Command::new("yosys")
            .current_dir(bench.path().join("unit"))
            .args(["-q", "-p", &script])
            .output()
            .expect("yosys has answered before");
        (
            run.status.success(),
            String::from_utf8_lossy(&run.stderr).into_owned(),
        )
    };
    let check = |selection: &str| run(&format!("flatten; opt; memory; {selection}"));
    // All cells of the math unit, less its adders.
    let math = "opt; select -assert-any heddle_traversal_adders*/t:$add; \
                select -assert-none heddle_traversal_adders*/t:* heddle_traversal_adders*/t:$add %d";
    let (adders_only, message) = run(math);
    assert!(adders_only, "{message}");
    let (multiplies, message) =
        check("select -assert-none t:$mul t:$div t:$mod t:$pow t:$alu t:$macc");
    assert!(multiplies, "{message}");
    let (remembers, message) = check("select -assert-none t:$mem* t:$dlatch*");
    assert!(remembers, "{message}");
    // The state of a loop: initial value, step, end (as a distance) and offset, each a flip-flop.
    for state in ["initial_q", "step_q", "distance_q", "offset_q"] {
        let register = format!("opt; select -assert-any w:{state} %ci1 t:*dff* %i");
        let (is_register, message) = run(&register);
        assert!(is_register, "{state}: {message}");
    }
    let (adds, message) = check("select -assert-any t:$add; select -assert-any t:*dff*");
    assert!(adds, "{message}");
    // The selections can fail: there are adders.
    assert!(!check("select -assert-none t:$add").0);
}

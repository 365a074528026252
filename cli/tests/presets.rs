//! The presets give clean Verilog; the larger ones are checked when `HEDDLE_SLOW=1`.

mod bench;

use bench::Bench;

#[test]
fn presets_can_be_generated_and_are_clean() {
    let bench = Bench::new(&[]);
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../configs");
    let slow = std::env::var_os("HEDDLE_SLOW").is_some_and(|value| value == "1");
    for name in ["tiny", "edge", "default", "large", "huge"] {
        if !slow && matches!(name, "large" | "huge") {
            eprintln!("{name} is skipped, set HEDDLE_SLOW=1");
            continue;
        }
        let config = format!("{folder}/{name}.json");
        let run = bench.heddle(&["lint", "-c", &config]);
        assert_eq!(
            (run.code, run.stderr.as_str()),
            (Some(0), ""),
            "{name}: {}",
            run.stdout
        );
    }
}

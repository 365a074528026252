//! `heddle fit`, and faster ways that `heddle compile` says a machine is too small for.

use crate::bench::{Bench, MODEL};
use serde_json::Value;

/// Cycles of a network on a configuration; none if it does not fit at once.
fn cycles(bench: &Bench, config: &str) -> Option<u64> {
    let run = bench.heddle(&format!("compile m.json -c {config} -o p.json --json"));
    if run.code != Some(0) {
        assert!(run.stderr.contains("does not fit"), "{}", run.stderr);
        return None;
    }
    let found: Value = serde_json::from_str(&run.stdout).expect("JSON");
    if found.get("segments").is_some() {
        return None;
    }
    let runs = found["runs"].as_array().expect("a list");
    Some(runs.iter().filter_map(|run| run["cycles"].as_u64()).sum())
}

/// The memories of a configuration.
const MEMORIES: [&str; 4] = [
    "/state_buffer/words_per_bank",
    "/state_buffer/row_offsets",
    "/column_tiles",
    "/program/words",
];

/// Cycles with half of a memory; none if the network does not fit, or there is no smaller memory.
fn with_half(bench: &Bench, config: &str, memory: &str) -> Option<u64> {
    let mut changed: Value = serde_json::from_str(&bench.read(config)).expect("JSON");
    let size = changed.pointer_mut(memory).expect("a memory");
    *size = (size.as_u64().expect("a number") / 2).into();
    bench.write("half.json", changed.to_string());
    let checked = bench.heddle("config check half.json");
    (checked.code == Some(0)).then(|| cycles(bench, "half.json"))?
}

#[test]
fn no_memory_can_be_half_as_large() {
    let bench = Bench::new(&[("m.json", MODEL)]);
    for array in ["4x4", "8x8", "3x5"] {
        let line = "fit -m m.json -o small.json --fastest fast.json --json --array";
        let found = bench.json(&format!("{line} {array}"));
        let of = |name: &str| found[name]["sizes"]["cycles"].as_u64();
        assert_eq!(cycles(&bench, "small.json"), of("smallest"));
        assert_eq!(cycles(&bench, "fast.json"), of("fastest"));
        assert!(of("fastest") <= of("smallest"));
        for memory in MEMORIES {
            assert_eq!(with_half(&bench, "small.json", memory), None, "{memory}");
            let slower = with_half(&bench, "fast.json", memory);
            assert!(slower.is_none() || slower > of("fastest"), "{memory}");
        }
    }
}

#[test]
fn what_cannot_be_fitted_is_refused() {
    let bench = Bench::new(&[("m.json", MODEL)]);
    bench.refused_with(&[
        "fit -m m.json --array 4 | expected rows and columns, such as 8x8",
        "fit -m m.json --array 0x4 | array.rows is 0",
        "fit -m none.json | none.json",
    ]);
}

//! The corners of the configuration space: everything the schema allows gives clean Verilog.

use crate::bench::{Bench, CONFIG};

/// Generates and lints the tiny preset with some fields changed.
#[track_caller]
fn clean(changes: &[(&str, &str)]) {
    let mut config = CONFIG.to_string();
    for (from, to) in changes {
        assert!(config.contains(from), "{from}");
        config = config.replace(from, to);
    }
    let bench = Bench::new(&[("c.json", &config)]);
    bench.done("lint -c c.json");
}

#[test]
fn the_smallest_machine_is_clean() {
    clean(&[
        ("\"rows\": 4, \"cols\": 4", "\"rows\": 1, \"cols\": 1"),
        ("\"rows\": 3, \"loops\": 5", "\"rows\": 1, \"loops\": 1"),
        ("\"words_per_bank\": 256", "\"words_per_bank\": 16"),
        ("\"depth\": 64", "\"depth\": 16"),
        ("\"column_tiles\": 16", "\"column_tiles\": 1"),
        ("\"words\": 1024", "\"words\": 64"),
        ("[4, 4]", "[1, 7]"),
    ]);
}

#[test]
fn the_largest_memories_and_widths_are_clean() {
    clean(&[
        (
            "\"rows\": 3, \"loops\": 5, \"offset_bits\": 16, \"address_bits\": 16",
            "\"rows\": 8, \"loops\": 8, \"offset_bits\": 32, \"address_bits\": 32",
        ),
        ("\"banks\": 2", "\"banks\": 8"),
        ("\"words_per_bank\": 256", "\"words_per_bank\": 1024"),
        ("\"depth\": 64", "\"depth\": 4096"),
        ("\"column_tiles\": 16", "\"column_tiles\": 256"),
        ("\"words\": 1024", "\"words\": 65536"),
        ("[4, 4]", "[7, 1]"),
    ]);
}

#[test]
fn oblong_machines_are_clean() {
    clean(&[
        ("\"rows\": 4, \"cols\": 4", "\"rows\": 3, \"cols\": 9"),
        (
            "\"offset_bits\": 16, \"address_bits\": 16",
            "\"offset_bits\": 16, \"address_bits\": 24",
        ),
        ("\"banks\": 2", "\"banks\": 4"),
        ("\"column_tiles\": 16", "\"column_tiles\": 2"),
        ("[4, 4]", "[2, 6]"),
    ]);
    clean(&[
        ("\"rows\": 4, \"cols\": 4", "\"rows\": 9, \"cols\": 2"),
        ("\"rows\": 3, \"loops\": 5", "\"rows\": 2, \"loops\": 2"),
        (
            "\"offset_bits\": 16, \"address_bits\": 16",
            "\"offset_bits\": 24, \"address_bits\": 32",
        ),
    ]);
}

#[test]
fn every_reset_is_clean() {
    for reset in [
        "{ \"style\": \"async\" }",
        "{ \"level\": \"high\" }",
        "{ \"style\": \"async\", \"level\": \"high\" }",
    ] {
        let field = format!("\"reset\": {reset}, \"program\"");
        clean(&[("\"program\"", &field)]);
    }
}

//! Faulty configurations: every message names line, field, value and what is allowed.

use heddle_arch::Params;

const GOOD: &str = include_str!("../../configs/tiny.json");

/// Changes of the tiny preset: what to replace, and by what.
const CASES: &[(&str, &str)] = &[
    // Wrong type
    ("\"rows\": 4", "\"rows\": \"4\""),
    ("\"rows\": 4", "\"rows\": 4.5"),
    ("\"rows\": 4", "\"rows\": 4.0"),
    ("\"rows\": 4", "\"rows\": null"),
    ("\"rows\": 4", "\"rows\": true"),
    ("\"rows\": 4", "\"rows\": [4]"),
    ("\"tiny\"", "7"),
    ("{ \"words\": 1024 }", "1024"),
    ("[4, 4]", "8"),
    ("[4, 4]", "[4, \"4\"]"),
    // Out of range
    ("\"rows\": 4", "\"rows\": 0"),
    ("\"rows\": 4", "\"rows\": 257"),
    ("\"rows\": 4", "\"rows\": -1"),
    ("\"rows\": 4", "\"rows\": 9223372036854775808"),
    ("\"rows\": 4", "\"rows\": 18446744073709551615"),
    ("\"rows\": 4", "\"rows\": 18446744073709551616"),
    ("\"rows\": 4", "\"rows\": 4294967300"),
    ("\"rows\": 4", "\"rows\": 1e400"),
    ("\"cols\": 4", "\"cols\": 1000"),
    ("\"rows\": 3", "\"rows\": 9"),
    ("\"loops\": 5", "\"loops\": 0"),
    (
        "\"loops\": 5",
        r#""loops": 5, "units": {"weights": [], "stream": [0, 1, 1, 1], "drain": [9]}"#,
    ),
    ("\"loops\": 5", r#""loops": 5, "units": {"weights": [2]}"#),
    ("\"offset_bits\": 16", "\"offset_bits\": 20"),
    ("\"address_bits\": 16", "\"address_bits\": 64"),
    ("\"banks\": 2", "\"banks\": 1"),
    ("\"banks\": 2", "\"banks\": 3"),
    ("\"words_per_bank\": 256", "\"words_per_bank\": 255"),
    ("\"words_per_bank\": 256", "\"words_per_bank\": 8192"),
    ("\"banks\": 2", "\"banks\": 2, \"row_offsets\": 8"),
    ("\"banks\": 2", "\"banks\": 2, \"row_offsets\": 24"),
    ("\"banks\": 2", "\"banks\": 2, \"row_offsets\": 512"),
    ("\"word_bytes\": 8", "\"word_bytes\": 16"),
    ("[4, 4]", "[0, 8]"),
    ("[4, 4]", "[4]"),
    ("[4, 4]", "[1, 1, 1, 1, 1, 1, 1, 1, 1]"),
    ("[4, 4]", "[]"),
    ("[4, 4]", "[4, 64]"),
    ("[4, 4]", "[4, 4], \"unit_bits\": 12"),
    ("[4, 4]", "[4, 4], \"mask\": \"row\""),
    ("[4, 4]", "[4, 4], \"network\": \"quarter\""),
    ("[4, 4]", "[4, 4], \"write\": true"),
    ("[4, 4]", "[4, 4], \"end\": \"lsb\""),
    ("[4, 4]", "[4, 4], \"write_threshold\": 64"),
    ("[4, 4]", "[4, 4], \"read_threshold\": -1"),
    ("[4, 4]", "[4, 4], \"access_threshold\": 0"),
    ("[4, 4]", "[4, 4], \"access_threshold\": null"),
    ("[4, 4]", "[4, 4], \"read_order\": \"in turn\""),
    ("[4, 4]", "[4, 4], \"latency\": 8"),
    ("[4, 4]", "[4, 4], \"plain\": \"yes\""),
    ("[4, 4]", "[4, 4], \"slices\": 2"),
    ("\"depth\": 64", "\"depth\": 100"),
    ("\"depth\": 64", "\"depth\": 8"),
    ("\"column_tiles\": 16", "\"column_tiles\": 2048"),
    ("\"words\": 1024", "\"words\": 32"),
    ("\"words\": 1024", "\"words\": 131072"),
    ("\"tiny\"", "\"\""),
    ("\"tiny\"", "\"Tiny\""),
    ("\"tiny\"", "\"a b\""),
    ("\"tiny\"", "\"../../etc\""),
    ("\"tiny\"", "\"a\\nendmodule\""),
    ("\"tiny\"", "\"a23456789012345678901234567890123\""),
    (r#""program""#, r#""reset": { "style": "none" }, "program""#),
    ("\"program\"", "\"reset\": { \"level\": 0 }, \"program\""),
    ("\"program\"", "\"counters\": \"some\", \"program\""),
    ("\"program\"", "\"counters\": null, \"program\""),
    // Fields that do not fit together
    (
        "\"loops\": 5",
        r#""loops": 5, "units": {"weights": [1, 1, 1, 1], "stream": [0, 6], "drain": [0, 0]}"#,
    ),
    ("\"offset_bits\": 16", "\"offset_bits\": 24"),
    // A cluster beside an array that it cannot serve, and options that do not follow the array
    (
        r#""cols": 4 },"#,
        r#""cols": 5 }, "sparse": { "engine": true },"#,
    ),
    (
        r#""rows": 4, "cols": 4 },"#,
        r#""rows": 80, "cols": 4 }, "sparse": { "engine": true },"#,
    ),
    (
        r#""column_tiles": 16"#,
        r#""column_tiles": 512, "sparse": { "engine": true }"#,
    ),
    (
        r#""column_tiles": 16"#,
        r#""column_tiles": 32, "sparse": { "engine": true, "channels": 8, "load_lanes": 5, "tiles": 16 }"#,
    ),
    ("[4, 4]", "[4, 5]"),
    ("[4, 4]", "[4, 4], \"unit_bits\": 4"),
    ("[4, 4]", "[2, 2, 3]"),
    ("[4, 4]", r#"[4, 4], "write": "exact", "mask": "field""#),
    ("[4, 4]", r#"[4, 4], "write": "exact", "mask": "hybrid""#),
    ("[4, 4]", "[1, 7], \"mask\": \"hybrid\""),
    ("[4, 4]", "[1, 1], \"unit_bits\": 32, \"mask\": \"hybrid\""),
    ("[4, 4]", "[4, 12], \"unit_bits\": 4, \"mask\": \"hybrid\""),
    ("[4, 4]", "[3, 5], \"network\": \"half\""),
    ("[4, 4]", r#"[4, 4], "network": "half", "mask": "hybrid""#),
    ("[4, 4]", "[5, 3], \"network\": \"split\""),
    ("[4, 4]", r#"[6, 2], "network": "split", "mask": "hybrid""#),
    ("[4, 4]", "[2, 3, 3], \"network\": \"split\""),
    ("[4, 4]", "[4, 4], \"read_threshold\": 1"),
    ("[4, 4]", "[4, 4], \"access_threshold\": 5"),
    (
        "[4, 4]",
        r#"[4, 4], "access_threshold": 4, "mask": "hybrid""#,
    ),
    // Options of the stand-alone memory alone
    ("[4, 4]", "[4, 4], \"write_threshold\": 1"),
    ("[4, 4]", "[4, 4], \"latency\": 3"),
    ("[4, 4]", "[4, 4], \"read_order\": \"in_turn\""),
    (
        r#""word_bytes": 8, "widths": [4, 4]"#,
        r#""word_bytes": 4, "widths": [2, 2]"#,
    ),
    (
        "\"banks\": 2,\n    \"words_per_bank\": 256",
        "\"banks\": 4,\n    \"words_per_bank\": 4096",
    ),
    // Unknown, missing, repeated
    ("\"rows\": 4", "\"rows\": 4, \"depth\": 4"),
    ("\"column_tiles\"", "\"column_tile\""),
    ("\"rows\": 4, ", ""),
    ("\"rows\": 4", "\"rows\": 4, \"rows\": 8"),
    ("\"name\": \"tiny\",", ""),
    // Syntax
    ("\"rows\": 4,", "\"rows\": 4"),
    ("\"rows\": 4", "\"rows\": 04"),
    ("\"rows\": 4", "\"rows\": 0x4"),
    ("}\n}\n", "}\n"),
    ("}\n}\n", "}\n} {}\n"),
];

/// Sections `sliced` of the tiny preset.
const SLICED: &[&str] = &[
    r#"{ "words": 100, "slices": { "widths": [4, 4] } }"#,
    r#"{ "words": 16384, "slices": { "widths": [4, 4] } }"#,
    r#"{ "words": 64 }"#,
    r#"{ "words": 64, "slices": {} }"#,
    r#"{ "words": 64, "slices": { "widths": [1, 1], "word_bytes": 4, "unit_bits": 32 } }"#,
    r#"{ "words": 64, "slices": { "widths": [8, 8], "word_bytes": 32 } }"#,
    r#"{ "words": 64, "slices": { "widths": [4, 4], "write_threshold": 8 } }"#,
    r#"{ "words": 64, "slices": { "widths": [4, 4], "write_threshold": 2, "read_threshold": 3 } }"#,
    r#"{ "words": 64, "slices": { "widths": [2, 2], "word_bytes": 4, "mask": "hybrid", "access_threshold": 2 } }"#,
    r#"{ "words": 64, "slices": { "widths": [40, 24], "word_bytes": 32, "unit_bits": 4, "network": "split" } }"#,
    r#"{ "words": 64, "slices": { "widths": [16, 48], "word_bytes": 32, "unit_bits": 4, "mask": "hybrid" } }"#,
    r#"{ "words": 64, "slices": { "widths": [4, 4], "latency": 1 } }"#,
    "null",
];

/// Sections `offsets` of the tiny preset.
const OFFSETS: &[&str] = &[
    r#"{ "rows": 0 }"#,
    r#"{ "rows": 257 }"#,
    r#"{ "rows": null }"#,
    r#"{ "cols": 300 }"#,
    r#"{ "address_bits": 20 }"#,
    r#"{ "bases": 8 }"#,
    r#"{ "bases": 1000 }"#,
    r#"{ "offsets": 131072 }"#,
    r#"{ "taps": 3 }"#,
    r#"{ "taps": 32 }"#,
    r#"{ "spread": "all" }"#,
    r#"{ "running": 1 }"#,
    r#"{ "index": "between" }"#,
    r#"{ "index": true }"#,
    r#"{ "prefetch": "yes" }"#,
    r#"{ "expand": "yes" }"#,
    r#"{ "banks": 1, "spread": "broadcast" }"#,
    r#"{ "banks": 4 }"#,
    r#"{ "banks": 4, "spread": "skew" }"#,
    r#"{ "banks": 3, "spread": "skew" }"#,
    r#"{ "banks": 4, "spread": "none" }"#,
    r#"{ "merge": 0 }"#,
    r#"{ "operand_bytes": 32 }"#,
    r#"{ "weight_words": 65537 }"#,
    r#"{ "results": 8192 }"#,
    r#"{ "store_each": 1 }"#,
    r#"{ "rows": 17, "results": 16, "store_each": true }"#,
    r#"{ "width": 7 }"#,
    "null",
    "[]",
];

/// Sections `system` of the tiny preset, and what else stands beside them.
const SYSTEM: &[&str] = &[
    "{}",
    "null",
    "\"axil\"",
    r#"{ "registers": "axi4" }"#,
    r#"{ "registers": "AXIL" }"#,
    r#"{ "registers": true }"#,
    r#"{ "registers": null }"#,
    r#"{ "registers": "axil", "dma": true }"#,
    r#"{ "registers": "axil", "dma": { "address_bits": 31, "max_burst": 24, "outstanding": 0 } }"#,
    r#"{ "registers": "axil", "dma": { "queue": 9, "id_bits": 9, "lanes": 2 } }"#,
    r#"{ "registers": "axil", "dma": {} }, "table_memory": "one_port""#,
    r#"{ "registers": "axil" }, "reset": { "level": "high" }"#,
    r#"{ "registers": "wishbone" }, "reset": { "style": "async", "level": "high" }"#,
];

/// What is said of sections of this name, each of which must be refused.
fn reports(name: &str, sections: &[&str]) -> String {
    let mut table = String::new();
    for section in sections {
        let text = GOOD.replacen('{', &format!("{{ \"{name}\": {section},"), 1);
        let found = report(&text);
        assert!(!found.contains("accepted"), "{section} is accepted");
        table += &format!("{section}\n    {}\n", found.replace('\n', "\n    "));
    }
    table
}

fn report(text: &str) -> String {
    match Params::from_json(text) {
        Ok(_) => "accepted".to_string(),
        Err(errors) => errors.to_string(),
    }
}

#[test]
fn every_fault_is_explained() {
    let mut table = String::new();
    for (from, to) in CASES {
        assert!(GOOD.contains(from), "{from:?} is not in the preset");
        let found = report(&GOOD.replacen(from, to, 1));
        assert!(!found.contains("accepted"), "{from} -> {to} is accepted");
        table += &format!("{from} -> {to}\n    {}\n", found.replace('\n', "\n    "));
    }
    for text in ["", " \n", "[]", "null", "{}", "tiny", "{", "\u{feff}{}"] {
        table += &format!("{text:?}\n    {}\n", report(text).replace('\n', "\n    "));
    }
    insta::assert_snapshot!(table);
}

#[test]
fn every_fault_of_the_stand_alone_memory_is_explained() {
    insta::assert_snapshot!(reports("sliced", SLICED));
}

#[test]
fn every_fault_of_the_offset_unit_is_explained() {
    insta::assert_snapshot!(reports("offsets", OFFSETS));
}

#[test]
fn every_fault_of_the_system_is_explained() {
    insta::assert_snapshot!(reports("system", SYSTEM));
}

#[test]
fn a_dma_beside_a_sparse_engine_needs_a_square_array() {
    let text = GOOD.replace("\"rows\": 4", "\"rows\": 8").replacen(
        '{',
        r#"{ "system": { "registers": "axil", "dma": {} }, "sparse": { "engine": true },"#,
        1,
    );
    insta::assert_snapshot!(report(&text), @"line 1: sparse.engine is true, expected false with system.dma on 8 rows and 4 columns: its drain words are announced on a square array alone");
}

#[test]
fn rules_of_slices_do_not_hide_each_other() {
    let text = GOOD.replace(
        "[4, 4]",
        r#"[3, 5], "network": "half", "mask": "field", "write": "exact", "latency": 4, "ends": 1"#,
    );
    insta::assert_snapshot!(report(&text), @r#"
    line 8: state_buffer.slices.ends is unknown, expected one of access_threshold, end, latency, mask, network, plain, read_order, read_threshold, unit_bits, widths, word_bytes, write, write_threshold
    line 8: state_buffer.slices.latency is 4, expected 5: other values are for the stand-alone memory, section sliced
    line 8: state_buffer.slices.network is "half", expected "full": slice 0 holds 3 units packed, "half" needs at least 4
    line 8: state_buffer.slices.write is "exact", expected "fill" with mask "field"
    "#);
}

#[test]
fn all_faults_are_reported_at_once() {
    let text = GOOD
        .replace("\"rows\": 4", "\"rows\": 0, \"size\": 1")
        .replace("\"offset_bits\": 16", "\"offset_bits\": 24")
        .replace("[4, 4]", "[3, 4]")
        .replace("\"depth\": 64", "\"depth\": \"64\"");
    insta::assert_snapshot!(report(&text), @r#"
    line 3: array.rows is 0, expected a whole number from 1 to 256
    line 3: array.size is unknown, expected one of cols, partial_sums, rows
    line 4: traversal.offset_bits is 24, expected at most traversal.address_bits, 16
    line 8: state_buffer.slices.widths is [3, 4], expected a sum of 8, the units of a word
    line 10: results_buffer.depth is "64", expected a power of two from 16 to 4096
    "#);
}

#[test]
fn deep_nesting_is_a_fault() {
    let text = "[".repeat(100_000);
    insta::assert_snapshot!(report(&text), @"line 1: not JSON: recursion limit exceeded (column 128)");
}

proptest::proptest! {
    #[test]
    fn damaged_files_never_panic(at in 0usize..600, length in 0usize..6, with in ".{0,4}") {
        let from = (0..=at.min(GOOD.len())).rev().find(|i| GOOD.is_char_boundary(*i)).unwrap_or(0);
        let rest: String = GOOD[from..].chars().skip(length).collect();
        let _ = report(&format!("{}{with}{rest}", &GOOD[..from]));
    }

    #[test]
    fn any_text_never_panics(text in "[\\[\\]{}:,\"\\\\a0-9eE. \n-]{0,40}") {
        let _ = report(&text);
    }
}

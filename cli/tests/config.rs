//! `heddle config`.

use crate::bench::{Bench, CONFIG, MODEL};

#[test]
fn schemas_are_json() {
    let bench = Bench::new(&[]);
    for kind in ["", "--network", "--program"] {
        let schema = bench.json(&format!("config schema {kind}"));
        assert_eq!(schema["type"], "object");
        let fields = schema["properties"].as_object().expect("fields");
        let mut fields = fields.values();
        assert!(fields.all(|field| field["description"].is_string()));
    }
}

#[test]
fn a_shown_configuration_is_valid_again() {
    let bench = Bench::new(&[("c.json", CONFIG)]);
    let shown = bench.json("config show c.json --json");
    assert_eq!(shown["configuration"]["reset"]["style"], "sync");
    assert_eq!(shown["derived"]["state_buffer"], 16384);
    assert_eq!(shown["derived"]["access_threshold"], 4);
    assert_eq!(
        shown["configuration"]["state_buffer"]["slices"]["latency"],
        5
    );
    bench.write("again.json", shown["configuration"].to_string());
    let run = bench.heddle("config check again.json");
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (Some(0), "again.json: ok\n")
    );
    let shown = bench.done("config show c.json");
    let line = "state buffer           16384  bytes\n";
    assert!(shown.contains(line), "{shown}");
}

#[test]
fn good_files_are_told_beside_bad_ones() {
    let bench = Bench::new(&[("c.json", CONFIG), ("bad.json", "{"), ("m.json", MODEL)]);
    let run = bench.heddle("config check c.json bad.json -m m.json");
    assert_eq!(run.code, Some(2));
    assert_eq!(run.stdout, "c.json: ok\nm.json: ok\n");
    assert_eq!(
        run.stderr,
        "error: bad.json:1: not JSON: EOF while parsing an object (column 1)\n"
    );
}

#[test]
fn a_network_is_told_from_a_configuration() {
    let bench = Bench::new(&[("c.json", CONFIG), ("m.json", MODEL)]);
    let line = "m.json:2: format is \"heddle-network-1\": the file is a network, expected a configuration; --model takes it";
    bench.refused("config check m.json", &[line]);
    bench.refused("gen -c m.json -o out", &[line]);
}

#[test]
fn a_byte_order_mark_before_a_file_means_nothing() {
    let bench = Bench::new(&[]);
    bench.write("c.json", format!("\u{feff}{CONFIG}"));
    bench.write("m.json", format!("\u{feff}{MODEL}"));
    bench.write("a.nest", "\u{feff}for i in 0..2 { A[i] }");
    bench.done("config check c.json -m m.json");
    bench.done("traverse -f a.nest");
    bench.write("c.json", format!("\u{feff}\u{feff}{CONFIG}"));
    let line = "c.json:1: not JSON: expected value (column 1)";
    bench.refused("config show c.json", &[line]);
    let text = CONFIG.replace("\"rows\": 4", "\"rows\": 0");
    bench.write("c.json", format!("\u{feff}{text}"));
    let line = "c.json:3: array.rows is 0, expected a whole number from 1 to 256";
    bench.refused("config show c.json", &[line]);
}

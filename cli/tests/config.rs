//! `heddle config`.

use crate::bench::{Bench, CONFIG, MODEL};
use serde_json::{Value, json as value};

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
fn the_checksum_of_a_configuration_has_eight_digits() {
    let other = CONFIG.replace("\"tiny\"", "\"other\"");
    let bench = Bench::new(&[("c.json", CONFIG), ("other.json", &other)]);
    for (file, name) in [("c.json", "tiny"), ("other.json", "other")] {
        // As in arch/tests/registers.rs.
        let line = format!("config hash -c {file}");
        assert_eq!(bench.done(&line), "0x775a3791\n");
        let found = bench.json(&format!("{line} --json"));
        assert_eq!(
            found,
            value!({ "configuration": name, "hash": "0x775a3791" })
        );
    }
    let run = bench.heddle("config hash -c none.json");
    assert_eq!(run.code, Some(2), "{}", run.stderr);
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

#[test]
fn what_is_wasted_is_told_by_every_command_and_refused_by_none() {
    let wide = CONFIG.replace("\"cols\": 4", "\"cols\": 5");
    let engine = r#""sparse": { "engine": true, "units": 2 }, "results_buffer""#;
    let engine = CONFIG
        .replace("\"rows\": 4", "\"rows\": 2")
        .replace("\"words_per_bank\": 256", "\"words_per_bank\": 512")
        .replace(r#""results_buffer""#, engine);
    let bench = Bench::new(&[
        ("c.json", CONFIG),
        ("w.json", &wide),
        ("e.json", &engine),
        ("m.json", MODEL),
    ]);
    let columns = "array.cols is 5, layers of planes use 4 of them, as many as array.rows; only matrices use more";
    let told = format!("wasted: w.json: {columns}\n");

    assert_eq!(
        bench.done("config check c.json w.json -m m.json"),
        format!("c.json: ok\nw.json: ok\nw.json: wasted: {columns}\nm.json: ok\n")
    );
    let field = value!([{ "field": "array.cols", "message": columns }]);
    let expected = value!({
        "ok": [
            { "file": "c.json", "wasted": [] },
            { "file": "w.json", "wasted": field },
            { "file": "m.json", "wasted": null },
        ],
        "errors": [],
    });
    assert_eq!(
        bench.json("config check c.json w.json -m m.json --json"),
        expected
    );

    for (line, stderr, found) in [
        ("gen -c w.json -o out --json", &told[..], &field),
        ("gen -c c.json -o out --json", "", &value!([])),
        ("compile m.json -c w.json -o p.json --json", &told, &field),
        ("compile m.json -c c.json -o p.json --json", "", &value!([])),
        // A part of the machine is no place for a network.
        ("gen -c w.json -o out --top pe_row --json", "", &Value::Null),
    ] {
        let run = bench.heddle(line);
        assert_eq!((run.code, &run.stderr[..]), (Some(0), stderr), "{line}");
        let printed: Value = serde_json::from_str(&run.stdout).expect("JSON");
        assert_eq!(&printed["wasted"], found, "{line}");
    }

    let run = bench.heddle("compile m.json -c e.json --engine auto -o p.json --json");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    let printed: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let wasted = printed["wasted"].as_array().expect("a list");
    let fields: Vec<&str> = wasted
        .iter()
        .filter_map(|waste| waste["field"].as_str())
        .collect();
    assert_eq!(fields, ["array.cols", "sparse.engine"]);
    bench.refused_with(&["compile m.json -c e.json --engine sparse -o p.json | array.rows is 2, expected array.cols, which is 4"]);
}

#[test]
fn a_cluster_that_is_an_engine_follows_the_array() {
    let engine = r#""sparse": { "engine": true }, "results_buffer""#;
    let bench = Bench::new(&[]);
    bench.write("c.json", CONFIG.replace(r#""results_buffer""#, engine));
    let shown = bench.json("config show c.json --json");
    let section = &shown["configuration"]["sparse"];
    assert_eq!(
        (&section["channels"], &section["tiles"]),
        (&value!(4), &value!(64))
    );
    bench.write("m.json", MODEL);
    let found = bench.json("fit -m m.json -c c.json --array 8x8 --json");
    let section = &found["smallest"]["configuration"]["sparse"];
    assert_eq!(section["channels"], 8);
}

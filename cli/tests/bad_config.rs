//! Faulty configurations: one clear message for each fault, exit code 2, nothing written.

use crate::bench::{Bench, CONFIG};

/// Every command that reads a configuration refuses the same way.
#[track_caller]
fn refused(text: impl AsRef<[u8]>, messages: &[&str]) {
    let bench = Bench::new(&[]);
    bench.write("c.json", text);
    let lines: Vec<String> = messages.iter().map(|m| format!("c.json{m}")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    bench.refused("gen -c c.json -o out/deep", &lines);
    bench.refused("config check c.json", &lines);
}

/// Replaces something of the configuration; a row is what, ` -> `, by what, ` | ` and the message.
#[track_caller]
fn changed(rows: &[&str]) {
    for row in rows {
        let (change, message) = row.split_once(" | ").expect("a message");
        let (from, to) = change.split_once(" -> ").expect("a change");
        assert!(CONFIG.contains(from), "{from}");
        refused(CONFIG.replacen(from, to, 1), &[message]);
    }
}

#[test]
fn wrong_types_are_refused() {
    let allowed = "expected a whole number from 1 to 256";
    for value in ["\"4\"", "4.5", "4.0", "null", "true"] {
        let message = format!(":3: array.rows is {value}, {allowed}");
        changed(&[&format!("\"rows\": 4 -> \"rows\": {value} | {message}")]);
    }
    changed(&[
        r#""rows": 4 -> "rows": [4] | :3: array.rows is a list of length 1, expected a whole number from 1 to 256"#,
        r#""tiny" -> 7 | :2: name is 7, expected a string"#,
        "[4, 4] -> 8 | :8: state_buffer.slices.widths is 8, expected a list",
        r#"{ "words": 1024 } -> 1024 | :12: program is 1024, expected an object"#,
    ]);
}

#[test]
fn values_out_of_range_are_refused() {
    let allowed = "expected a whole number from 1 to 256";
    let values = "0 257 -1 4294967300 9223372036854775807 9223372036854775808 -9223372036854775808 \
                  18446744073709551615";
    for value in values.split(' ') {
        let message = format!(":3: array.rows is {value}, {allowed}");
        changed(&[&format!("\"rows\": 4 -> \"rows\": {value} | {message}")]);
    }
    changed(&[
        r#""banks": 2 -> "banks": 6 | :6: state_buffer.banks is 6, expected 2, 4 or 8"#,
        r#""depth": 64 -> "depth": 65 | :10: results_buffer.depth is 65, expected a power of two from 16 to 4096"#,
        r#""tiny" -> "../up" | :2: name is "../up", expected a lower-case letter, then lower-case letters, digits and underscores"#,
    ]);
}

#[test]
fn unknown_missing_and_repeated_fields_are_refused() {
    changed(&[
        r#""rows": 4 -> "rows": 4, "colour": 1 | :3: array.colour is unknown, expected one of cols, partial_sums, rows"#,
        r#""rows": 4,  ->  | :3: array.rows is missing, expected a whole number from 1 to 256"#,
        r#""rows": 4 -> "rows": 4, "rows": 4 | :3: array.rows stands twice, expected once"#,
    ]);
}

#[test]
fn fields_that_do_not_fit_together_are_refused() {
    changed(&[
        r#""offset_bits": 16 -> "offset_bits": 32 | :4: traversal.offset_bits is 32, expected at most traversal.address_bits, 16"#,
        "[4, 4] -> [4, 3] | :8: state_buffer.slices.widths is [4, 3], expected a sum of 8, the units of a word",
        "\"banks\": 2,\n    \"words_per_bank\": 256 -> \"banks\": 8,\n    \"words_per_bank\": 2048 | :7: state_buffer.words_per_bank is 2048, expected at most 1024 with 8 banks: a partition holds at most 65536 bytes",
    ]);
}

#[test]
fn all_faults_are_reported_at_once() {
    let text = CONFIG
        .replace("\"cols\": 4", "\"cols\": 0")
        .replace("\"column_tiles\": 16", "\"column_tiles\": 3");
    refused(
        text,
        &[
            ":3: array.cols is 0, expected a whole number from 1 to 256",
            ":11: column_tiles is 3, expected a power of two from 1 to 1024",
        ],
    );
}

#[test]
fn files_that_are_no_json_are_refused() {
    refused("", &[": the document is empty, expected a JSON object"]);
    refused("\n\n", &[": the document is empty, expected a JSON object"]);
    refused(
        "[1]",
        &[": the document is a list of length 1, expected an object"],
    );
    refused(
        &CONFIG[..CONFIG.find("   \"words_per_bank").expect("a field")],
        &[":7: not JSON: EOF while parsing a value (column 1)"],
    );
    refused(
        "name = \"tiny\"\n",
        &[":1: not JSON: expected ident (column 2)"],
    );
    refused(
        b"{\n\"name\": \"\xff\"}",
        &[":2: not UTF-8 text, expected JSON"],
    );
    refused(b"\0\0\0", &[":1: not JSON: expected value (column 1)"]);
    refused(
        "[".repeat(1 << 19),
        &[":1: not JSON: recursion limit exceeded (column 128)"],
    );
}

#[test]
fn ten_megabytes_of_garbage_are_refused() {
    let mut state = 1u32;
    let garbage: Vec<u8> = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    })
    .take(10 << 20)
    .collect();
    refused(
        garbage,
        &[": configuration is too large, expected at most 1 MiB"],
    );
}

#[test]
fn paths_that_are_no_file_are_refused() {
    let bench = Bench::new(&[("folder/inside", "")]);
    for row in [
        "missing.json | cannot read configuration: No such file or directory (os error 2)",
        "folder | is a folder, expected a configuration file",
        "folder/inside/c.json | cannot read configuration: Not a directory (os error 20)",
        "/dev/zero | configuration is too large, expected at most 1 MiB",
        "/dev/null | the document is empty, expected a JSON object",
        "a\nb.json | cannot read configuration: No such file or directory (os error 2)",
    ] {
        let (path, message) = row.split_once(" | ").expect("a path and a message");
        let line = format!("{}: {message}", path.replace('\n', "\\n"));
        bench.refused(&format!("gen -c '{path}' -o out"), &[&line]);
        bench.refused(&format!("config show '{path}'"), &[&line]);
    }
}

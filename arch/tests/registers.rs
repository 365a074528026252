//! The table of registers, its documents, and the checksum of a configuration.

use std::io::Write;
use std::process::{Command, Stdio};

use heddle_arch::Params;
use heddle_arch::identity::{config_hash, identity_text};
use heddle_arch::params::schema;
use heddle_arch::registers::{self, field_table, header, rdl, register_table};
use serde_json::{Value, json};

use crate::isa_fields::check_tables;
use crate::presets::preset;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

#[test]
fn the_lists_of_the_document_are_those_of_the_table() {
    let tables = [("registers", register_table()), ("fields", field_table())];
    check_tables(&format!("{ROOT}/docs/registers.md"), "registers", &tables);
}

/// What a compiler of SystemRDL reads, or what it says.
fn read_back(text: &str) -> Result<Value, String> {
    let mut compiler = Command::new(format!("{ROOT}/.venv/bin/python"))
        .arg(format!("{ROOT}/scripts/read_rdl.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect(".venv is missing: run scripts/setup.sh");
    let mut input = compiler.stdin.take().unwrap();
    input.write_all(text.as_bytes()).unwrap();
    drop(input);
    let result = compiler.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&result.stderr).into_owned();
    match result.status.success() && told.is_empty() {
        true => Ok(serde_json::from_slice(&result.stdout).unwrap()),
        false => Err(told),
    }
}

#[test]
fn a_compiler_of_systemrdl_reads_the_registers_of_the_table() {
    let mut dma = preset("edge_axi");
    dma.system = serde_json::from_value(json!({ "registers": "axil", "dma": {} })).unwrap();
    for (params, count) in [(preset("edge_axi"), 45), (preset("tflite"), 45), (dma, 86)] {
        let text = rdl(&params, "0");
        let name = format!("heddle_{}", params.name);
        let expected = json!({ "name": name, "registers": registers::to_json(&params) });
        assert_eq!(expected["registers"].as_array().unwrap().len(), count);
        assert_eq!(read_back(&text).unwrap(), expected);
        // It can fail: a place, an access, a value, a bit.
        for (from, to) in [
            ("CYCLES @ 0x120", "CYCLES @ 0x1f0"),
            ("sw = r; hw = w; } RUNNING", "sw = rw; hw = w; } RUNNING"),
            ("VALUE[31:0] = 0x48454402", "VALUE[31:0] = 0x48454401"),
            ("PORT_BUSY[10:10]", "PORT_BUSY[11:11]"),
            ("sw = rw; woclr;", "sw = rw;"),
        ] {
            let wrong = text.replacen(from, to, 1);
            assert_ne!(wrong, text, "{from}");
            assert_ne!(read_back(&wrong).unwrap(), expected, "{to}");
        }
    }
}

/// Constants of a machine as the table has them.
fn words(params: &Params, names: [&str; 3]) -> [u64; 3] {
    let all = registers::to_json(params);
    let all = all.as_array().unwrap();
    names.map(|name| {
        let found = all.iter().find(|register| register["name"] == name);
        found.unwrap()["reset"].as_u64().unwrap()
    })
}

#[test]
fn constants_say_what_the_machine_is() {
    let names = ["ID", "SHAPE", "CAPS"];
    // Banks 2, words 512, column tiles 16, program words 1024: by hand.
    let edge = words(&preset("edge_axi"), names);
    assert_eq!(edge, [0x4845_4402, 0x0008_0008, 0x6491_0000]);
    let mut other = preset("tiny");
    (other.array.rows, other.array.cols) = (256, 17);
    other.state_buffer.banks = 8;
    other.program = serde_json::from_value(json!({ "words": 64, "memory": "banks" })).unwrap();
    let caps = words(&other, names);
    assert_eq!(caps[1..], [0x0011_0100, 0x2483_0004]);
}

#[test]
fn the_header_has_every_place_and_the_constants_of_each_machine() {
    let [edge, tiny] = ["edge_axi", "tiny"].map(preset);
    let text = header(&[&edge, &tiny], "0");
    for params in [&edge, &tiny] {
        for register in registers::to_json(params).as_array().unwrap() {
            let (name, offset) = (
                register["name"].as_str().unwrap(),
                register["offset"].as_u64(),
            );
            let line = format!("#define HEDDLE_{name} 0x{:03X}u\n", offset.unwrap());
            assert_eq!(text.matches(&line).count(), 1, "{line}");
        }
        let hash = config_hash(params);
        let line = format!(
            "#define HEDDLE_MACHINE_{}_CONFIG 0x{hash:08X}u\n",
            params.name.to_uppercase()
        );
        assert!(text.contains(&line), "{line}");
    }
    let program = format!(
        "{text}int main(void) {{ return (int)(HEDDLE_IRQ_STATUS_BAD_ACCESS_MASK >> HEDDLE_IRQ_STATUS_BAD_ACCESS_SHIFT) - 1; }}\n"
    );
    let mut compiler = Command::new("cc")
        .args([
            "-std=c99",
            "-pedantic",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-fsyntax-only",
            "-x",
            "c",
            "-",
        ])
        .stdin(Stdio::piped())
        .spawn()
        .expect("a C compiler");
    let mut input = compiler.stdin.take().unwrap();
    input.write_all(program.as_bytes()).unwrap();
    drop(input);
    assert!(compiler.wait().unwrap().success());
}

/// Adds the names of all fields of a schema that are no objects.
fn fields(schema: &Value, path: &str, found: &mut Vec<String>) {
    match schema["properties"].as_object() {
        None => found.push(path.to_string()),
        Some(inner) => inner
            .iter()
            .for_each(|(key, field)| fields(field, &format!("{path}/{key}"), found)),
    }
}

#[test]
fn the_text_of_an_identity_has_every_field_once_in_order() {
    let mut all = Vec::new();
    fields(&schema(), "", &mut all);
    let left_out = |field: &String| {
        ["/counters", "/name", "/reset", "/system"]
            .iter()
            .any(|part| field.starts_with(part))
    };
    all.retain(|field| !left_out(field));
    assert_eq!(all.len(), 104);
    for name in ["tiny", "edge", "edge_axi", "tflite", "huge"] {
        let text = identity_text(&preset(name));
        let (line, json) = text.split_once('\n').unwrap();
        assert_eq!(line, "heddle ISA 1 image 1");
        assert!(!json.contains([' ', '\n']), "{json}");
        let value: Value = serde_json::from_str(json).unwrap();
        assert_eq!(value.to_string(), json, "keys are sorted");
        for field in &all {
            assert!(
                value.pointer(field).is_some_and(|value| !value.is_null()),
                "{name}: {field}"
            );
        }
        for part in ["counters", "name", "reset", "system"] {
            assert_eq!(value.get(part), None);
        }
    }
}

#[test]
fn the_checksum_is_that_of_zlib() {
    // By Python, of the text of the snapshot: zlib.crc32(text.encode()).
    let tiny = preset("tiny");
    insta::assert_snapshot!(identity_text(&tiny));
    assert_eq!(config_hash(&tiny), 0x775a_3791);
    // The check value of CRC-32 in catalogues of checksums.
    assert_eq!(crc32fast::hash(b"123456789"), 0xcbf4_3926);
}

#[test]
fn only_what_changes_a_machine_changes_its_checksum() {
    let text = preset("edge").to_json();
    let hash = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        let params = Params::from_json(&text.replacen(from, to, 1)).expect("valid");
        config_hash(&params)
    };
    let edge = hash("\"edge\"", "\"edge\"");
    assert_eq!(hash("\"edge\"", "\"other\""), edge);
    assert_eq!(config_hash(&preset("edge_axi")), edge);
    for same in [
        r#"{ "system": { "registers": "wishbone" },"#,
        r#"{ "table_memory": "two_ports","#,
        r#"{ "post": { "pooling": false },"#,
        r#"{ "sparse": { "units": 8 },"#,
        r#"{ "offsets": {},"#,
        r#"{ "counters": "none","#,
    ] {
        assert_eq!(hash("{", same), edge, "{same}");
    }
    assert_eq!(hash("\"style\": \"sync\"", "\"style\": \"async\""), edge);
    let mut seen = vec![edge];
    for (from, to) in [
        ("\"rows\": 8", "\"rows\": 7"),
        ("\"depth\": 256", "\"depth\": 512"),
        ("\"words\": 1024", "\"words\": 1024, \"memory\": \"banks\""),
        ("{", r#"{ "table_memory": "one_port","#),
        ("{", r#"{ "post": { "pooling": true },"#),
        ("{", r#"{ "sparse": { "engine": true },"#),
    ] {
        // Two banks are too few for a program.
        let found = match to.contains("memory\": \"banks") {
            true => {
                let text = text
                    .replacen("\"banks\": 2", "\"banks\": 4", 1)
                    .replacen(from, to, 1);
                config_hash(&Params::from_json(&text).expect("valid"))
            }
            false => hash(from, to),
        };
        assert!(!seen.contains(&found), "{to}");
        seen.push(found);
    }
}

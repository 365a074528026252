//! Program files: read back they are the program; faulty ones are refused as a whole.

use crate::support::compile_with;
use crate::support::{self, model, preset};
use heddle_arch::params::{CounterSet, Params, ProgramMemory};
use heddle_compiler::{FileError, Options, Program, Schedule};

fn edge() -> Params {
    preset("edge")
}

fn digits(whole: bool) -> Program {
    let options = if whole {
        support::whole()
    } else {
        Options::default()
    };
    compile_with(&model("digits"), &edge(), &options).unwrap()
}

#[test]
fn a_program_comes_back_from_its_file() {
    for whole in [false, true] {
        let program = digits(whole);
        let text = program.to_json(&edge());
        let found = Program::from_json(&text, &edge()).unwrap();
        let without_schedule = Program {
            schedule: Schedule::default(),
            ..program
        };
        assert_eq!(found, without_schedule);
        assert_eq!(found.to_json(&edge()), text);
    }
}

#[test]
fn a_file_that_was_cut_off_or_changed_is_refused() {
    let text = digits(true).to_json(&edge());
    for length in [0, 1, 40, text.len() / 3, text.len() / 2, text.len() - 3] {
        let error = Program::from_json(&text[..length], &edge()).expect_err("cut off");
        assert!(matches!(error, FileError::Form { .. }), "{length}: {error}");
    }
    // Every single digit counts.
    let words = text.find("\"words\": \"").unwrap() + 10;
    let image = text.find("\"bytes\": \"").unwrap() + 10;
    let pc = text.find("start_pc").unwrap() + 11;
    for at in [words, words + 77, image, image + 5, pc] {
        let mut bytes = text.clone().into_bytes();
        bytes[at] = if bytes[at] == b'1' { b'2' } else { b'1' };
        let changed = String::from_utf8(bytes).unwrap();
        let error = Program::from_json(&changed, &edge()).expect_err("changed");
        assert!(matches!(error, FileError::Checksum { .. }), "{at}: {error}");
    }
    let told = |from: &str, to: &str| {
        let other = text.replacen(from, to, 1);
        let error = Program::from_json(&other, &edge()).expect_err(to);
        error.to_string()
    };
    let message = told("heddle-program-4", "heddle-program-9");
    let expected = "expected heddle-program-4 or heddle-program-3: compile the network again";
    assert_eq!(
        message,
        format!("format is \"heddle-program-9\", {expected}")
    );
    let message = told("\"crc\": \"", "\"crc\": \"x");
    assert!(
        message.contains("expected eight hexadecimal digits"),
        "{message}"
    );
    told("\"network\"", "\"net\"");
}

#[test]
fn a_program_for_another_machine_is_refused() {
    let text = digits(true).to_json(&edge());
    for (name, rows) in [("tiny", 4), ("default", 16)] {
        let error = Program::from_json(&text, &preset(name)).expect_err(name);
        let message = format!("made for array.rows 8, this machine has {rows}");
        assert_eq!(error.to_string(), message);
    }
    type Change = (&'static str, fn(&mut Params));
    let changes: [Change; 12] = [
        ("results_buffer.depth", |p| p.results_buffer.depth *= 2),
        ("traversal.rows", |p| p.traversal.rows += 1),
        ("traversal.loops", |p| p.traversal.loops += 1),
        ("traversal.units", |p| {
            p.traversal.units = Some([&[3, 1][..], &[0, 5], &[3]].into());
        }),
        ("traversal.offset_bits", |p| p.traversal.offset_bits -= 1),
        ("traversal.address_bits", |p| p.traversal.address_bits += 1),
        ("post.pooling", |p| p.post.pooling = true),
        ("post.product", |p| p.post.product = true),
        ("post.median", |p| p.post.median = 9),
        ("post.activations", |p| p.post.activations = 1),
        ("post.left_shift", |p| p.post.left_shift = true),
        ("post.columns_per_multiplier", |p| {
            p.post.columns_per_multiplier = 2
        }),
    ];
    for (field, change) in changes {
        let mut params = edge();
        change(&mut params);
        let error = Program::from_json(&text, &params)
            .expect_err(field)
            .to_string();
        assert!(error.starts_with(&format!("made for {field} ")), "{error}");
    }
}

#[test]
fn a_program_runs_whatever_the_machine_counts() {
    let text = digits(true).to_json(&edge());
    for counters in [CounterSet::Basic, CounterSet::None] {
        let mut params = edge();
        params.counters = counters;
        let found = Program::from_json(&text, &params).unwrap();
        assert_eq!(found.to_json(&params), text, "{counters:?}");
        let compiled = compile_with(&model("digits"), &params, support::whole()).unwrap();
        assert_eq!(compiled.to_json(&params), text, "{counters:?}");
    }
}

/// A change, with the checksum that belongs to it: what somebody else's tool may write.
fn forged(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from}");
    let changed = text.replacen(from, to, 1);
    let expected = match Program::from_json(&changed, &edge()) {
        Err(FileError::Checksum { expected, .. }) => expected,
        other => panic!("{from}: {other:?}"),
    };
    let at = changed.find("\"crc\": \"").unwrap() + 8;
    format!("{}{expected:08x}{}", &changed[..at], &changed[at + 8..])
}

#[test]
fn a_file_says_where_its_program_lies_and_one_of_version_3_is_of_a_memory_of_its_own() {
    let program = digits(true);
    let text = program.to_json(&edge());
    let memory = ",\n      \"program_memory\": \"separate\"";
    let older = forged(&text, memory, "").replacen("heddle-program-4", "heddle-program-3", 1);
    let read = Program::from_json(&older, &edge()).expect("version 3");
    assert_eq!(read.to_json(&edge()), text);
    let mut banks = edge();
    banks.program.memory = ProgramMemory::Banks;
    banks.state_buffer.banks *= 2;
    banks.validate().expect("room for the program");
    banks.state_buffer.banks = edge().state_buffer.banks + banks.program_banks();
    for text in [&text, &older] {
        let message = Program::from_json(text, &banks)
            .expect_err("banks")
            .to_string();
        let expected =
            "made for program.memory separate, this machine has banks: compile the network for it";
        assert_eq!(message, expected);
    }
    for (file, message) in [
        (
            forged(&text, memory, ""),
            "machine.program_memory is \"none\", expected one in heddle-program-4 and none in heddle-program-3",
        ),
        (
            text.replacen("heddle-program-4", "heddle-program-3", 1),
            "machine.program_memory is \"there\", expected one in heddle-program-4 and none in heddle-program-3",
        ),
    ] {
        let found = Program::from_json(&file, &edge()).expect_err(message);
        assert_eq!(found.to_string(), message);
    }
}

#[test]
fn values_out_of_range_are_named() {
    let program = digits(true);
    let text = program.to_json(&edge());
    let pc = format!("\"start_pc\": {}", program.runs[0].start_pc);
    let words = program.once.words.len();
    for row in [
        r#""partition": 0, -> "partition": 8, | image.partition is 8, expected less than 8"#,
        r#""word": 0, -> "word": 8000, | image.word is "#,
        r#""column": 0, -> "column": 8, | columns.column is 8, expected less than 8"#,
        r#""shift": -8 -> "shift": -80 | columns.shift is "#,
        r#""shift": -8 -> "shift": 8 | columns.shift is 8, expected at most 0 without post.left_shift"#,
        r#""pitch": 16 -> "pitch": 15 | tensor input: pitch modulo 8 is 7, expected 0"#,
        r#""words": " -> "words": "00 | words is a text of "#,
        r#""words": " -> "words": "0000000e | words is no program, expected word 0: "#,
        r#""words": "0 -> "words": "g | words is "g"#,
        &format!(
            "{pc} -> \"start_pc\": {words} | runs.start_pc is {words}, expected less than {words}"
        ),
    ] {
        let (change, message) = row.split_once(" | ").unwrap();
        let (from, to) = change.split_once(" -> ").unwrap();
        let error = Program::from_json(&forged(&text, from, to), &edge()).expect_err(from);
        assert!(error.to_string().starts_with(message), "{from}: {error}");
    }
}

#[test]
fn fields_that_say_what_the_words_do_not_are_refused() {
    let program = digits(true);
    let text = program.to_json(&edge());
    let (run, conv1) = (&program.runs[0], &program.layers[0]);
    let number = |field: &str, value: u64| format!("\"{field}\": {value}");
    for (from, to, message) in [
        (
            number("instructions", run.instructions.into()),
            number("instructions", 1),
            "runs.instructions is 1, expected ",
        ),
        (
            number("vectors", conv1.vectors),
            number("vectors", conv1.vectors + 1),
            "vectors of the layers of a run is ",
        ),
        (
            number("operands", conv1.operands),
            number("operands", 8 * conv1.vectors + 1),
            "layers.operands is ",
        ),
        (
            "\"network\": \"digits\"".to_string(),
            "\"network\": \"digits\\u001b[31m\"".to_string(),
            "network is \"digits\\u{1b}[31m\", expected 1 to 64 characters, all of them visible",
        ),
        (
            format!("\"reason\": \"{}\"", conv1.choice.reason),
            "\"reason\": \"\\n\"".to_string(),
            "layers[0].reason is ",
        ),
    ] {
        let error = Program::from_json(&forged(&text, &from, &to), &edge()).expect_err(&from);
        assert!(error.to_string().starts_with(message), "{from}: {error}");
    }
}

#[test]
fn a_program_of_another_network_is_told_apart() {
    let (program, whole) = (digits(false), digits(true));
    assert_eq!(program.check_network(&model("digits")), Ok(()));
    let message = program.check_network(&model("tiny")).unwrap_err();
    assert_eq!(message, "program of digits with 4 layers, tiny has 3");
    let digits = model("digits");
    let text = program.to_json(&edge());
    for row in [
        r#""network": "digits" -> "network": "mobile" | network is mobile, expected digits"#,
        r#""name": "conv1" -> "name": "fc" | name of a run is fc, expected digits"#,
        r#""macs": 9216 -> "macs": 9217 | macs of layer conv1 is 9217, expected 9216"#,
        "\"inputs\": [\n          0\n -> \"inputs\": [\n          1\n | inputs of layer conv1 is [1], expected [0]",
        r#""name": "input" -> "name": "image" | name of tensor 0 is image, expected input"#,
    ] {
        let (change, message) = row.split_once(" | ").unwrap();
        let (from, to) = change.split_once(" -> ").unwrap();
        let forged = Program::from_json(&forged(&text, from, to), &edge()).expect("in range");
        let found = forged.check_network(&digits).expect_err(from);
        assert!(found.ends_with(message), "{found}");
    }
    let mut other = digits;
    other.layers[1].output_zero_point = 0;
    let message = program.check_network(&other).unwrap_err();
    assert_eq!(
        message,
        "program of digits: tensor conv2 is not like conv2 of digits"
    );
    let mut other = model("digits");
    other.outputs.push(1);
    assert_eq!(program.check_network(&other), Ok(()));
    let message = whole.check_network(&other).unwrap_err();
    assert_eq!(
        message,
        "program of digits: no run ends with conv1, an output of digits"
    );
}

//! Program files: read back they are the program; faulty ones are refused as a whole.

use heddle_arch::network::Network;
use heddle_arch::params::Params;
use heddle_compiler::{FileError, Options, Program, Schedule, compile_with};

fn read(path: &str) -> String {
    let path = format!("{}/../{path}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn edge() -> Params {
    Params::from_json(&read("configs/edge.json")).unwrap()
}

fn digits(whole: bool) -> Program {
    let network = Network::from_json(&read("models/digits.json")).unwrap();
    let options = Options {
        whole,
        ..Options::default()
    };
    compile_with(&network, &edge(), options).unwrap()
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
    for at in [
        words,
        words + 77,
        image,
        image + 5,
        text.find("start_pc").unwrap() + 11,
    ] {
        let mut bytes = text.clone().into_bytes();
        bytes[at] = if bytes[at] == b'1' { b'2' } else { b'1' };
        let changed = String::from_utf8(bytes).unwrap();
        let error = Program::from_json(&changed, &edge()).expect_err("changed");
        assert!(matches!(error, FileError::Checksum { .. }), "{at}: {error}");
    }
    let other = text.replacen("heddle-program-3", "heddle-program-9", 1);
    let message = Program::from_json(&other, &edge())
        .expect_err("another format")
        .to_string();
    assert_eq!(
        message,
        "format is \"heddle-program-9\", expected heddle-program-3"
    );
    let other = text.replacen("\"crc\": \"", "\"crc\": \"x", 1);
    let message = Program::from_json(&other, &edge())
        .expect_err("no checksum")
        .to_string();
    assert!(
        message.contains("expected eight hexadecimal digits"),
        "{message}"
    );
    let other = text.replacen("\"network\"", "\"net\"", 1);
    assert!(Program::from_json(&other, &edge()).is_err());
}

#[test]
fn a_program_for_another_machine_is_refused() {
    let text = digits(true).to_json(&edge());
    for (configuration, message) in [
        (
            "configs/tiny.json",
            "made for array.rows 8, this machine has 4",
        ),
        (
            "configs/default.json",
            "made for array.rows 8, this machine has 16",
        ),
    ] {
        let params = Params::from_json(&read(configuration)).unwrap();
        let error = Program::from_json(&text, &params).expect_err(configuration);
        assert_eq!(error.to_string(), message);
    }
    type Change = (&'static str, fn(&mut Params));
    let changes: [Change; 10] = [
        ("results_buffer.depth", |p| p.results_buffer.depth *= 2),
        ("traversal.rows", |p| p.traversal.rows += 1),
        ("traversal.loops", |p| p.traversal.loops += 1),
        ("traversal.offset_bits", |p| p.traversal.offset_bits -= 1),
        ("traversal.address_bits", |p| p.traversal.address_bits += 1),
        ("post.pooling", |p| p.post.pooling = true),
        ("post.product", |p| p.post.product = true),
        ("post.median", |p| p.post.median = 9),
        ("post.activations", |p| p.post.activations = 1),
        ("post.left_shift", |p| p.post.left_shift = true),
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
fn values_out_of_range_are_named() {
    let program = digits(true);
    let text = program.to_json(&edge());
    let pc = format!("\"start_pc\": {}", program.runs[0].start_pc);
    let words = program.words.len();
    let (beyond, beyond_message) = (
        format!("\"start_pc\": {words}"),
        format!("runs.start_pc is {words}, expected less than {words}"),
    );
    for (from, to, message) in [
        (pc.as_str(), beyond.as_str(), beyond_message.as_str()),
        (
            "\"partition\": 0,",
            "\"partition\": 8,",
            "image.partition is 8, expected less than 8",
        ),
        ("\"word\": 0,", "\"word\": 8000,", "image.word is "),
        (
            "\"column\": 0,",
            "\"column\": 8,",
            "columns.column is 8, expected less than 8",
        ),
        ("\"shift\": -8", "\"shift\": -80", "columns.shift is "),
        (
            "\"shift\": -8",
            "\"shift\": 8",
            "columns.shift is 8, expected at most 0 without post.left_shift",
        ),
        (
            "\"pitch\": 16",
            "\"pitch\": 15",
            "tensor input: pitch modulo 8 is 7, expected 0",
        ),
        ("\"words\": \"", "\"words\": \"00", "words is a text of "),
        (
            "\"words\": \"",
            "\"words\": \"0000000e",
            "words is no program, expected word 0: ",
        ),
        ("\"words\": \"0", "\"words\": \"g", "words is \"g"),
    ] {
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
    let program = digits(false);
    let network = |path| Network::from_json(&read(path)).unwrap();
    assert_eq!(
        program.check_network(&network("models/digits.json")),
        Ok(())
    );
    let message = program
        .check_network(&network("models/tiny.json"))
        .unwrap_err();
    assert_eq!(message, "program of digits with 4 layers, tiny has 3");
    let digits = network("models/digits.json");
    let text = program.to_json(&edge());
    for (from, to, message) in [
        (
            "\"network\": \"digits\"",
            "\"network\": \"mobile\"",
            "network is mobile, expected digits",
        ),
        (
            "\"name\": \"conv1\"",
            "\"name\": \"fc\"",
            "name of a run is fc, expected digits",
        ),
        (
            "\"macs\": 9216",
            "\"macs\": 9217",
            "macs of layer conv1 is 9217, expected 9216",
        ),
        (
            "\"inputs\": [\n          0\n",
            "\"inputs\": [\n          1\n",
            "inputs of layer conv1 is [1], expected [0]",
        ),
        (
            "\"name\": \"input\"",
            "\"name\": \"image\"",
            "name of tensor 0 is image, expected input",
        ),
    ] {
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
}

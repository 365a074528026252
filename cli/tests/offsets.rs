//! `heddle offsets`: table files made, printed, checked and compared.

use crate::bench;
use crate::bench::{Bench, CONFIG};
use heddle_arch::offsets::{Request, Tables};
use heddle_blocks::offsets::generate;
use serde_json::{Value, json};

const DOCUMENT: &str = include_str!("../../docs/offsets.md");

/// Example 5.3 of the specification.
const SHAPE: &str = include_str!("../../models/shape.json");
/// The same as options.
const OPTIONS: &str = "--channels 2 --height 6 --width 7 --images 2 --outputs 2 --kernel 2x3 \
                       --stride 1x2 --dilation 2x1 --element-bytes 2";

/// Runs `offsets`; gives what it prints.
#[track_caller]
fn done(bench: &Bench, arguments: &str) -> String {
    bench.done(&format!("offsets {arguments}"))
}

fn offsets(bench: &Bench, arguments: &str) -> bench::Run {
    bench.heddle(&format!("offsets {arguments}"))
}

#[track_caller]
fn refused(bench: &Bench, arguments: &str, lines: &[&str]) {
    bench.refused(&format!("offsets {arguments}"), lines);
}

/// The file holds the tables of this shape.
#[track_caller]
fn holds(bench: &Bench, name: &str, shape: &str) {
    let request = Request::from_json(shape).expect("a shape");
    let expected = generate(&request).expect("tables");
    assert_eq!(tables(bench, name), expected, "{shape}");
}

fn tables(bench: &Bench, name: &str) -> Tables {
    let bytes = std::fs::read(bench.path().join(name)).expect("a file");
    Tables::from_bytes(&bytes).expect("a table file")
}

#[test]
fn a_shape_and_its_options_give_the_same_file() {
    let bench = Bench::new(&[("shape.json", SHAPE)]);
    let printed = done(&bench, "make shape.json -o a.hdot");
    let expected = "wrote 24 bases and 12 offsets to a.hdot, 180 bytes\n\
                    36 entries stand for 288 of a matrix; the tensor has 336 bytes\n";
    assert_eq!(printed, expected);
    holds(&bench, "a.hdot", SHAPE);
    done(&bench, &format!("make {OPTIONS} -o b.hdot"));
    let content = bench.content();
    let file = |name: &str| content[&bench.path().join(name)].clone();
    assert_eq!(file("a.hdot"), file("b.hdot"));
    let equal = "equal: 24 bases and 12 offsets\n";
    assert_eq!(done(&bench, "compare a.hdot b.hdot"), equal);
    // Nothing but the files is left.
    assert_eq!(content.len(), 3);
}

#[test]
fn every_option_reaches_the_tables() {
    let bench = Bench::new(&[]);
    let options = "--channels 4 --height 5 --width 4 --outputs 6 --images 2 --kernel 3x2 --groups 2 \
                   --padding 1,2,0,1 --pad mask --layout nchw-vector --vector 2 --element-bytes 4 \
                   --unit-shift 1 --running --reuse-order --weight-base 9 --stride 2x1 --dilation 1x2";
    let shape = r#"{"convolution": {"channels": 4, "height": 5, "width": 4, "outputs": 6,
        "images": 2, "kernel": [3, 2], "groups": 2, "stride": [2, 1], "dilation": [1, 2],
        "padding": {"top": 1, "bottom": 2, "left": 0, "right": 1}, "pad": "mask",
        "layout": "nchw_vector", "vector": 2}, "element_bytes": 4, "unit_shift": 1,
        "running": true, "reuse_order": true, "weight_base": 9}"#;
    let printed = done(&bench, &format!("make {options} -o t.hdot"));
    let origin = "2 groups of 3 outputs: add 160 bytes to the origin of the tensor for each\n";
    assert!(printed.ends_with(origin), "{printed}");
    holds(&bench, "t.hdot", shape);
    for (options, shape) in [
        (
            "--inputs 5 --outputs 3 --images 4",
            r#"{"fully_connected": {"inputs": 5, "outputs": 3, "images": 4}}"#,
        ),
        (
            "--rows 5 --depth 3 --outputs 4 --leading 8 --transposed",
            r#"{"matrix": {"rows": 5, "depth": 3, "outputs": 4, "leading": 8, "transposed": true}}"#,
        ),
    ] {
        done(&bench, &format!("make {options} -o t.hdot"));
        holds(&bench, "t.hdot", shape);
    }
}

#[test]
fn reports_are_json_on_request() {
    let bench = Bench::new(&[("shape.json", SHAPE)]);
    let made = bench.json("offsets make shape.json -o a.hdot --json");
    let expected = json!({
        "output": "a.hdot", "bytes": 180, "rows": 24, "taps": 12, "pixels": 12, "outputs": 2,
        "tensor_bytes": 336, "matrix_entries": 288, "base_bits": 8, "offset_bits": 7,
        "group_origins": [0],
    });
    assert_eq!(made, expected);
    let printed = bench.json("offsets print a.hdot --json");
    let read = tables(&bench, "a.hdot");
    assert_eq!(printed["bases"], json!(read.bases));
    assert_eq!(printed["offsets"], json!(read.offsets));
    assert_eq!(printed["masks"], Value::Null);
    let values = [2, 0, 0, 3, 2, 2, 24, 2, 52, 0];
    let registers: Vec<[u32; 2]> = (16..).zip(values).map(|(at, value)| [at, value]).collect();
    let expected = json!({"written": 0, "registers": registers});
    assert_eq!(printed["expander"]["offsets"], expected);
    let schema = bench.json("offsets schema");
    assert!(schema["properties"]["convolution"].is_object());
}

/// The commands of the section "heddle offsets" of the document, and what they print.
fn session() -> Vec<(String, String)> {
    let section = DOCUMENT
        .split("\n## heddle offsets\n")
        .nth(1)
        .expect("the section");
    let lines = section
        .lines()
        .skip_while(|line| !line.starts_with("    $ heddle offsets "));
    let mut session: Vec<(String, String)> = Vec::new();
    for line in lines.take_while(|line| line.starts_with("    ") || line.is_empty()) {
        let line = line.strip_prefix("    ").unwrap_or("");
        if let Some(command) = line.strip_prefix("$ heddle offsets ") {
            session.push((command.to_string(), String::new()));
        } else if let Some((_, text)) = session.last_mut() {
            *text += &format!("{line}\n");
        }
    }
    session
}

#[test]
fn the_document_shows_what_is_printed() {
    let bench = Bench::new(&[("models/shape.json", SHAPE), ("tiny.json", CONFIG)]);
    let session = session();
    assert!(session.len() >= 4, "{session:?}");
    for (command, expected) in session {
        let run = offsets(&bench, &command);
        let printed = run.stdout + &run.stderr;
        assert_eq!(printed.trim_end(), expected.trim_end(), "{command}");
    }
}

#[test]
fn padding_and_steps_are_shown() {
    let bench = Bench::new(&[]);
    let options = "--channels 1 --height 3 --width 3 --outputs 1 --kernel 3x3 --padding 1,1,1,1 \
                   --pad mask --running --weight-base 7";
    done(&bench, &format!("make {options} -o t.hdot"));
    let printed = done(&bench, "print t.hdot");
    let head = "9 bases and 9 offsets for 1 output, weights from word 7; 1 image of 9 rows\n\
                entries: bytes, offsets as steps, masks\n";
    assert!(printed.starts_with(head), "{printed}");
    for line in [
        "2        0      2    -2       0x0006   0x0003",
        "5       1              5           1       2",
        "expander, bases: none",
    ] {
        assert!(printed.lines().any(|l| l == line), "{line}: {printed}");
    }
    let many = "--channels 70 --height 1 --width 100 --outputs 1 --kernel 1x1";
    done(&bench, &format!("make {many} -o many.hdot"));
    let printed = done(&bench, "print many.hdot");
    for count in [100, 70] {
        let line = format!("\n  the first 64 of {count}, --all prints all\n");
        assert!(printed.contains(&line), "{printed}");
    }
    let printed = done(&bench, "print many.hdot --all");
    assert!(printed.contains("\n69     6900\n"), "{printed}");
    assert!(!printed.contains("--all"), "{printed}");
}

#[test]
fn checks_end_with_1_and_name_every_entry() {
    let bench = Bench::new(&[("shape.json", SHAPE), ("c.json", CONFIG)]);
    let small = CONFIG.replacen('{', r#"{"offsets": {"bases": 16, "address_bits": 16},"#, 1);
    bench.write("small.json", small);
    done(&bench, "make shape.json -o a.hdot");
    let ok = "a.hdot: ok, 24 bases and 12 offsets\n";
    assert_eq!(done(&bench, "check a.hdot"), ok);
    assert_eq!(
        done(&bench, "check a.hdot --tensor-bytes 336 --config c.json"),
        ok
    );
    let run = offsets(&bench, "check a.hdot --tensor-bytes 334 -c small.json");
    let lines = "error: a.hdot: bases[23] is 218: tap 11 at distance 116 reads byte 334, \
                 expected 0 to 333, the tensor\n\
                 error: a.hdot: bases has 24 entries, expected at most 16, its table\n";
    assert_eq!(
        (run.code, run.stderr.as_str(), run.stdout.as_str()),
        (Some(1), lines, "")
    );
    // Read, but not sound.
    let mut tables = tables(&bench, "a.hdot");
    tables.bases[5] = 8;
    let errors = tables.to_bytes().expect_err("equal bases").to_string();
    assert!(errors.starts_with("bases[5] is 8"), "{errors}");
    tables.bases[5] = 22;
    let mut bytes = tables.to_bytes().expect("sound tables");
    let words = bytes.len() / 4;
    bytes[(8 + 5) * 4] = 8;
    bytes.truncate((words - 1) * 4);
    bytes.extend(crc(&bytes).to_le_bytes());
    bench.write("equal.hdot", &bytes);
    let line = "equal.hdot: bases[5] is 8, expected a base that differs from bases[2] (no masks)";
    let run = offsets(&bench, "check equal.hdot --tensor-bytes 336");
    assert_eq!(
        (run.code, run.stderr),
        (Some(1), format!("error: {line}\n"))
    );
    refused(&bench, "print equal.hdot", &[line]);
}

/// CRC-32 of IEEE 802.3, bit by bit.
fn crc(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = crc >> 1 ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 };
        }
    }
    !crc
}

#[test]
fn the_first_difference_of_two_files_is_named() {
    let bench = Bench::new(&[]);
    let base = "--channels 2 --height 4 --width 4 --outputs 1 --kernel 2x2";
    let padded = "--padding 1,1,1,1 --pad mask";
    done(&bench, &format!("make {base} -o a.hdot"));
    done(&bench, &format!("make {base} {padded} -o m.hdot"));
    for row in [
        "a | --running | the table of offsets is distances in a.hdot and steps in b.hdot",
        "a | --padding 1,1,1,1 --pad mask | the padding is none in a.hdot and by mask in b.hdot",
        "a | --element-bytes 2 --unit-shift 1 | the unit shift is 0 in a.hdot and 1 in b.hdot",
        "a | --stride 2x2 | the number of bases is 9 in a.hdot and 4 in b.hdot",
        "a | --weight-base 4 | the weight base is none in a.hdot and 4 in b.hdot",
        "a | --layout nhwc | bases[1] is 1 in a.hdot and 2 in b.hdot",
        "m | --padding 0,2,1,1 --pad mask | bases[0] is -5 in m.hdot and -1 in b.hdot",
    ] {
        let parts: Vec<&str> = row.split(" | ").collect();
        let [first, options, difference] = parts[..] else {
            panic!("three parts: {row}");
        };
        done(&bench, &format!("make {base} {options} -o b.hdot"));
        let run = offsets(&bench, &format!("compare {first}.hdot b.hdot"));
        let printed = (run.code, run.stdout, run.stderr);
        assert_eq!(
            printed,
            (Some(1), format!("{difference}\n"), String::new()),
            "{options}"
        );
    }
    let mut masked = tables(&bench, "m.hdot");
    masked.masks.as_mut().expect("masks").cols[3] = 0;
    bench.write("b.hdot", masked.to_bytes().expect("sound tables"));
    let run = offsets(&bench, "compare m.hdot b.hdot");
    assert_eq!(
        run.stdout,
        "masks.cols[3] is 0b11 in m.hdot and 0b0 in b.hdot\n"
    );
}

#[test]
fn faulty_shapes_and_options_are_refused() {
    let bench = Bench::new(&[
        ("c.json", CONFIG),
        ("shape.json", SHAPE),
        ("bad.json", "{\n\"convolution\": {\"channels\": 0}}"),
    ]);
    let number = "expected a whole number from 1 to 65535";
    let kinds = "expected a SHAPE file, or the options of one convolution (--kernel), fully \
                 connected layer (--inputs) or matrix product (--rows)";
    refused(
        &bench,
        "make -o t.hdot --outputs 3",
        &[&format!("no shape given, {kinds}")],
    );
    refused(
        &bench,
        "make -o t.hdot --kernel 3x3 --rows 3",
        &[&format!("options of convolution and matrix given, {kinds}")],
    );
    refused(
        &bench,
        "make -o t.hdot --kernel 3x3 --outputs 0 --width 5 --padding 0,0,0,5000",
        &[
            &format!("--outputs is 0, {number}"),
            "--padding right is 5000, expected a whole number from 0 to 4095",
            &format!("--channels is missing, {number}"),
            &format!("--height is missing, {number}"),
        ],
    );
    bench.refusals("offsets make", &[
        "-o t.hdot --inputs 3 --outputs 2 --element-bytes 3 | --element-bytes is 3, expected 1, 2, 4 or 8",
        "-o t.hdot --kernel 3x | invalid value '3x' for '--kernel <HxW>': expected two numbers such as 3x2",
        "shape.json --running -o t.hdot | shape.json: options of a shape are given as well, expected one",
        "none.json -o t.hdot | none.json: cannot read shape: No such file or directory (os error 2)",
    ]);
    let run = offsets(&bench, "make bad.json -o t.hdot");
    assert_eq!(run.code, Some(2));
    for fault in [
        "channels is 0",
        "height is missing",
        "width is missing",
        "outputs is missing",
    ] {
        let line = format!("error: bad.json:2: convolution.{fault}, expected");
        assert!(run.stderr.contains(&line), "{}", run.stderr);
    }
    // The unit of the configuration has 1024 bases and no mask bits.
    refused(
        &bench,
        "make --channels 1 --height 40 --width 40 --outputs 1 --kernel 3x3 --pad mask -c c.json \
         --padding 1,1,1,1 --running -o t.hdot",
        &[
            "c.json: bases has 1600 entries, expected at most 1024, its table",
            "c.json: running is true, expected false: the unit has no adder for steps",
            "c.json: masks are there, expected none: the unit has no mask bits",
        ],
    );
}

#[test]
fn damaged_files_end_with_2() {
    let bench = Bench::new(&[("shape.json", SHAPE), ("text", "no tables")]);
    done(&bench, "make shape.json -o a.hdot");
    let good = std::fs::read(bench.path().join("a.hdot")).expect("a file");
    bench.write("short.hdot", &good[..100]);
    let mut flipped = good.clone();
    flipped[60] ^= 1;
    bench.write("flipped.hdot", &flipped);
    bench.write("long.hdot", vec![0x48; 3 << 20]);
    for command in ["print", "check", "compare a.hdot"] {
        bench.refusals(&format!("offsets {command}"), &[
            "none | none: cannot read table: No such file or directory (os error 2)",
            "text | text: word 0, magic, is 0x74206f6e, expected 0x544f4448, a table file",
            "short.hdot | short.hdot: holds 100 bytes, expected 180: the head counts 24 bases and 12 offsets",
            "long.hdot | long.hdot: table is too large, expected at most 2 MiB",
        ]);
        let run = offsets(&bench, &format!("{command} flipped.hdot"));
        assert_eq!(run.code, Some(2));
        let told = "error: flipped.hdot: the checksum is 0x";
        assert!(run.stderr.starts_with(told), "{}", run.stderr);
    }
}

#[test]
fn output_replaces_table_files_only_and_is_whole() {
    let bench = Bench::new(&[("shape.json", SHAPE), ("text", "mine"), ("folder/x", "")]);
    bench.refusals(
        "offsets make shape.json -o",
        &[
            "text | text: is no table file, it is left alone",
            "folder | folder: is no file, expected a table file or none",
            ".. | ..: is not the name of a file",
        ],
    );
    let run = offsets(&bench, "make shape.json -o text/t.hdot");
    assert_eq!(
        (run.code, run.stderr.lines().count()),
        (Some(2), 1),
        "{}",
        run.stderr
    );
    done(&bench, "make shape.json -o deep/er/t.hdot");
    done(&bench, "make --inputs 3 --outputs 2 -o deep/er/t.hdot");
    assert_eq!(tables(&bench, "deep/er/t.hdot").offsets, [0, 1, 2]);
    std::os::unix::fs::symlink("deep/er/t.hdot", bench.path().join("link")).expect("a link");
    done(&bench, "make --inputs 4 --outputs 2 -o link");
    assert_eq!(tables(&bench, "deep/er/t.hdot").offsets, [0, 1, 2, 3]);
    assert!(bench.path().join("link").is_symlink());
}

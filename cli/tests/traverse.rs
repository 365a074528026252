//! `heddle traverse`: nests, replays and what is refused.

use crate::bench::{Bench, CONFIG};
use serde_json::{Value, json};

/// The example of the specification, section 5.1, with an epilogue.
const EXAMPLE: &str = "array V1[3]: 1 at 0 + 12; array V2[i: 3][j: 2][k: 2]: 1 at 0 order j, i, k
array V3[2]: 1 at 0 + 15
for h in 0..3 { V1[h] }
for i in 0..3 { for j in 0..2 { for k in 0..2 { V2[i][j][k] } } }
for l in 0..2 { V3[l] }
";

#[track_caller]
fn report(bench: &Bench, arguments: &str) -> Value {
    bench.json(&format!("traverse --json {arguments}"))
}

fn addresses(instruction: &Value) -> Vec<u64> {
    let list = instruction["addresses"].as_array().expect("addresses");
    list.iter()
        .map(|pair| pair[1].as_u64().expect("an address"))
        .collect()
}

#[proves("TTU-014", "TTU-015")]
#[test]
fn one_instruction_loads_all_registers_of_the_example() {
    let bench = Bench::new(&[("example.nest", EXAMPLE)]);
    let report = report(&bench, "--file example.nest");
    let instructions = report["instructions"].as_array().expect("instructions");
    assert_eq!(instructions.len(), 1);
    let traverse = &instructions[0];
    let row = |number: u8, count: u8, initial: [u8; 3], step: [u8; 3], end: [u8; 3]| {
        let eight = |values: [u8; 3]| [&values[..], &[0; 5]].concat();
        json!({"row": number, "base": 0, "initial": eight(initial), "step": eight(step), "end": eight(end), "count": count})
    };
    let registers = json!([
        row(0, 3, [12, 0, 0], [1, 0, 0], [15, 0, 0]),
        row(1, 12, [0, 0, 0], [1, 6, 2], [2, 12, 6]),
        row(2, 2, [15, 0, 0], [1, 0, 0], [17, 0, 0]),
    ]);
    assert_eq!(traverse["registers"], registers);
    let tv3 = [12, 13, 14, 0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11, 15, 16];
    assert_eq!(addresses(traverse), tv3);
    assert_eq!(traverse["count"], 17);
    assert_eq!(report["refusal"], Value::Null);
    assert_eq!(report["rows"][1]["walks"], "V2[i][j][k]");
}

#[test]
fn the_text_shows_record_registers_and_addresses() {
    let bench = Bench::new(&[]);
    let nest = "for i in 0..2 { B[0] for k in 3..-1 step -2 { A[i][k] } }";
    let stdout = bench.done(&format!("traverse '{nest}' --check-unique"));
    let expected = "\
unit: 8 rows of 8 loops, offsets of 32 bits, addresses of 32 bits

array    base  displacement  end  pitches
B[1]        0             0    1        1
A[2][4]     1             0    9     4, 1

row      kind  attached to  end test    walks  addresses
0    prologue       loop 0  at_least     B[0]          2
1      tensor            -     trips  A[i][k]          4

traverse
  prologue row 0 attach 0 base 0x0
  tensor row 1 base 0x1 trips loops 3:4294967294:2, 0:4:2

words: 11
  00000b08
  00000500 00000000
  00020021 00000001 00000003 fffffffe 00000002 00000000 00000004 00000002

registers  base  loop  index  initial V      step X  end Y
row 0         0
row 1         1     0      k          3  4294967294      2
                    1      i          0           4      2

addresses: 6 (row 0: 2, row 1: 4)
  row 0: 0
  row 1: 4 2
  row 0: 0
  row 1: 8 6
";
    assert_eq!(stdout, expected);
}

#[proves("TTU-021")]
#[test]
fn printed_words_and_text_replay_the_same_traversal() {
    let bench = Bench::new(&[("example.nest", EXAMPLE)]);
    let nest = report(&bench, "--file example.nest");
    let words = nest["words"].as_array().expect("words").iter();
    let words: Vec<String> = words
        .map(|w| format!("{:x}", w.as_u64().expect("a word")))
        .collect();
    let text = nest["instructions"][0]["text"].as_str().expect("text");
    bench.write("record.txt", format!("# the example\n\n{text}\n"));
    bench.write(
        "record.hex",
        format!("# the example\n0x{}\n", words.join(", 0x")),
    );
    for arguments in [
        format!("--record '{}'", words.join(" ")),
        format!("--record '{text}'"),
        format!("--record '{}'", text.replace(", ", ",")),
        "--record-file record.txt".to_string(),
        "--record-file record.hex".to_string(),
    ] {
        let replay = report(&bench, &arguments);
        for key in ["words", "instructions"] {
            assert_eq!(replay[key], nest[key], "{arguments}");
        }
    }
}

#[test]
fn all_addresses_are_shown_on_request() {
    let bench = Bench::new(&[]);
    let nest = "'for i in 0..100 { A[i] }'";
    let short = report(&bench, nest);
    let first = &short["instructions"][0];
    assert!(addresses(first).into_iter().eq(0..64));
    assert_eq!(first["count"], 100);
    let all = report(&bench, &format!("{nest} --all"));
    assert!(addresses(&all["instructions"][0]).into_iter().eq(0..100));
    let run = bench.heddle(&format!("traverse {nest}"));
    let told = [
        "\naddresses: 100 (row 0: 100)\n",
        " 63\n  the first 64, --all prints all\n",
    ];
    assert!(
        run.stdout.contains(told[0]) && run.stdout.ends_with(told[1]),
        "{}",
        run.stdout
    );
    let long = "'for a in 0..0xffff_ffff { for b in 0..0xffff_ffff { A[0] } }'";
    let run = bench.heddle(&format!("traverse {long}"));
    let told = "addresses: 18446744065119617025 (";
    assert!(run.stdout.contains(told), "{}", run.stdout);
    bench.refusals("traverse", &[
        "'for a in 0..0x1_0000_0000 { for b in 0..0x1_0000_0000 { A[0] } }' | line 1, column 57: loop b over A has step 0 and end 0: end test at least takes positive steps and ends up to 4294967295, and no other end test of the unit takes the row",
        &format!("{long} --all | --all prints at most 4194304 addresses, the traversal has more"),
    ]);
}

#[test]
fn the_unit_of_a_configuration_limits_what_is_taken() {
    let bench = Bench::new(&[("c.json", CONFIG)]);
    bench.done("traverse -c c.json 'for i in 0..9 { A[i] }'");
    bench.refusals("traverse", &[
        "-c c.json 'array A[9] at 65530; A[8]' | line 1, column 7: A lies from 65530 to 65538, addresses have 16 bits",
        "-c none.json A[0] | none.json: cannot read configuration: No such file or directory (os error 2)",
    ]);
}

#[test]
fn replayed_instructions_that_the_unit_refuses_tell_its_error() {
    let bench = Bench::new(&[]);
    let loops_too_early = "traverse\n tensor row 0 base 1\nset_step\n row 0 loops 1";
    let beyond_window = "traverse window 0..3\n tensor row 0 base 0 loops 0:1:9";
    for (record, [code, instruction, word], name) in [
        ("7f", [1, 0, 0], "ILLEGAL_OPCODE"),
        ("00000008", [2, 0, 0], "BAD_LENGTH"),
        ("00000408 00000011 0 0", [2, 0, 1], "BAD_LENGTH"),
        ("80000308 00000000 0", [3, 0, 0], "BAD_FIELD"),
        ("00000308 00000008 0", [3, 0, 1], "BAD_FIELD"),
        ("00000108", [8, 0, 0], "EMPTY"),
        ("0000010c", [8, 0, 0], "EMPTY"),
        ("00000608 00000010 0 0 0 1", [9, 0, 5], "ENDLESS"),
        (loops_too_early, [10, 1, 0], "ORDER"),
        (beyond_window, [4, 0, 0], "ADDRESS"),
    ] {
        let run = bench.heddle(&format!("traverse --json --record '{record}'"));
        assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""), "{record}");
        let report: Value = serde_json::from_str(&run.stdout).expect("JSON");
        let refusal = &report["refusal"];
        let found = ["code", "instruction", "word", "name"].map(|key| refusal[key].clone());
        let expected = [json!(code), json!(instruction), json!(word), json!(name)];
        assert_eq!(found, expected, "{record}");
        assert_ne!(refusal["message"], "", "{record}");
    }
    let run = bench.heddle("traverse --record '608 10 0 0 0 1'");
    let expected = "\nstopped with error 9 ENDLESS at instruction 0, word 5: loop 0 from 0 in steps \
                    of 0 never ends at 1\n";
    assert!(run.stdout.ends_with(expected), "{}", run.stdout);
    let run = bench.heddle("traverse --record '608 10 0'");
    let expected = "\nincomplete, the unit waits at instruction 0, word 3: the instruction has 6 \
                    words, 3 are given\n";
    assert_eq!(run.code, Some(1));
    assert!(run.stdout.ends_with(expected), "{}", run.stdout);
}

#[proves("TTU-016")]
#[test]
fn a_group_set_up_is_replayed_and_started_twice() {
    let bench = Bench::new(&[]);
    let record = "set_initial\n tensor row 0 base 7 loops 0, 0\nset_step\n row 0 loops 1, 10
                  set_end\n row 0 loops 2, 20\nstart\nstart offset_only";
    let report = report(&bench, &format!("--record '{record}'"));
    let instructions = report["instructions"].as_array().expect("instructions");
    assert_eq!(instructions.len(), 5);
    assert_eq!(addresses(&instructions[3]), [7, 8, 17, 18]);
    assert_eq!(addresses(&instructions[4]), [0, 1, 10, 11]);
    assert_eq!(instructions[0].get("addresses"), None);
}

#[proves("TTU-020")]
#[test]
fn duplicate_addresses_fail_the_check() {
    let bench = Bench::new(&[]);
    let run =
        bench.heddle("traverse --check-unique 'for i in 0..2 { for k in 0..2 { A[i + k] } }'");
    assert_eq!(run.code, Some(1));
    assert_eq!(
        run.stderr,
        "error: line 1, column 33: A[1] (i = 0, k = 1) and A[1] (i = 1, k = 0) have the same address 1\n"
    );
    assert_eq!(run.stdout, "");
}

#[test]
fn bad_input_is_refused_with_its_place() {
    let bench = Bench::new(&[
        ("bad.nest", "array A[2]\nfor i in 0..3 {\n  A[i]\n}\n"),
        ("nothing.nest", "# nothing\n"),
        (
            "bad.txt",
            "traverse\n tensor row 9 base 0\n tensor base 0\n",
        ),
        ("bad.hex", "00000308\n 10 # row\n 0 12345678x\n"),
        ("empty.hex", "# nothing\n"),
    ]);
    bench.write("binary", [b'a', b'\n', 0xff]);
    bench.refusals("traverse", &[
        "'for i in 0..3 { A[i]' | line 1, column 21: found the end, expected `}` behind the body of the loop",
        "-f bad.nest | bad.nest:3:3: subscript i of A takes the values 0 to 2, expected 0 to 1",
        "-f nothing.nest | nothing.nest: there is nothing to walk, expected a loop or the use of an array",
        "-f none.nest | none.nest: cannot read nest: No such file or directory (os error 2)",
        "-f binary | binary:2: not UTF-8 text, expected a nest",
        "--record '' | the record is empty, expected words in hexadecimal or instructions",
        "--record-file empty.hex | empty.hex: the record is empty, expected words in hexadecimal or instructions",
        "--record 123456789 | line 1: found \"123456789\", expected a word of up to 8 hexadecimal digits, or the text form, which begins with traverse, set_initial or start",
        "--record-file bad.hex | bad.hex:3: found \"12345678x\", expected a word of up to 8 hexadecimal digits, or the text form, which begins with traverse, set_initial or start",
        "--record-file bad.txt | bad.txt:2: row is \"9\", expected a number from 0 to 7, decimal or 0x | bad.txt:3: tensor has no row, expected row VALUE",
        "--record 'traverse window 0..4194310\n tensor row 0 base 0 loops 0:1:4194305\nstart' | instruction 0 has more than 4194304 addresses, which only the last one may have",
        "| the following required arguments were not provided: <NEST|--file <FILE>|--record <WORDS>|--record-file <FILE>>",
        "A[0] --record 1 | the argument '[NEST]' cannot be used with '--record <WORDS>'",
        "--check-unique 'for i in 0..0x1000001 { A[i] }' | nest has 16777217 addresses, at most 16777216 are checked for being unique",
        "--check-unique --record 1 | the argument '--check-unique' cannot be used with '--record <WORDS>'",
    ]);
}

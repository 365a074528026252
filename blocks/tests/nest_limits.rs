//! Nests at the limits: of the unit, of numbers built in Rust, of texts, and those of the document.

use crate::nest;
use crate::nest::{refused as check, unit};
use heddle_arch::traverse::UnitShape;
use heddle_blocks::nest::Refusal::*;
use heddle_blocks::nest::{Affine, Array, For, Nest, Use};

#[test]
fn nests_beyond_the_unit_are_refused_with_what_it_has() {
    let small = UnitShape {
        rows: 2,
        loops: 2,
        offset_bits: 16,
        address_bits: 24,
        equality: false,
        trips: false,
        attach: false,
        group_setup: false,
    };
    check(
        &small,
        &[
            "Capacity | for i in 0..2 { A[i] } B[0] C[0] | line 1, column 29: nest needs 3 rows, the unit has 2",
            "Capacity | for i in 0..2 { for j in 0..2 { for k in 0..2 { A[i][j][k] } } } | line 1, column 1: A is walked by 3 loops, the unit has 2",
            "Capacity | for i in 0..2 { B[0] for k in 0..2 { A[i][k] } } | line 1, column 17: B belongs to a loop of the main nest, the unit has no attached rows (traversal.unit.attach)",
            "Width | array A[2] at 0x1000000; A[0] | line 1, column 7: A lies from 16777216 to 16777217, addresses have 24 bits",
            "Width | for i in 0..3 { A[40000*i] } | line 1, column 17: offset of loop i over A reaches 80000, offsets have 16 bits",
            "Capacity | for i in 2..-1 step -1 { A[i] } | line 1, column 26: loop i over A has step -1 and end -1: end test at least takes positive steps and ends up to 65535, and no other end test of the unit takes the row",
            "Capacity | for i in 0..2 { for j in 0..2 { A[j] } } | line 1, column 33: loop i over A has step 0 and end 0: end test at least takes positive steps and ends up to 65535, and no other end test of the unit takes the row",
        ],
    );
}

#[test]
fn faults_of_nests_built_in_rust_have_no_place() {
    let use_of = |subscript: Affine| Nest::new().then(Use::new("A", [subscript]));
    let nest = |start, bound, step| {
        let body = Use::new("A", ["i"]);
        Nest::new().then(For::new("i", start, bound).step(step).then(body))
    };
    let array = |array| Nest::new().array(array).then(Use::new("A", [0]));
    for (nest, message) in [
        (
            nest(i64::MIN, 0, 1),
            "loop i: start is -9223372036854775808, expected at most 4294967296 in magnitude",
        ),
        (
            nest(0, i64::MAX, 1),
            "loop i: bound is 9223372036854775807, expected at most 4294967296 in magnitude",
        ),
        (
            nest(0, 1, i64::MAX),
            "loop i: step is 9223372036854775807, expected at most 4294967296 in magnitude",
        ),
        (
            use_of(Affine::from(i64::MAX) + 1),
            "A[9223372036854775807] has a number beyond 4294967296 in magnitude",
        ),
        (
            Nest::new().then(Use::new("A", [0; 0])),
            "array A has no dimension, expected at least one",
        ),
        (
            array(Array::new("A", [])),
            "array A has no dimension, expected at least one",
        ),
        (
            array(Array::new("A", [u64::MAX])),
            "array A has a dimension of 18446744073709551615, expected 1 to 4294967296",
        ),
        (
            array(Array::new("A", [1]).at(u64::MAX)),
            "array A has base 18446744073709551615, expected 0 to 4294967296",
        ),
        (
            array(Array::new("A", [1]).displaced(u64::MAX)),
            "array A has displacement 18446744073709551615, expected 0 to 4294967296",
        ),
        (
            array(Array::new("A", [1]).pitches([u64::MAX])),
            "array A has more than 4294967296 bytes",
        ),
    ] {
        let error = nest.compile(&unit()).unwrap_err();
        assert_eq!((error.place, error.message.as_str()), (None, message));
    }
}

#[test]
fn no_text_makes_the_reader_panic() {
    let good = "array A[i: 3][0x2]: int at 4 + 8 order 1, i; array B[2] pitch 5 # x\n\
                for i in 0..3 step 2 { tensor for k in 1..-1 step -1 { A[i][k] } B[2*i - 4*1 + 1] }";
    for end in 0..good.len() {
        let _ = Nest::parse(&good[..end]).map(|nest| nest.compile(&unit()));
        for insert in "{ } [ ] .. - * 4294967296 for array é \0 ;".split(' ') {
            let text = [&good[..end], insert, &good[end..]].concat();
            let _ = Nest::parse(&text).map(|nest| nest.compile(&unit()));
            let text = [&good[..end], insert, &good[end + 1..]].concat();
            let _ = Nest::parse(&text).map(|nest| nest.compile(&unit()));
        }
    }
}

#[test]
fn the_examples_of_the_document_are_taken_or_refused_as_it_says() {
    let document = include_str!("../../docs/nests.md");
    let example = document.split("```text\n").nth(1).unwrap();
    let example = Nest::parse(example.split("```").next().unwrap()).unwrap();
    let rows = example.compile(&unit()).unwrap().record();
    let found: Vec<String> = nest::addresses(&rows, &unit())
        .iter()
        .map(|a| a.1.to_string())
        .collect();
    let told = "gives 12 13 14 | 0 1 6 7 2 3 8 9 4 5 10 11 | 15 16.";
    assert!(document.contains(told));
    let told = told.replace(['|', '.'], " ");
    assert!(
        told.split_whitespace()
            .skip(1)
            .eq(found.iter().map(String::as_str))
    );

    let (_, refusals) = document.split_once("## Refusals").unwrap();
    let quoted = |line: &str| Some(line.strip_suffix("` |")?.rsplit_once('`')?.1.to_string());
    let refused: Vec<String> = refusals.lines().filter_map(quoted).collect();
    // What each row of the table is about, in its order.
    let kinds = [
        Syntax,
        Number,
        Declaration,
        UnknownArray,
        OutOfBounds,
        NoIteration,
        Endless,
        Structure,
        Dependent,
        Width,
        Duplicate,
    ];
    assert_eq!(refused.len(), kinds.len());
    for (text, kind) in refused.iter().zip(kinds) {
        let plan = Nest::parse(text).and_then(|nest| nest.compile(&unit()));
        let error = plan.and_then(|plan| plan.check_unique()).expect_err(text);
        assert_eq!(error.refusal, kind, "{text}: {error}");
    }
}

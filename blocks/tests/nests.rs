//! Nests to rows: the worked examples of the specification, layouts, steps, recognition.

use crate::nest::{addresses, unit};
use heddle_arch::traverse::{EndTest, Row, RowKind, UnitShape};
use heddle_blocks::nest::{Affine, Array, For, Nest, Plan, Use};
use heddle_sim::traversal::vectors;

/// The arrays of the example of section 5.1 and an epilogue array.
const ARRAYS: &str = "
    array V1[3]: 1 at 0 + 12
    array V2[i: 3][j: 2][k: 2]: 1 at 0 order j, i, k
    array V3[2]: 1 at 0 + 15
";
const PROLOGUE: &str = "for h in 0..3 { V1[h] }";
const TENSOR: &str = "for i in 0..3 { for j in 0..2 { for k in 0..2 { V2[i][j][k] } } }";
const EPILOGUE: &str = "for l in 0..2 { V3[l] }";

#[track_caller]
fn compile_for(text: &str, unit: &UnitShape) -> Plan {
    let nest = Nest::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let plan = nest.compile(unit);
    plan.unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Kind and attached loop of all rows, for example `p t e1`.
fn kinds(rows: &[Row]) -> String {
    let kind = |row: &Row| {
        let letter = match row.kind {
            RowKind::Prologue => "p",
            RowKind::Tensor => "t",
            RowKind::Epilogue => "e",
        };
        letter.to_string() + &row.attach.map_or(String::new(), |a| a.to_string())
    };
    rows.iter().map(kind).collect::<Vec<_>>().join(" ")
}

/// Compiles for the largest unit and compares kinds and addresses.
#[track_caller]
fn check(text: &str, expected_kinds: &str, expected: &[u64]) -> Vec<Row> {
    let rows = compile_for(text, &unit()).record();
    assert_eq!(kinds(&rows), expected_kinds, "{text}");
    let found: Vec<u64> = addresses(&rows, &unit()).iter().map(|a| a.1).collect();
    assert_eq!(found, expected, "{text}");
    let numbers: Vec<u8> = rows.iter().map(|row| row.row).collect();
    assert!(numbers.into_iter().eq(0..rows.len() as u8), "{text}");
    rows
}

/// As [`check`], with the registers and addresses of a vector of the specification.
#[track_caller]
fn check_vector(id: &str, text: &str, expected_kinds: &str) {
    let mut vector = vectors::named(id);
    let rows = check(text, expected_kinds, &vector.addresses);
    // A tensor or a prologue without a tensor.
    for (row, expected) in rows.iter().zip(&mut vector.rows) {
        expected.kind = row.kind;
    }
    assert_eq!(rows, vector.rows, "{id}");
}

#[proves("TTU-010", "TTU-012", "TTU-013")]
#[test]
fn the_example_program_has_the_registers_of_the_specification() {
    check_vector("TV1", &[ARRAYS, PROLOGUE, TENSOR].concat(), "p t");
    check_vector(
        "TV3",
        &[ARRAYS, PROLOGUE, TENSOR, EPILOGUE].concat(),
        "p t e",
    );
    let size_4 = "array V1[3] at 0 + 12; array V2[4][2][2] at 0 pitch 2, 6, 1";
    let nest = TENSOR.replace("0..3", "0..4");
    check_vector("TV2", &format!("{size_4}; {PROLOGUE} {nest}"), "p t");
}

#[proves("TTU-011", "TTU-015", "TTU-040", "TTU-046")]
#[test]
fn rows_are_recognised_by_their_position() {
    let tv4 = format!(
        "array V2[3][2][2] at 4096 order 1, 0, 2; array V3[3]: int at 8192
         {TENSOR}; for l in 0..3 {{ V3[l] }}"
    );
    check_vector("TV4", &tv4, "t e");
    check_vector(
        "TV13",
        "array A[2] at 0 + 50; array B[2]: 2 at 0 + 60; array C[3]: 3 at 0; array D[1] at 0 + 70
         array E[2] at 0 + 80
         for a in 0..2 { A[a] } for b in 0..2 { B[b] }
         tensor for c in 0..3 { C[c] }
         for d in 0..1 { D[d] } for e in 0..2 { E[e] }",
        "p p t e e",
    );
    let tv17 = format!(
        "array V1[3] at 0 + 12; array V2[3][2][2] at 0 order 1, 0, 2; array W[2][3] at 100
         array V3[2] at 200; {PROLOGUE} tensor {TENSOR}
         tensor for a in 0..2 {{ for b in 0..3 {{ W[a][b] }} }} {EPILOGUE}"
    );
    check_vector("TV17", &tv17, "p t t e");
    check("for a in 0..2 { A[a] }", "t", &[0, 1]);
    check(
        "for a in 0..2 { A[a] } for b in 0..2 { B[b] }",
        "t t",
        &[0, 1, 2, 3],
    );
    let between = "for a in 0..1 { for b in 0..2 { A[a][b] } } C[0]
                   for a in 0..1 { for b in 0..2 { B[a][b] } } D[0]";
    check(between, "t t t e", &[0, 1, 2, 3, 4, 5]);
    check("A[2] B[0]", "t t", &[2, 3]);
}

#[proves("TTU-012", "TTU-013")]
#[test]
fn more_iterations_change_the_end_and_the_number_of_addresses() {
    let arrays = ARRAYS.replace("V1[3]", "V1[5]");
    let longer = PROLOGUE.replace("0..3", "0..5");
    let rows = compile_for(&[&arrays, &longer, TENSOR].concat(), &unit()).record();
    assert_eq!(rows[0].loops[0].end, 17);
    assert_eq!(addresses(&rows, &unit()).len(), 5 + 12);
    for (old, new, count) in [
        ("0..3", "0..1", 4),
        ("0..3", "0..2", 8),
        ("k in 0..2", "k in 0..1", 6),
    ] {
        let rows = compile_for(
            &format!("{ARRAYS} {}", TENSOR.replacen(old, new, 1)),
            &unit(),
        );
        assert_eq!(addresses(&rows.record(), &unit()).len(), count);
    }
}

#[proves("TTU-062")]
#[test]
fn loops_in_the_body_of_the_main_nest_attach_to_the_loop_beside() {
    let tv16 = format!(
        "{ARRAYS} for i in 0..3 {{ {PROLOGUE} for j in 0..2 {{ for k in 0..2 {{ V2[i][j][k] }} }} }}"
    );
    let expected = [
        12, 13, 14, 0, 1, 6, 7, 12, 13, 14, 2, 3, 8, 9, 12, 13, 14, 4, 5, 10, 11,
    ];
    check(&tv16, "p1 t", &expected);
    let innermost = format!(
        "{ARRAYS} for i in 0..3 {{ for j in 0..2 {{ {PROLOGUE} for k in 0..2 {{ V2[i][j][k] }} }} }}"
    );
    let pairs = [[0, 1], [6, 7], [2, 3], [8, 9], [4, 5], [10, 11]];
    let expected: Vec<u64> = pairs
        .iter()
        .flat_map(|p| [&[12, 13, 14], &p[..]].concat())
        .collect();
    check(&innermost, "p0 t", &expected);
    check(
        "P[0] for i in 0..2 { A[0] for j in 0..2 { B[0] for k in 0..1 { T[i][j][k] } C[0] } D[0] } E[0]",
        "p p1 p0 t e0 e1 e",
        &[0, 1, 2, 3, 7, 2, 4, 7, 8, 1, 2, 5, 7, 2, 6, 7, 8, 9],
    );
}

#[proves("TTU-018", "TTU-045")]
#[test]
fn starts_steps_and_bounds_become_initial_values_and_trips() {
    let tile = "array M[4][5] at 0; for r in 1..3 { for c in 2..5 { M[r][c] } }";
    check_vector("TV7", tile, "t");
    let rows = check("for i in 0..5 step 2 { A[i] }", "t", &[0, 2, 4]);
    assert_eq!(rows[0].loops[0].end, 6, "V + trips * X");
    let one_iteration = "array A[2][9][2] at 100 pitch 10, 7, 1
        for a in 0..2 { for z in 3..4 { for b in 0..1 { for c in 0..2 { A[a][b][c] } } } }";
    check("for i in 2..5 { A[2*i - 4] }", "t", &[0, 2, 4]);
    let rows = check(one_iteration, "t", &[100, 101, 110, 111]);
    assert_eq!((rows[0].loops[1].step, rows[0].loops[1].end), (7, 7));
    assert_eq!((rows[0].loops[2].step, rows[0].loops[2].end), (0, 0));
}

#[proves("TTU-019", "TTU-041")]
#[test]
fn a_displacement_goes_into_the_innermost_loop() {
    let text = "array P[2][3] at 0 + 20; for a in 0..2 { for b in 0..3 { P[a][b] } }";
    check_vector("TV6", text, "t");
    let text = "array P[4][3] at 7; for a in 0..2 { for b in 0..3 { P[a + 2][b] } }";
    let rows = check(text, "t", &[13, 14, 15, 16, 17, 18]);
    assert_eq!((rows[0].base, rows[0].loops[0].initial), (7, 6));
    let rows = check("array P[9] at 3 + 4; P[5]", "t", &[12]);
    assert_eq!(rows[0].loops, []);
}

#[proves("TTU-020")]
#[test]
fn elements_are_unique_and_collisions_name_both_iterations() {
    let example = [ARRAYS, PROLOGUE, TENSOR, EPILOGUE].concat();
    compile_for(&example, &unit()).check_unique().unwrap();
    let size_4 = "array V1[3] at 0 + 12; array V2[4][2][2] at 0 pitch 2, 6, 1;";
    let nest = TENSOR.replace("0..3", "0..4");
    let window = "for i in 0..2 { for k in 0..2 { A[i + k] } }";
    for (text, message) in [
        (
            format!("{size_4} {nest}"),
            "line 1, column 110: V2[0][1][0] (i = 0, j = 1, k = 0) and V2[3][0][0] (i = 3, j = 0, \
             k = 0) have the same address 6",
        ),
        (
            window.to_string(),
            "line 1, column 33: A[1] (i = 0, k = 1) and A[1] (i = 1, k = 0) have the same address 1",
        ),
        (
            "array A[1] at 4; array B[1] at 4; A[0]; B[0]".to_string(),
            "line 1, column 41: A[0] and B[0] have the same address 4",
        ),
        (
            "for i in 0..0x2000000 { A[i] }".to_string(),
            "nest has 33554432 addresses, at most 16777216 are checked for being unique",
        ),
    ] {
        let error = compile_for(&text, &unit()).check_unique().unwrap_err();
        assert_eq!(error.to_string(), message);
    }
    let attached = "for i in 0..2 { B[0] for k in 0..2 { A[i][k] } }";
    compile_for(attached, &unit()).check_unique().unwrap();
}

#[proves("TTU-021")]
#[test]
fn rows_built_in_rust_are_those_of_the_text() {
    let built = Nest::new()
        .array(Array::new("V1", [3]).at(0).displaced(12))
        .array(Array::new("V2", [3, 2, 2]).at(0).order([1, 0, 2]))
        .array(Array::new("W", [9]).element_bytes(4).pitches([8]))
        .then(For::new("h", 0, 3).then(Use::new("V1", ["h"])))
        .then(For::new("i", 0, 3).then(
            For::new("j", 0, 2).then(For::new("k", 0, 2).then(Use::new("V2", ["i", "j", "k"]))),
        ))
        .then(
            For::new("l", 4, 0)
                .step(-2)
                .then(Use::new("W", [Affine::index("l") * 2 - 1])),
        );
    let text = built.to_string();
    let read = Nest::parse(&text).unwrap();
    assert_eq!(read.to_string(), text);
    let rows = built.compile(&unit()).unwrap().record();
    assert_eq!(rows, compile_for(&text, &unit()).record());
    assert_eq!(
        rows[..2],
        compile_for(&[ARRAYS, PROLOGUE, TENSOR].concat(), &unit()).record()
    );
    assert_eq!(rows[2].base, 16, "behind V1, at a multiple of the element");
}

#[proves("TTU-025")]
#[test]
fn arrays_without_declarations_lie_one_after_another() {
    let rows = check(
        "for a in 0..2 { B[a] } for a in 0..2 { for b in 1..3 { A[a][b] } } C[3] B[4]",
        "p t e e",
        &[0, 1, 6, 7, 9, 10, 14, 4],
    );
    let bases: Vec<u32> = rows.iter().map(|row| row.base).collect();
    assert_eq!(
        bases,
        [0, 5, 14, 4],
        "a row without loops has its element in the base"
    );
}

#[proves("TTU-043")]
#[test]
fn nests_of_two_five_and_eight_loops_are_walked() {
    for loops in [1, 2, 5, 8] {
        let mut text = format!(
            "A{}",
            (0..loops).map(|l| format!("[i{l}]")).collect::<String>()
        );
        for l in (0..loops).rev() {
            text = format!("for i{l} in 0..2 {{ {text} }}");
        }
        let expected: Vec<u64> = (0..1 << loops).collect();
        check(&text, "t", &expected);
    }
}

#[proves("TTU-044")]
#[test]
fn contiguous_nests_count_up() {
    let text = TENSOR.replace("V2", "A");
    let rows = check(&text, "t", &(0..12).collect::<Vec<u64>>());
    let steps: Vec<u32> = rows[0].loops.iter().map(|l| l.step).collect();
    assert_eq!(steps, [1, 2, 4]);
}

#[test]
fn the_end_test_suits_the_steps_and_the_unit() {
    let full = unit();
    let no_trips = UnitShape {
        trips: false,
        ..full
    };
    let none = UnitShape {
        equality: false,
        ..no_trips
    };
    let narrow = UnitShape {
        offset_bits: 16,
        address_bits: 24,
        ..full
    };
    let narrow_no_trips = UnitShape {
        trips: false,
        ..narrow
    };
    let falling = "for i in 3..-1 step -1 { A[i] }";
    let broadcast = "for i in 0..2 { for k in 0..2 { A[k] } }";
    let reversed = "for i in 0..2 { for k in 0..2 { A[1 - i][k] } }";
    let all = "for i in 0..65536 { A[i] }";
    let odd = "for i in 0..65535 step 2 { A[i] }";
    let last = "for i in 0..2 { A[65535*i] }";
    use EndTest::{AtLeast, Equal, Trips};
    for (text, unit, test, start) in [
        (falling, full, Some(Trips), &[3, 2, 1, 0][..]),
        (falling, no_trips, Some(Equal), &[3, 2, 1, 0]),
        (falling, none, None, &[]),
        (broadcast, full, Some(Trips), &[0, 1, 0, 1]),
        (broadcast, no_trips, None, &[]),
        (reversed, full, Some(Trips), &[2, 3, 0, 1]),
        (reversed, narrow_no_trips, Some(Equal), &[2, 3, 0, 1]),
        ("for i in 5..4 step -1 { A[i] }", none, Some(AtLeast), &[5]),
        (
            "for i in 7..8 { for k in 0..2 { A[k] } }",
            none,
            Some(AtLeast),
            &[0, 1],
        ),
        (all, full, Some(AtLeast), &[0, 1, 2]),
        (all, narrow, Some(Equal), &[0, 1, 2]),
        (odd, narrow, Some(AtLeast), &[0, 2, 4]),
        (last, narrow, Some(Trips), &[0, 65535]),
        (
            "array A[65537]; for i in 0..65536 { A[i + 1] }",
            narrow,
            Some(Equal),
            &[1, 2, 3],
        ),
        (
            "array A[70000]; for i in 0..2 { A[i + 66000] }",
            narrow,
            Some(AtLeast),
            &[66000, 66001],
        ),
    ] {
        let Some(test) = test else {
            let error = Nest::parse(text).unwrap().compile(&unit).unwrap_err();
            assert!(error.message.contains("end test"), "{error}");
            continue;
        };
        let plan = compile_for(text, &unit);
        let rows = plan.record();
        assert_eq!(rows[0].test, test, "{text}");
        let found = addresses(&rows, &unit);
        assert_eq!(
            Some(found.len() as u128),
            plan.rows[0].addresses(),
            "{text}"
        );
        let found: Vec<u64> = found.iter().map(|a| a.1).take(start.len()).collect();
        assert_eq!(found, start, "{text}");
        let largest = u32::MAX >> (32 - unit.offset_bits);
        let values = rows[0]
            .loops
            .iter()
            .flat_map(|l| [l.initial, l.step, l.end]);
        assert!(values.into_iter().all(|value| value <= largest), "{text}");
    }
}

//! The stand-alone unit: worked vectors, registers, errors, and plain loop nests.

use heddle_arch::isa::Loop;
use heddle_arch::traverse::{Command, EndTest, GroupRow, Row, Run, UnitError, UnitShape, parse};
use heddle_sim::traversal::vectors::{UnitVector, unit_vectors};
use heddle_sim::traversal::{Execution, RowRegisters, Stop, Taken, UnitElement, UnitModel};

const SHAPE: UnitShape = UnitShape {
    rows: 8,
    loops: 8,
    offset_bits: 16,
    address_bits: 16,
    equality: true,
    trips: true,
    attach: true,
    group_setup: true,
};

fn vector(id: &str) -> UnitVector {
    let mut all = unit_vectors(SHAPE.offset_bits).into_iter();
    all.find(|v| v.id == id).expect("a vector")
}

fn execute(commands: &[Command]) -> Execution {
    let words: Vec<u32> = commands.iter().flat_map(Command::encode).collect();
    UnitModel::new(SHAPE).execute(&words)
}

fn execute_text(text: &str) -> Execution {
    execute(&parse(text).expect("text without faults"))
}

fn addresses(elements: &[UnitElement]) -> Vec<u64> {
    elements.iter().map(|e| e.address).collect()
}

#[track_caller]
fn check(text: &str, expected: &[u64]) {
    let execution = execute_text(text);
    assert_eq!(execution.stop, None, "{text}");
    assert_eq!(addresses(&execution.elements), expected, "{text}");
}

#[track_caller]
fn check_stop(text: &str, expected: &[u64], error: UnitError, position: usize) {
    let execution = execute_text(text);
    assert_eq!(addresses(&execution.elements), expected, "{text}");
    assert_eq!(execution.stop, Some(Stop { error, position }), "{text}");
}

fn start() -> Command {
    Command::Start {
        run: Run::default(),
    }
}

#[proves("TTU-015", "TTU-040", "TTU-059", "TTU-062", "TTU-064")]
#[test]
fn software_model_passes_all_vectors() {
    let mut counts = Vec::new();
    for bits in [8, 16, 24, 32] {
        let shape = UnitShape {
            offset_bits: bits,
            address_bits: bits.max(16),
            ..SHAPE
        };
        let mut passed = 0;
        for vector in unit_vectors(bits).iter().filter(|v| v.fits(&shape)) {
            let execution = UnitModel::new(shape).execute(&vector.command().encode());
            let id = &vector.id;
            assert_eq!(addresses(&execution.elements), vector.addresses, "{id}");
            assert_eq!(execution.stop, vector.stop, "{id}");
            let ends: Vec<usize> = execution.elements.iter().map(|e| e.end.into()).collect();
            assert_eq!(
                ends.iter().sum::<usize>(),
                ends.last().copied().unwrap_or(0)
            );
            assert_eq!(ends.last(), vector.stop.is_none().then_some(&1), "{id}");
            passed += 1;
        }
        counts.push(passed);
    }
    assert_eq!(counts, [40, 41, 42, 42], "vectors that fit");
}

#[proves("TTU-006", "TTU-007", "TTU-026", "TTU-033", "TTU-039")]
#[test]
fn offsets_and_flags_follow_the_worked_trace() {
    let elements = execute(&[vector("TV3").command()]).elements;
    let expected: Vec<(usize, [u64; 3], &str)> = vec![
        (0, [12, 0, 0], "-ff"),
        (0, [13, 0, 0], "-ff"),
        (0, [14, 0, 0], "fff"),
        (1, [0, 0, 0], "---"),
        (1, [1, 0, 0], "f--"),
        (1, [0, 6, 0], "-f-"),
        (1, [1, 6, 0], "ff-"),
        (1, [0, 0, 2], "---"),
        (1, [1, 0, 2], "f--"),
        (1, [0, 6, 2], "-f-"),
        (1, [1, 6, 2], "ff-"),
        (1, [0, 0, 4], "--f"),
        (1, [1, 0, 4], "f-f"),
        (1, [0, 6, 4], "-ff"),
        (1, [1, 6, 4], "fff"),
        (2, [15, 0, 0], "-ff"),
        (2, [16, 0, 0], "fff"),
    ];
    assert_eq!(elements.len(), expected.len());
    for (t, (element, (row, offsets, finals))) in elements.iter().zip(expected).enumerate() {
        let flags: Vec<bool> = finals.chars().map(|c| c == 'f').collect();
        assert_eq!(element.row, row, "t = {t}");
        assert_eq!(element.offsets[..3], offsets, "t = {t}");
        assert_eq!(element.offsets[3..], [0; 5], "t = {t}");
        assert_eq!(element.finals[..3], flags, "t = {t}");
        assert_eq!(element.finals[3..], [true; 5], "t = {t}");
        let levels: Vec<bool> = (0..8)
            .map(|c| flags.iter().take(c + 1).all(|f| *f))
            .collect();
        assert_eq!(element.levels, levels, "t = {t}");
        assert_eq!(element.last, finals == "fff", "t = {t}");
        assert_eq!(element.end, t == 16, "t = {t}");
    }
}

#[proves("TTU-020")]
#[test]
fn worked_addresses_are_unique_and_loaded_duplicates_come_out() {
    let distinct = |id| {
        let mut all = addresses(&execute(&[vector(id).command()]).elements);
        let length = all.len();
        all.sort_unstable();
        all.dedup();
        (length, all.len())
    };
    assert_eq!(distinct("TV1"), (15, 15));
    // Outer size 4 with the steps of size 3: 6, 7, 12, 13 twice.
    assert_eq!(distinct("TV2"), (19, 15));
}

fn registers(base: u64, loops: &[(u64, u64, u64)]) -> RowRegisters {
    let group = |value: fn(&(u64, u64, u64)) -> u64| {
        let mut values: Vec<u64> = loops.iter().map(value).collect();
        values.resize(8, 0);
        values
    };
    RowRegisters {
        valid: true,
        base,
        initial: group(|l| l.0),
        step: group(|l| l.1),
        end: group(|l| l.2),
        offset: group(|l| l.0),
    }
}

#[proves("TTU-001", "TTU-014", "TTU-017", "TTU-032", "TTU-063")]
#[test]
fn one_instruction_loads_all_registers() {
    let mut unit = UnitModel::new(SHAPE);
    let words = vector("TV3").command().encode();
    for word in &words[..words.len() - 1] {
        assert_eq!(unit.take(*word), Taken::More);
    }
    assert_eq!(unit.take(words[words.len() - 1]), Taken::Started);
    let loaded = unit.registers();
    assert_eq!(loaded[0], registers(0, &[(12, 1, 15)]));
    let tensor = [(0, 1, 2), (0, 6, 12), (0, 2, 6)];
    assert_eq!(loaded[1], registers(0, &tensor));
    assert_eq!(loaded[2], registers(0, &[(15, 1, 17)]));
    assert!(loaded[3..].iter().all(|r| !r.valid));

    for _ in 0..7 {
        unit.next_element().expect("an address");
    }
    // t = 7: Z of the tensor is [2, 0, 0], of the other rows V; V, X, Y are unchanged.
    let mut expected = loaded.clone();
    expected[1].offset[2] = 2;
    assert_eq!(unit.registers(), expected);

    for _ in 7..17 {
        unit.next_element().expect("an address");
    }
    assert_eq!(unit.next_element(), None);
    assert_eq!(unit.registers(), loaded);
    let again = unit.execute(&start().encode());
    assert_eq!(addresses(&again.elements), vector("TV3").addresses);
}

#[proves("TTU-016")]
#[test]
fn loops_without_an_end_have_one_iteration_under_every_test() {
    for test in [EndTest::AtLeast, EndTest::Equal, EndTest::Trips] {
        let rows = [Row {
            test,
            base: 100,
            loops: vec![
                Loop {
                    initial: 1,
                    step: 2,
                    end: if test == EndTest::Trips { 2 } else { 5 },
                };
                2
            ],
            ..Row::default()
        }];
        let [initial, step, _] = Command::group_setup(&rows);
        let ends = |values: Vec<u32>| Command::SetEnd {
            rows: vec![GroupRow { row: 0, values }],
        };
        let end = rows[0].loops[0].end;
        for (values, expected) in [
            (vec![], vec![102]),
            (vec![end], vec![102, 104]),
            (vec![end, end], vec![102, 104, 104, 106]),
        ] {
            let execution = execute(&[initial.clone(), step.clone(), ends(values), start()]);
            assert_eq!(addresses(&execution.elements), expected, "{test:?}");
        }
    }
}

#[test]
fn the_example_of_the_document_gives_its_sequence() {
    let document = include_str!("../../docs/traversal.md");
    let example = document.split("```text").nth(1).expect("an example");
    let example = example.split("```").next().expect("the text of it");
    let execution = execute_text(example);
    let tensor = [0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11];
    let runs = tensor.chunks(4).map(|t| [&[12, 13, 14], t].concat());
    let mut expected = runs.collect::<Vec<_>>().concat();
    expected.extend([15, 16]);
    expected.extend(tensor);
    assert_eq!(addresses(&execution.elements), expected);
}

#[test]
fn an_address_outside_the_window_ends_the_traversal() {
    let row = "tensor row 0 base 100 loops 0:10:60";
    let inside = [100, 110, 120, 130, 140, 150];
    check(
        &format!("traverse window 100..151\n{row}\nstart"),
        &[inside, inside].concat(),
    );
    let text = format!("traverse window 100..150\n{row}\nstart");
    check_stop(&text, &inside[..5], UnitError::Address, 0);
    let text = format!("traverse window 101..0x10000\n{row}\nstart");
    check_stop(&text, &[], UnitError::Address, 0);
    // Offset only: the window bounds what is shown.
    let text = format!("traverse offset_only window 0..40\n{row}");
    check_stop(&text, &[0, 10, 20, 30], UnitError::Address, 0);
}

#[test]
fn a_wrong_word_stops_the_unit_behind_the_traversal_under_way() {
    let mut unit = UnitModel::new(SHAPE);
    for word in vector("TV8").command().encode() {
        unit.take(word);
    }
    assert_eq!(unit.next_element().map(|e| e.address), Some(0));
    let stop = Stop {
        error: UnitError::IllegalOpcode,
        position: 0,
    };
    assert_eq!(unit.take(0), Taken::Stopped(stop));
    assert_eq!(unit.take(0x010c), Taken::Stopped(stop));
    let rest: Vec<u64> = std::iter::from_fn(|| unit.next_element().map(|e| e.address))
        .take(9)
        .collect();
    assert_eq!(rest, [2, 4]);
    assert_eq!(unit.stop(), Some(stop));
}

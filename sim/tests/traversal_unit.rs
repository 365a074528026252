//! The stand-alone unit: worked vectors, registers, errors, and plain loop nests.

use heddle_arch::isa::Loop;
use heddle_arch::traverse::{
    Command, EndTest, GroupRow, Row, RowKind, Run, UnitError, UnitShape, parse,
};
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

#[test]
fn ttu_015_ttu_040_ttu_059_ttu_062_ttu_064_software_model_passes_all_vectors() {
    for bits in [8, 16, 24, 32] {
        let shape = UnitShape {
            offset_bits: bits,
            address_bits: bits.max(16),
            ..SHAPE
        };
        let mut passed = 0;
        for vector in unit_vectors(bits).iter().filter(|v| v.fits(&shape)) {
            let execution = UnitModel::new(shape).execute(&vector.command().encode());
            let id = vector.id;
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
        assert_eq!(passed, if bits == 8 { 19 } else { 20 }, "{bits} bits");
    }
}

#[test]
fn ttu_067_one_unit_runs_all_vectors_one_after_another() {
    let mut unit = UnitModel::new(SHAPE);
    for vector in unit_vectors(16).iter().filter(|v| v.stop.is_none()) {
        let execution = unit.execute(&vector.command().encode());
        assert_eq!(addresses(&execution.elements), vector.addresses);
    }
    for vector in unit_vectors(16).iter().filter(|v| v.stop.is_some()) {
        let execution = unit.execute(&vector.command().encode());
        assert_eq!(execution.stop, vector.stop);
        let refused = unit.execute(&self::vector("TV1").command().encode());
        assert_eq!((refused.elements.len(), refused.stop), (0, vector.stop));
        unit.clear();
        assert_eq!(unit.stop(), None);
    }
}

#[test]
fn ttu_006_ttu_007_ttu_026_ttu_033_ttu_039_offsets_and_flags_follow_the_worked_trace() {
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

#[test]
fn ttu_020_worked_tensor_has_unique_addresses_and_duplicates_are_emitted_as_loaded() {
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

#[test]
fn ttu_001_ttu_014_ttu_017_ttu_032_ttu_063_one_instruction_loads_all_registers() {
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

#[test]
fn ttu_016_group_set_up_equals_one_instruction() {
    for vector in unit_vectors(16).iter().filter(|v| v.stop.is_none()) {
        let mut one = UnitModel::new(SHAPE);
        let mut group = UnitModel::new(SHAPE);
        one.execute(&vector.command().encode());
        for command in Command::group_setup(&vector.rows) {
            let loaded = group.execute(&command.encode());
            assert_eq!(loaded, Execution::default());
        }
        let started = group.execute(&start().encode());
        assert_eq!(addresses(&started.elements), vector.addresses);
        assert_eq!(group.registers(), one.registers(), "{}", vector.id);
    }
}

#[test]
fn ttu_016_loops_without_an_end_have_one_iteration_under_every_test() {
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
fn ttu_024_ttu_052_ttu_055_base_is_added_in_the_address_alone() {
    for vector in unit_vectors(16).iter().filter(|v| v.stop.is_none()) {
        let full = execute(&[vector.command()]).elements;
        let offset_only = Command::Traverse {
            run: Run {
                offset_only: true,
                ..Run::default()
            },
            rows: vector.rows.clone(),
        };
        let offsets = execute(&[offset_only]).elements;
        assert_eq!(full.len(), offsets.len());
        for (f, o) in full.iter().zip(offsets) {
            let row = vector.rows.iter().find(|r| usize::from(r.row) == f.row);
            let base = u64::from(row.expect("a row of the vector").base);
            assert_eq!(f.address, (base + o.address) % 65536, "{}", vector.id);
            assert_eq!(f.offsets, o.offsets);
        }
    }
}

#[test]
fn ttu_061_rows_run_in_the_order_of_the_record() {
    let mut vector = vector("TV3");
    let expected = execute(&[vector.command()]).elements;
    for (row, number) in vector.rows.iter_mut().zip([5, 2, 0]) {
        row.row = number;
    }
    let permuted = execute(&[vector.command()]).elements;
    assert_eq!(addresses(&permuted), addresses(&expected));
    for (p, e) in permuted.iter().zip(&expected) {
        assert_eq!((p.row, p.kind), ([5, 2, 0][e.row], e.kind));
    }
}

#[test]
fn ttu_062_rows_that_are_due_together_run_in_the_order_of_the_record() {
    let tensor = "tensor row 1 base 0 loops 0:1:2, 0:10:20";
    let text = |before: &str, behind: &str| format!("traverse\n{before}\n{tensor}\n{behind}");
    check(
        &text(
            "prologue row 2 attach 0 base 50",
            "epilogue row 3 attach 0 base 60",
        ),
        &[50, 0, 1, 60, 50, 10, 11, 60],
    );
    check(
        &text(
            "prologue row 2 attach 1 base 51\nprologue row 0 attach 0 base 50",
            "epilogue row 3 attach 0 base 60\nepilogue row 4 base 69\nepilogue row 5 attach 1 base 61",
        ),
        &[51, 50, 0, 1, 60, 50, 10, 11, 60, 69, 61],
    );
    // Not sorted by loops: the unit does as told.
    check(
        &text(
            "prologue row 0 attach 0 base 50\nprologue row 2 base 51",
            "epilogue row 3 attach 7 base 69\nepilogue row 4 attach 0 base 60",
        ),
        &[50, 51, 0, 1, 60, 50, 10, 11, 69, 60],
    );
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
fn offsets_of_trips_and_equality_wrap_and_enter_the_address_without_a_sign() {
    // Broadcast by a step of 0, which the other tests do not have.
    check("traverse\ntensor row 0 base 7 trips loops 3:0:3", &[10; 3]);
    // -2 in 16 bits through 0: 2, 0, -2.
    let shape = UnitShape {
        address_bits: 24,
        ..SHAPE
    };
    for test in ["equal loops 2:0xfffe:0xfffc", "trips loops 2:0xfffe:3"] {
        let commands = parse(&format!("traverse\ntensor row 0 base 0x10000 {test}"));
        let words = commands.expect("text without faults")[0].encode();
        let execution = UnitModel::new(shape).execute(&words);
        assert_eq!(addresses(&execution.elements), [0x10002, 0x10000, 0x1fffe]);
    }
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

#[test]
fn ttu_002_ttu_003_each_loop_has_its_own_initial_value_step_and_end() {
    let base = vector("TV5");
    let run = |change: fn(&mut Loop)| {
        let mut changed = base.clone();
        change(&mut changed.rows[0].loops[1]);
        addresses(&execute(&[changed.command()]).elements)
    };
    let nest = |middle: [u64; 2]| -> Vec<u64> {
        let outer = [0, 4, 8].iter();
        outer
            .flat_map(|o| middle.iter().flat_map(move |m| [o + m, o + m + 1]))
            .collect()
    };
    assert_eq!(run(|_| ()), nest([0, 2]));
    assert_eq!(run(|l| (l.initial, l.end) = (20, 24)), nest([20, 22]));
    assert_eq!(run(|l| (l.step, l.end) = (100, 101)), nest([0, 100]));
    assert_eq!(run(|l| l.end = 6).len(), 18);
}

#[test]
fn kinds_of_the_rows_come_with_the_addresses() {
    let kinds: Vec<RowKind> = execute(&[vector("TV13").command()])
        .elements
        .iter()
        .map(|e| e.kind)
        .collect();
    use RowKind::{Epilogue, Prologue, Tensor};
    let expected = [vec![Prologue; 4], vec![Tensor; 3], vec![Epilogue; 3]].concat();
    assert_eq!(kinds, expected);
}

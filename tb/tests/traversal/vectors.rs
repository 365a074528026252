//! The worked vectors of the specification on every engine that holds them.

use heddle_arch::isa::Loop;
use heddle_arch::traverse::{EndTest, Row, RowKind};
use heddle_sim::traversal::UnitElement;
use heddle_sim::traversal::vectors::{Vector, named, vectors};

use super::bench::{
    Bench, FULL, SMALL, Unit, addresses, row, row_runs, starting, units, units_with_options,
};
use crate::rtl::Checked;

/// Number of rows before the tensor and of tensors; the rest are epilogues.
fn kinds(id: &str) -> (usize, usize) {
    match id {
        "TV1" | "TV2" | "TV3" => (1, 1),
        "TV13" => (2, 1),
        "TV17" => (1, 2),
        _ => (0, 1),
    }
}

/// The record of a vector, in rows 0, 1, ...
pub fn record_of(vector: &Vector, test: EndTest) -> Vec<Row> {
    let (prologues, tensors) = kinds(vector.id);
    let rows = vector.rows.iter().enumerate();
    rows.map(|(number, registers)| {
        let loops = 0..registers.initial.len();
        Row {
            row: number as u8,
            kind: match number {
                n if n < prologues => RowKind::Prologue,
                n if n < prologues + tensors => RowKind::Tensor,
                _ => RowKind::Epilogue,
            },
            attach: None,
            test,
            base: registers.base as u32,
            loops: loops
                .map(|c| Loop {
                    initial: registers.initial[c] as u32,
                    step: registers.step[c] as u32,
                    end: registers.end[c] as u32,
                })
                .collect(),
        }
    })
    .collect()
}

/// Loads a vector, runs it twice and checks sequence, row order and one address per clock.
fn run_vector(unit: &Unit, vector: &Vector, test: EndTest) -> Checked<Vec<UnitElement>> {
    let mut bench = Bench::new(unit, 1);
    bench.configure(&record_of(vector, test))?;
    let mut elements = Vec::new();
    for _ in 0..2 {
        elements = bench.collect(&starting())?;
        let found = addresses(&elements);
        if found != vector.addresses {
            return Err(bench.dut.message(&format!("{} gave {found:?}", vector.id)));
        }
    }
    Ok(elements)
}

/// Runs a vector on all units that hold it; gives what came and the number of units.
#[track_caller]
fn check_vector(id: &str) -> (Vec<UnitElement>, usize) {
    let vector = named(id);
    let record = record_of(&vector, EndTest::AtLeast);
    let (mut elements, mut runs) = (Vec::new(), 0);
    for unit in units() {
        if unit.holds(&record) {
            elements = run_vector(unit, &vector, EndTest::AtLeast)
                .unwrap_or_else(|message| panic!("{message}"));
            runs += 1;
        }
    }
    assert!(runs > 0, "no unit holds {id}");
    (elements, runs)
}

#[test]
fn ttu_007_ttu_008_ttu_019_ttu_021_ttu_022_ttu_023_ttu_026_ttu_027_ttu_028_ttu_030_ttu_031_ttu_033_ttu_045_tv1()
 {
    let (elements, _) = check_vector("TV1");
    let offsets: Vec<&[u64]> = elements.iter().map(|e| &e.offsets[..3]).collect();
    assert_eq!(offsets[3..7], [[0, 0, 0], [1, 0, 0], [0, 6, 0], [1, 6, 0]]);
}

#[test]
fn ttu_028_ttu_029_tv2_emits_repeated_addresses_as_they_come() {
    check_vector("TV2");
}

#[test]
fn ttu_006_ttu_036_ttu_037_ttu_038_ttu_039_ttu_047_ttu_063_tv3_prologue_tensor_epilogue() {
    let (elements, _) = check_vector("TV3");
    let rows: Vec<usize> = elements.iter().map(|e| e.row).collect();
    assert_eq!(rows, [vec![0; 3], vec![1; 12], vec![2; 2]].concat());
    let kinds: Vec<RowKind> = elements.iter().map(|e| e.kind).collect();
    assert_eq!(kinds[2..4], [RowKind::Prologue, RowKind::Tensor]);
    assert_eq!(kinds[14..16], [RowKind::Tensor, RowKind::Epilogue]);
}

#[test]
fn ttu_025_ttu_046_tv4_bases_differ() {
    check_vector("TV4");
}

#[test]
fn ttu_044_tv5_contiguous_order() {
    check_vector("TV5");
}

#[test]
fn ttu_041_tv6_two_dimensional_prologue() {
    check_vector("TV6");
}

#[test]
fn ttu_019_tv7_sub_tile() {
    check_vector("TV7");
}

#[test]
fn ttu_029_tv8_offset_that_exceeds_its_end_is_reset() {
    check_vector("TV8");
}

#[test]
fn ttu_031_tv9_carry_runs_through_zero_and_one_iteration_columns() {
    check_vector("TV9");
}

#[test]
fn ttu_009_ttu_040_tv13_tv17_several_prologues_tensors_and_epilogues() {
    check_vector("TV13");
    check_vector("TV17");
}

#[test]
fn ttu_043_tv14_eight_dimensions() {
    check_vector("TV14");
}

#[test]
fn ttu_004_every_size_passes_the_vectors_that_fit() {
    let runs: usize = vectors().iter().map(|v| check_vector(v.id).1).sum();
    assert!(runs > 30, "only {runs} runs");
}

/// Runs a record on all units with options that hold it.
#[track_caller]
fn check_options(record: &[Row], expected: &[u64]) {
    let mut runs = 0;
    for unit in units_with_options() {
        if !unit.holds(record) {
            continue;
        }
        let mut bench = Bench::new(unit, 1);
        bench.configure(record).unwrap();
        for _ in 0..2 {
            let elements = bench.collect(&starting()).unwrap();
            assert_eq!(addresses(&elements), expected);
        }
        runs += 1;
    }
    assert!(runs > 0, "no unit holds the record");
}

#[test]
fn ttu_059_tv10_vectors_whose_ends_are_on_the_step_grid_are_the_same_with_equality() {
    // TV8 is not on the grid.
    for id in [
        "TV1", "TV2", "TV3", "TV4", "TV5", "TV6", "TV7", "TV9", "TV13", "TV14", "TV17",
    ] {
        let vector = named(id);
        check_options(&record_of(&vector, EndTest::Equal), &vector.addresses);
    }
}

#[test]
fn ttu_059_tv11_equality_runs_negative_steps_and_tv12_at_least_ends_at_once() {
    let unit = &*SMALL;
    for (test, expected) in [
        (EndTest::Equal, vec![26, 24, 22]),
        (EndTest::AtLeast, vec![26]),
    ] {
        let mut record = row(0, 16, &[(10, 254, 4)]);
        record.test = test;
        let elements = Bench::new(unit, 1).run(&[record]).unwrap();
        assert_eq!(addresses(&elements), expected, "{test:?}");
    }
}

/// TV16: the prologue belongs to a loop of the tensor.
fn attached(to: u8) -> Vec<Row> {
    let mut record = record_of(&named("TV1"), EndTest::AtLeast);
    record[0].attach = Some(to);
    record
}

#[test]
fn ttu_062_tv16_prologue_of_an_inner_loop() {
    let pairs = [[0, 1], [6, 7], [2, 3], [8, 9], [4, 5], [10, 11]];
    for (to, every) in [(0, 1), (1, 2), (2, 6)] {
        let mut expected = Vec::new();
        for part in pairs.chunks(every) {
            expected.extend([12, 13, 14]);
            expected.extend(part.concat());
        }
        check_options(&attached(to), &expected);
    }
}

#[test]
fn ttu_062_epilogue_of_an_inner_loop_runs_at_each_of_its_wraps() {
    let pairs = [[0, 1], [6, 7], [2, 3], [8, 9], [4, 5], [10, 11]];
    for (to, every) in [(0, 1), (1, 2), (2, 6)] {
        let mut record = record_of(&named("TV3"), EndTest::AtLeast);
        record[2].attach = Some(to);
        let mut expected = vec![12, 13, 14];
        for part in pairs.chunks(every) {
            expected.extend(part.concat());
            expected.extend([15, 16]);
        }
        check_options(&record, &expected);
    }
}

#[test]
fn ttu_062_rows_due_at_once_run_epilogues_first_each_in_record_order() {
    // Two prologues and two epilogues around a 2 x 2 x 2 tensor; rows are numbered by their place.
    let single = |number: u8, kind, attach| Row {
        kind,
        attach,
        ..row(number, 100 * u32::from(number), &[])
    };
    let record = [
        single(0, RowKind::Prologue, None),
        single(1, RowKind::Prologue, Some(1)),
        single(2, RowKind::Prologue, Some(0)),
        row(3, 0, &[(0, 1, 2), (0, 2, 4), (0, 4, 8)]),
        single(4, RowKind::Epilogue, Some(0)),
        single(5, RowKind::Epilogue, Some(1)),
        single(6, RowKind::Epilogue, None),
    ];
    let mut bench = Bench::new(&FULL, 1);
    let elements = bench.run(&record).unwrap();
    let expected = [
        0, 100, 200, 0, 1, 400, 200, 2, 3, 400, 500, 100, 200, 4, 5, 400, 200, 6, 7, 400, 500, 600,
    ];
    assert_eq!(addresses(&elements), expected);
    // The tensor is one run, however often others run in its middle.
    let tensor_ends = row_runs(&elements).iter().filter(|r| **r == 3).count();
    assert_eq!(tensor_ends, 1);
}

//! The traversal models against worked vectors and plain loop nests.

use heddle_arch::traverse::{EndTest, RowKind};
use heddle_sim::traversal::vectors::{named, vectors};
use heddle_sim::traversal::{
    ConfigWrite, Element, EngineShape, Row, TraversalInputs, TraversalModel, Walk,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn walk(rows: &[Row], address_bits: u32) -> Vec<Element> {
    Walk::new(rows.iter().cloned().enumerate().collect(), address_bits)
        .take(10_000)
        .collect()
}

fn addresses(elements: &[Element]) -> Vec<u64> {
    elements.iter().map(|e| e.address).collect()
}

/// A model of an engine with one register stage in its address sum.
fn engine(rows: usize, loops: usize, double: bool) -> TraversalModel {
    TraversalModel::new(EngineShape {
        rows,
        loops,
        offset_bits: 16,
        address_bits: 16,
        double,
        stages: 2,
    })
}

fn configure(model: &mut TraversalModel, rows: &[Row]) {
    let mut write = |write| {
        model.step(&TraversalInputs {
            write: Some(write),
            ready: true,
            ..TraversalInputs::default()
        });
    };
    for (row, registers) in rows.iter().enumerate() {
        write(ConfigWrite::Base {
            row,
            base: registers.base as u32,
            kind: RowKind::Tensor,
            attach: None,
            test: EndTest::AtLeast,
        });
        for column in 0..registers.initial.len() {
            write(ConfigWrite::Initial(registers.initial[column] as u32));
            write(ConfigWrite::Step(registers.step[column] as u32));
            write(ConfigWrite::End {
                row,
                column,
                test: EndTest::AtLeast,
                end: registers.end[column] as u32,
            });
        }
    }
}

#[test]
fn ttu_064_software_model_passes_all_vectors() {
    for vector in vectors() {
        let elements = walk(&vector.rows, 32);
        assert_eq!(addresses(&elements), vector.addresses, "{}", vector.id);
        let ends: Vec<bool> = elements.iter().map(|e| e.end).collect();
        assert_eq!(ends.iter().filter(|e| **e).count(), 1, "{}", vector.id);
        assert_eq!(ends.last(), Some(&true), "{}", vector.id);
    }
}

#[test]
fn offsets_follow_the_worked_trace() {
    // Innermost first; the tensor part of TV1.
    let expected = [
        [0, 0, 0],
        [1, 0, 0],
        [0, 6, 0],
        [1, 6, 0],
        [0, 0, 2],
        [1, 0, 2],
        [0, 6, 2],
        [1, 6, 2],
        [0, 0, 4],
        [1, 0, 4],
        [0, 6, 4],
        [1, 6, 4],
    ];
    let elements = walk(&named("TV1").rows, 32);
    assert_eq!(elements[0].offsets, [12, 0, 0]);
    for (element, offsets) in elements[3..].iter().zip(expected) {
        assert_eq!(element.offsets, offsets);
        assert_eq!(element.row, 1);
    }
}

#[test]
fn negative_step_ends_at_once() {
    // TV12: 10 + 254 exceeds the end 4 with the carry kept.
    let rows = [Row::new(16, &[(10, 254, 4)])];
    assert_eq!(addresses(&walk(&rows, 8)), [26]);
}

#[test]
fn zero_step_in_an_active_loop_never_ends() {
    // TV15.
    let rows = [Row::new(0, &[(0, 0, 1)])];
    assert_eq!(walk(&rows, 16).len(), 10_000);
}

#[test]
fn walk_equals_nested_loops() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..300 {
        let loops: Vec<(u64, u64, u64)> = (0..rng.random_range(1..=5))
            .map(|_| {
                let (start, step) = (rng.random_range(0..20), rng.random_range(1..9));
                (start, step, start + step * rng.random_range(1..=4))
            })
            .collect();
        let base = rng.random_range(0..1000);
        // The loop nest, outermost first, as nested repetition.
        let mut expected = vec![base];
        for (start, step, end) in loops.iter().rev() {
            expected = expected
                .iter()
                .flat_map(|a| (*start..*end).step_by(*step as usize).map(move |z| a + z))
                .collect();
        }
        assert_eq!(addresses(&walk(&[Row::new(base, &loops)], 32)), expected);
    }
}

#[test]
fn clocked_model_gives_one_address_per_clock_from_the_third_cycle() {
    for vector in vectors() {
        let mut model = engine(8, 8, false);
        configure(&mut model, &vector.rows);
        for _ in 0..2 {
            let mut inputs = TraversalInputs {
                start: true,
                ready: true,
                ..TraversalInputs::default()
            };
            assert!(!model.step(&inputs).busy);
            inputs.start = false;
            for _ in 0..2 {
                let early = model.step(&inputs);
                assert!(early.busy && early.element.is_none());
            }
            for address in &vector.addresses {
                let outputs = model.step(&inputs);
                let element = outputs.element.expect("one address per clock");
                assert_eq!(element.address, *address, "{}", vector.id);
                assert!(outputs.busy);
            }
            let after = model.step(&inputs);
            assert!(!after.busy && after.element.is_none(), "{}", vector.id);
        }
    }
}

#[test]
fn clocked_model_with_two_sets_of_registers_starts_the_next_traversal_without_a_gap() {
    let mut model = engine(1, 1, true);
    configure(&mut model, &[Row::new(5, &[(0, 1, 8)])]);
    let inputs = |start| TraversalInputs {
        start,
        ready: true,
        ..TraversalInputs::default()
    };
    assert!(model.step(&inputs(true)).load);
    // Four writes while the first traversal runs, then a start that has to wait.
    configure(&mut model, &[Row::new(70, &[(0, 2, 4)])]);
    let outputs = model.step(&inputs(true));
    assert!(outputs.cfg_ready && !outputs.load);
    assert!(!model.step(&inputs(false)).cfg_ready);
    let rest = (0..9).filter_map(|_| model.step(&inputs(true)).element);
    // The starts of these cycles are heard as soon as the waiting one has left.
    let addresses: Vec<u64> = rest.map(|e| e.address).collect();
    assert_eq!(addresses, [9, 10, 11, 12, 70, 72, 70, 72, 70]);
}

#[test]
fn clocked_model_holds_while_not_ready_and_empties_while_paused() {
    let mut model = engine(1, 1, false);
    configure(&mut model, &[Row::new(5, &[(0, 1, 3)])]);
    let inputs = |start, pause, ready| TraversalInputs {
        start,
        pause,
        ready,
        ..TraversalInputs::default()
    };
    let mut seen = |i: TraversalInputs| model.step(&i).element.map(|e| e.address);
    assert_eq!(seen(inputs(true, false, false)), None);
    assert_eq!(seen(inputs(false, false, false)), None);
    assert_eq!(seen(inputs(false, true, false)), None);
    assert_eq!(seen(inputs(false, false, false)), Some(5));
    assert_eq!(seen(inputs(false, true, true)), Some(5));
    assert_eq!(seen(inputs(false, false, true)), None);
    assert_eq!(seen(inputs(false, false, true)), None);
    assert_eq!(seen(inputs(false, false, true)), Some(6));
    assert_eq!(seen(inputs(false, false, true)), Some(7));
    assert_eq!(seen(inputs(false, false, true)), None);
}

#[test]
fn start_without_a_listed_row_does_nothing_and_stop_aborts() {
    for double in [false, true] {
        let mut model = engine(2, 2, double);
        let start = TraversalInputs {
            start: true,
            ..TraversalInputs::default()
        };
        model.step(&start);
        assert!(!model.step(&TraversalInputs::default()).busy);
        configure(&mut model, &[Row::new(5, &[(0, 1, 3), (0, 0, 0)])]);
        model.step(&start);
        model.step(&TraversalInputs::default());
        model.step(&TraversalInputs::default());
        let stop = TraversalInputs {
            stop: true,
            start: true,
            clear: true,
            ..TraversalInputs::default()
        };
        assert!(model.step(&stop).element.is_some());
        let after = model.step(&start);
        assert!(!after.busy && after.element.is_none());
        assert!(!model.step(&TraversalInputs::default()).busy, "cleared");
    }
}

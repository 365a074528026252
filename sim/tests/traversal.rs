//! The traversal models against worked vectors and plain loop nests.

use heddle_sim::traversal::vectors::{named, vectors};
use heddle_sim::traversal::{
    ConfigWrite, Element, Register, Row, TraversalInputs, TraversalModel, Walk,
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

fn configure(model: &mut TraversalModel, rows: &[Row]) {
    for (row, registers) in rows.iter().enumerate() {
        let mut write = |register, column, value: u64| {
            model.step(&TraversalInputs {
                write: Some(ConfigWrite {
                    register,
                    row,
                    column,
                    data: value as u32,
                }),
                ..TraversalInputs::default()
            });
        };
        write(Register::Base, 0, registers.base);
        for column in 0..registers.initial.len() {
            write(Register::Initial, column, registers.initial[column]);
            write(Register::Step, column, registers.step[column]);
            write(Register::End, column, registers.end[column]);
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
fn clocked_model_gives_one_address_per_clock_from_the_second_cycle() {
    for vector in vectors() {
        let mut model = TraversalModel::new(8, 8, 16, 16);
        configure(&mut model, &vector.rows);
        for _ in 0..2 {
            let mut inputs = TraversalInputs {
                start: true,
                ready: true,
                ..TraversalInputs::default()
            };
            assert!(!model.step(&inputs).busy);
            inputs.start = false;
            let first = model.step(&inputs);
            assert!(first.busy && first.element.is_none());
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
fn clocked_model_holds_while_not_ready_and_empties_while_paused() {
    let mut model = TraversalModel::new(1, 1, 16, 16);
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
    assert_eq!(seen(inputs(false, false, false)), Some(5));
    assert_eq!(seen(inputs(false, true, true)), Some(5));
    assert_eq!(seen(inputs(false, false, true)), None);
    assert_eq!(seen(inputs(false, false, true)), Some(6));
    assert_eq!(seen(inputs(false, false, true)), Some(7));
    assert_eq!(seen(inputs(false, false, true)), None);
}

#[test]
fn start_without_valid_row_does_nothing_and_clear_aborts() {
    let mut model = TraversalModel::new(2, 2, 16, 16);
    let start = TraversalInputs {
        start: true,
        ..TraversalInputs::default()
    };
    model.step(&start);
    assert!(!model.step(&TraversalInputs::default()).busy);
    configure(&mut model, &[Row::new(5, &[(0, 1, 3), (0, 0, 0)])]);
    model.step(&start);
    model.step(&TraversalInputs::default());
    let clear = TraversalInputs {
        clear: true,
        ..TraversalInputs::default()
    };
    assert!(model.step(&clear).element.is_some());
    let after = model.step(&TraversalInputs::default());
    assert!(!after.busy && after.element.is_none());
}

//! The traversal engine with every combination of its options.

use heddle_hdl::traversal::{TraversalEngine, TraversalShape};
use heddle_kernel::prelude::*;

type Engine = TraversalEngine<16, 17, 16>;

/// End test of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Test {
    AtLeast,
    Equal,
    Trips,
}

/// One row of a record: number, kind, loop it is attached to, base, loops.
type Row<'a> = (u64, u64, Option<u64>, u64, &'a [[u64; 3]]);

fn write(u: &mut Engine, sel: u64, row: u64, col: usize, data: u64) {
    u.cfg_valid_i.next = true;
    u.cfg_sel_i.next = sel.into();
    u.cfg_row_i.next = row.into();
    u.cfg_col_i.next = (col as u64).into();
    u.cfg_data_i.next = data.into();
    clock_cycle!(*u);
    u.cfg_valid_i.next = false;
}

/// Writes a record whose loops all have the same end test.
fn load(u: &mut Engine, test: Test, rows: &[Row]) {
    u.cfg_clear_i.next = true;
    clock_cycle!(*u);
    u.cfg_clear_i.next = false;
    u.cfg_equal_i.next = test == Test::Equal;
    u.cfg_trips_i.next = test == Test::Trips;
    for (row, kind, attach, base, loops) in rows {
        u.cfg_kind_i.next = (*kind).into();
        u.cfg_attached_i.next = attach.is_some();
        u.cfg_loop_i.next = attach.unwrap_or(0).into();
        write(u, 3, *row, 0, *base);
        for (col, registers) in loops.iter().enumerate() {
            for (sel, value) in registers.iter().enumerate() {
                write(u, sel as u64, *row, col, *value);
            }
        }
    }
}

/// Starts and takes one address per clock; the first one comes `latency` cycles after the cycle
/// behind the start.
#[track_caller]
fn run(u: &mut Engine, latency: usize) -> Vec<u64> {
    u.ready_i.next = true;
    u.start_i.next = true;
    clock_cycle!(*u);
    u.start_i.next = false;
    for _ in 0..latency {
        assert!(u.busy_o.val() && !u.valid_o.val());
        clock_cycle!(*u);
    }
    let mut addresses = Vec::new();
    while u.busy_o.val() {
        assert!(u.valid_o.val(), "gap after {addresses:?}");
        addresses.push(u.addr_o.val().to_u64());
        let end = u.end_o.val();
        clock_cycle!(*u);
        assert_eq!(end, !u.busy_o.val());
    }
    addresses
}

/// Every combination of options in units of the given size.
fn shapes(rows: usize, loops: usize, stages: usize) -> impl Iterator<Item = TraversalShape> {
    (0..16).map(move |bits: u32| TraversalShape {
        rows,
        loops,
        double: bits & 1 > 0,
        equality: bits & 2 > 0,
        trips: bits & 4 > 0,
        attach: bits & 8 > 0,
        stages,
        ..TraversalShape::plain(rows, loops)
    })
}

fn engine(shape: TraversalShape) -> Engine {
    let mut u = Engine::new(shape);
    clock_cycle!(u);
    u.rst_n.next = true;
    u
}

/// End tests that a unit has.
fn tests(shape: &TraversalShape) -> Vec<Test> {
    let mut list = vec![Test::AtLeast];
    list.extend(shape.equality.then_some(Test::Equal));
    list.extend(shape.trips.then_some(Test::Trips));
    list
}

/// The loops of a nest with ends on the step grid, in the form of an end test.
fn loops_of(test: Test, loops: &[[u64; 3]]) -> Vec<[u64; 3]> {
    let form = |[initial, step, trips]: &[u64; 3]| match test {
        Test::Trips => [*initial, *step, *trips],
        _ => [*initial, *step, initial + step * trips],
    };
    loops.iter().map(form).collect()
}

#[proves("TTU-059", "TTU-061", "TTU-062")]
#[test]
fn every_combination_of_options_runs_what_it_has() {
    for stages in [1, 2] {
        for shape in shapes(3, 3, stages) {
            let mut u = engine(shape);
            for test in tests(&shape) {
                let prologue = loops_of(test, &[[12, 1, 3]]);
                let tensor = loops_of(test, &[[0, 1, 2], [0, 6, 2], [0, 2, 3]]);
                let epilogue = loops_of(test, &[[15, 1, 2]]);
                let record = |attach| -> [Row; 3] {
                    [
                        (2, 1, attach, 0, &prologue),
                        (0, 0, None, 0, &tensor),
                        (1, 2, attach, 0, &epilogue),
                    ]
                };
                load(&mut u, test, &record(None));
                let pairs = [[0, 1], [6, 7], [2, 3], [8, 9], [4, 5], [10, 11]];
                let whole = [&[12, 13, 14][..], &pairs.concat(), &[15, 16]].concat();
                assert_eq!(run(&mut u, 1 + stages), whole, "{shape:?} {test:?}");
                assert_eq!(run(&mut u, 1 + stages), whole, "{shape:?} {test:?}");
                if !shape.attach {
                    continue;
                }
                for (attach, every) in [(0, 1), (1, 2), (2, 6)] {
                    load(&mut u, test, &record(Some(attach)));
                    let parts = pairs.chunks(every).map(|part| part.concat());
                    let parts: Vec<u64> = parts
                        .flat_map(|part| [&[12, 13, 14][..], &part, &[15, 16]].concat())
                        .collect();
                    assert_eq!(run(&mut u, 1 + stages), parts, "{shape:?} {test:?}");
                }
            }
        }
    }
}

#[proves("TTU-004")]
#[test]
fn one_row_and_one_loop_have_every_combination_of_options() {
    for shape in shapes(1, 1, 4) {
        let mut u = engine(shape);
        for test in tests(&shape) {
            let loops = loops_of(test, &[[7, 2, 3]]);
            load(&mut u, test, &[(0, 0, None, 100, &loops)]);
            // Two terms have one stage.
            assert_eq!(run(&mut u, 2), [107, 109, 111], "{shape:?} {test:?}");
        }
    }
}

#[test]
fn latency_follows_the_levels_of_the_sum() {
    for (loops, stages, latency) in [
        (1, 1, 2),
        (1, 4, 2),
        (3, 2, 3),
        (3, 3, 3),
        (5, 1, 2),
        (5, 3, 4),
        (5, 4, 4),
        (8, 2, 3),
        (8, 4, 5),
    ] {
        let shape = TraversalShape {
            stages,
            ..TraversalShape::plain(1, loops)
        };
        assert_eq!(shape.latency(), latency, "{loops} loops, {stages} stages");
        let mut u = engine(shape);
        let nest: Vec<[u64; 3]> = (0..loops).map(|c| [1 << c, 1, (1 << c) + 1]).collect();
        load(&mut u, Test::AtLeast, &[(0, 0, None, 1000, &nest)]);
        assert_eq!(run(&mut u, latency), [1000 + (1 << loops) - 1]);
    }
}

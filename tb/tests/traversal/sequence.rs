//! What every engine does with one record: registers, bases, pauses, stops at the end.

use heddle_arch::traverse::{EndTest, Row};
use heddle_sim::traversal::TraversalInputs;
use heddle_sim::traversal::vectors::named;
use rand::Rng;

use super::bench::{
    Bench, FULL, PLAIN, SMALL, addresses, loop_of, loop_writes, row, starting, taking, units,
    writes,
};
use super::vectors::record_of;

fn record(id: &str) -> Vec<Row> {
    record_of(&named(id), EndTest::AtLeast)
}

#[test]
fn ttu_067_one_instance_runs_one_sequence_after_another() {
    let mut bench = Bench::new(&FULL, 1);
    for id in ["TV1", "TV5", "TV3", "TV14", "TV8"] {
        let elements = bench.run(&record(id)).unwrap();
        assert_eq!(addresses(&elements), named(id).addresses, "{id}");
    }
}

#[test]
fn ttu_024_base_shifts_all_addresses_alike() {
    let mut rows = record("TV3");
    let mut bench = Bench::new(&PLAIN, 1);
    let before = bench.run(&rows).unwrap();
    for row in &mut rows {
        row.base = 1000;
        // A second base of a row changes the base and not the order.
        bench.write(writes(std::slice::from_ref(row))[0]).unwrap();
    }
    let after = bench.collect(&starting()).unwrap();
    for (a, b) in before.iter().zip(&after) {
        assert_eq!(a.address + 1000, b.address);
        assert_eq!(a.offsets, b.offsets);
    }
}

#[test]
fn ttu_017_start_sets_every_offset_to_its_initial_value() {
    let mut rows = record("TV3");
    let mut bench = Bench::new(&PLAIN, 1);
    bench.run(&rows).unwrap();
    // New initial values after a run: the offsets still hold the old ones until the start.
    for (number, column, initial) in [(0, 0, 13), (1, 1, 6), (2, 0, 16)] {
        rows[number].loops[column].initial = initial;
        for write in loop_writes(&rows[number], column) {
            bench.write(write).unwrap();
        }
    }
    let elements = bench.collect(&starting()).unwrap();
    assert_eq!(addresses(&elements), [13, 14, 6, 7, 8, 9, 10, 11, 16]);
}

#[test]
fn ttu_002_ttu_003_register_changes_only_its_own_loop() {
    // A 2 x 2 x 2 tensor between two one-dimensional rows; innermost first.
    let rows = [
        row(0, 1000, &[(0, 1, 3)]),
        row(1, 0, &[(0, 1, 2), (0, 10, 20), (0, 100, 200)]),
        row(2, 2000, &[(0, 1, 2)]),
    ];
    let nest = |inner: &[u64], middle: &[u64], outer: &[u64]| -> Vec<u64> {
        let mut all = vec![1000, 1001, 1002];
        for o in outer {
            for m in middle {
                all.extend(inner.iter().map(|i| o + m + i));
            }
        }
        all.extend([2000, 2001]);
        all
    };
    let (i, m, o): (&[u64], &[u64], &[u64]) = (&[0, 1], &[0, 10], &[0, 100]);
    // Column, what it holds now, addresses.
    let cases = [
        (0, (1, 1, 2), nest(&[1], m, o)),
        (1, (10, 10, 20), nest(i, &[10], o)),
        (2, (100, 100, 200), nest(i, m, &[100])),
        (0, (0, 2, 2), nest(&[0], m, o)),
        (1, (0, 5, 20), nest(i, &[0, 5, 10, 15], o)),
        (2, (0, 40, 200), nest(i, m, &[0, 40, 80, 120, 160])),
        (0, (0, 1, 4), nest(&[0, 1, 2, 3], m, o)),
        (1, (0, 10, 30), nest(i, &[0, 10, 20], o)),
        (2, (0, 100, 300), nest(i, m, &[0, 100, 200])),
    ];
    let mut bench = Bench::new(&PLAIN, 1);
    for (column, content, expected) in cases {
        bench.configure(&rows).unwrap();
        let mut changed = rows[1].clone();
        changed.loops[column] = loop_of(content);
        for write in loop_writes(&changed, column) {
            bench.write(write).unwrap();
        }
        let elements = bench.collect(&starting()).unwrap();
        assert_eq!(addresses(&elements), expected, "{column} {content:?}");
    }
}

#[test]
fn ttu_042_ttu_053_ttu_066_random_nests_equal_counted_loops() {
    let mut bench = Bench::new(&PLAIN, 5);
    let mut rng = bench.dut.rng();
    for _ in 0..150 {
        let mut rows = Vec::new();
        let mut expected = Vec::new();
        for number in 0..3 {
            // (start, step, trips) per loop; the test counts n itself.
            let depth = rng.random_range(1..=5);
            let loops: Vec<(u32, u32, u32)> = (0..depth)
                .map(|_| {
                    (
                        rng.random_range(0..50),
                        rng.random_range(1..60),
                        rng.random_range(1..=3),
                    )
                })
                .collect();
            let base = rng.random_range(0..60_000);
            let total: u32 = loops.iter().map(|l| l.2).product();
            for count in 0..total {
                let mut rest = count;
                let mut address = base;
                for (start, step, trips) in &loops {
                    address += start + rest % trips * step;
                    rest /= trips;
                }
                expected.push(u64::from(address & 0xffff));
            }
            let registers: Vec<_> = loops.iter().map(|(v, x, n)| (*v, *x, v + n * x)).collect();
            rows.push(row(number, base, &registers));
        }
        let elements = bench.run(&rows).unwrap();
        assert_eq!(addresses(&elements), expected);
    }
}

#[test]
fn ttu_049_pauses_and_back_pressure_do_not_change_the_sequence() {
    let vector = named("TV3");
    for unit in [&*PLAIN, &*SMALL, &*FULL] {
        for seed in 1..20 {
            let mut bench = Bench::new(unit, seed);
            let mut rng = bench.dut.rng();
            bench.configure(&record("TV3")).unwrap();
            let mut inputs = TraversalInputs {
                start: true,
                ..TraversalInputs::default()
            };
            let mut taken = Vec::new();
            loop {
                let outputs = bench.step(&inputs).unwrap();
                if inputs.ready {
                    taken.extend(outputs.element.map(|e| e.address));
                }
                if !inputs.start && !outputs.busy {
                    break;
                }
                inputs = TraversalInputs {
                    pause: rng.random_bool(0.4),
                    ready: rng.random_bool(0.6),
                    ..TraversalInputs::default()
                };
            }
            assert_eq!(taken, vector.addresses, "seed {seed}");
        }
    }
}

#[test]
fn ttu_049_a_paused_engine_forms_no_address_and_goes_on_where_it_was() {
    for unit in units() {
        let mut bench = Bench::new(unit, 1);
        bench.configure(&[row(0, 7, &[(0, 1, 9)])]).unwrap();
        bench.step(&starting()).unwrap();
        let mut seen = Vec::new();
        let mut left = 0;
        for cycle in 0..40 {
            let inputs = TraversalInputs {
                pause: (4..24).contains(&cycle),
                ..taking()
            };
            let outputs = bench.step(&inputs).unwrap();
            // What was formed before the pause leaves, then there is nothing.
            left += u64::from(cycle > 4 + unit.shape.latency() && outputs.element.is_some());
            assert!(left == 0 || cycle > 24, "cycle {cycle}");
            seen.extend(outputs.element.map(|e| e.address));
        }
        assert_eq!(seen, Vec::from_iter(7..16));
    }
}

#[test]
fn every_number_of_stages_of_the_sum_occurs_among_the_units() {
    let latencies = units().map(|unit| unit.shape.latency());
    assert_eq!(latencies, [2, 2, 5, 3, 4]);
}

#[test]
fn ttu_048_nothing_follows_the_last_address() {
    for unit in units() {
        let mut bench = Bench::new(unit, 1);
        bench.run(&[row(0, 3, &[(4, 1, 9)])]).unwrap();
        for _ in 0..50 {
            let outputs = bench.step(&taking()).unwrap();
            assert!(outputs.element.is_none() && !outputs.busy);
        }
    }
}

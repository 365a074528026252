//! End tests, row order, offset output.

use heddle_arch::traverse::{EndTest, Row, RowKind};
use heddle_sim::traversal::TraversalInputs;
use heddle_sim::traversal::vectors::named;
use rand::Rng;
use rand::seq::SliceRandom;

use super::bench::{
    Bench, ONE_SET, PLAIN, SMALL, addresses, row, row_runs, starting, units, units_with_options,
};
use super::vectors::record_of;

/// A tensor that counts iterations.
fn counted(number: u8, base: u32, loops: &[(u32, u32, u32)]) -> Row {
    Row {
        test: EndTest::Trips,
        ..row(number, base, loops)
    }
}

#[test]
fn trips_repeat_addresses_with_step_zero_and_run_backwards() {
    let minus = |n: u32| 256 - n;
    // An element that is read three times, then columns of a matrix from the last to the first.
    let cases: [(Row, &[u64]); 4] = [
        (counted(0, 40, &[(2, 0, 3)]), &[42, 42, 42]),
        (
            counted(0, 0, &[(0, 1, 2), (9, minus(3), 3)]),
            &[9, 10, 6, 7, 3, 4],
        ),
        (
            counted(0, 100, &[(1, 0, 2), (0, 5, 2), (7, 0, 1)]),
            &[108, 108, 113, 113],
        ),
        // Offsets wrap at their own width and enter the address without a sign.
        (
            counted(0, 1000, &[(1, minus(1), 4)]),
            &[1001, 1000, 1255, 1254],
        ),
    ];
    for (record, expected) in cases {
        let elements = Bench::new(&SMALL, 1).run(&[record]).unwrap();
        assert_eq!(addresses(&elements), expected);
    }
}

#[test]
fn trips_run_as_often_as_said_up_to_the_largest_number() {
    let limit = (1_u32 << SMALL.offset_bits) - 1;
    for (step, trips) in [(0, 1), (0, 2), (1, limit), (limit, limit), (77, 128)] {
        let elements = Bench::new(&SMALL, 1)
            .run(&[counted(2, 0, &[(limit, step, trips)])])
            .unwrap();
        let expected: Vec<u64> = (0..trips)
            .map(|n| u64::from((limit + n * step) & limit))
            .collect();
        assert_eq!(addresses(&elements), expected, "step {step}, trips {trips}");
    }
}

#[test]
fn ttu_059_random_nests_with_equality_and_trips_equal_counted_loops() {
    let mask = 0xffff;
    let mut bench = Bench::new(&ONE_SET, 5);
    let mut rng = bench.dut.rng();
    for round in 0..100 {
        let mut rows = Vec::new();
        let mut expected = Vec::new();
        for number in 0..4_u8 {
            let test = [EndTest::Equal, EndTest::Trips, EndTest::AtLeast][rng.random_range(0..3)];
            let mut loops: Vec<(u32, u32, u32)> = Vec::new();
            for _ in 0..rng.random_range(0..=4) {
                let trips = rng.random_range(1..=3_u32);
                let (start, step) = match test {
                    EndTest::AtLeast => (rng.random_range(0..100), rng.random_range(1..100)),
                    // An odd step comes back to an offset after 2^16 steps only.
                    _ => (rng.random_range(0..=mask), rng.random_range(0..mask) | 1),
                };
                loops.push((start, step, trips));
            }
            let base = rng.random_range(0..=mask);
            let total: u32 = loops.iter().map(|l| l.2).product();
            for count in 0..total {
                let mut rest = count;
                let mut address = base;
                for (start, step, trips) in &loops {
                    address += start.wrapping_add((rest % trips).wrapping_mul(*step)) & mask;
                    rest /= trips;
                }
                expected.push(u64::from(address & mask));
            }
            let end = |(start, step, trips): (u32, u32, u32)| match test {
                EndTest::Trips => trips,
                _ => start.wrapping_add(trips.wrapping_mul(step)) & mask,
            };
            let registers: Vec<_> = loops.iter().map(|l| (l.0, l.1, end(*l))).collect();
            rows.push(Row {
                test,
                ..row(number, base, &registers)
            });
        }
        let elements = bench.run(&rows).unwrap();
        assert_eq!(addresses(&elements), expected, "round {round}: {rows:?}");
    }
}

#[test]
fn ttu_061_rows_in_other_registers_run_in_the_order_of_the_record() {
    for unit in units() {
        for id in ["TV1", "TV3", "TV13", "TV17"] {
            let vector = named(id);
            let mut record = record_of(&vector, EndTest::AtLeast);
            if !unit.holds(&record) {
                continue;
            }
            let mut bench = Bench::new(unit, 1);
            let mut rng = bench.dut.rng();
            let mut numbers: Vec<u8> = (0..unit.shape.rows as u8).collect();
            for _ in 0..6 {
                numbers.shuffle(&mut rng);
                for (row, number) in record.iter_mut().zip(&numbers) {
                    row.row = *number;
                }
                let elements = bench.run(&record).unwrap();
                assert_eq!(addresses(&elements), vector.addresses, "{id}, {numbers:?}");
                let order: Vec<usize> = record.iter().map(|r| r.row.into()).collect();
                assert_eq!(row_runs(&elements), order);
                let phase = |kind| match kind {
                    RowKind::Prologue => 0,
                    RowKind::Tensor => 1,
                    RowKind::Epilogue => 2,
                };
                assert!(elements.is_sorted_by_key(|e| phase(e.kind)), "{id}");
            }
        }
    }
}

#[test]
fn ttu_055_offset_only_leaves_the_base_to_the_processing_unit() {
    let bare = TraversalInputs {
        offset_only: true,
        ..starting()
    };
    for unit in [&*PLAIN, &*SMALL, &*ONE_SET] {
        let mut record = record_of(&named("TV3"), EndTest::AtLeast);
        for (row, base) in record.iter_mut().zip([1000, 20_000, 65_530]) {
            row.base = base;
        }
        let mut bench = Bench::new(unit, 1);
        let full = bench.run(&record).unwrap();
        let offsets = bench.collect(&bare).unwrap();
        assert_eq!(addresses(&offsets), named("TV3").addresses);
        for (offset, full) in offsets.iter().zip(&full) {
            let base = u64::from(record[full.row].base);
            assert_eq!((offset.address + base) & 0xffff, full.address);
        }
        // The bases are still there.
        let again = bench.collect(&starting()).unwrap();
        assert_eq!(addresses(&again), addresses(&full));
    }
}

#[test]
fn ttu_062_a_record_without_attached_rows_follows_one_with_them() {
    for unit in units_with_options() {
        let mut bench = Bench::new(unit, 1);
        let vector = named("TV3");
        let mut record = record_of(&vector, EndTest::AtLeast);
        let plain = record.clone();
        record[0].attach = Some(0);
        record[2].attach = Some(1);
        for _ in 0..2 {
            let elements = bench.run(&record).unwrap();
            assert_eq!(row_runs(&elements).len(), 6 + 1 + 3);
            let elements = bench.run(&plain).unwrap();
            assert_eq!(addresses(&elements), vector.addresses);
        }
    }
}

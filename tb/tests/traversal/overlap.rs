//! Traversals that follow each other, two sets of registers, stops.

use heddle_sim::traversal::TraversalInputs;
use heddle_sim::traversal::vectors::named;

use super::bench::{
    Bench, FULL, ONE_SET, PLAIN, SMALL, Unit, addresses, loop_writes, row, starting, taking, units,
    writes,
};
use crate::rtl::{Checked, OrPanic, check_mutants};

/// The engines with two sets of registers.
fn double() -> [&'static Unit; 2] {
    [&*FULL, &*SMALL]
}

#[test]
fn back_to_back_traversals_have_no_gap_and_writes_do_not_disturb() {
    for unit in double() {
        let mut bench = Bench::new(unit, 1);
        let mut expected = Vec::new();
        let mut seen = Vec::new();
        bench.configure(&[row(0, 1, &[(0, 1, 60)])]).unwrap();
        expected.extend(1..61);
        let start = bench.dut.cycle();
        // While one traversal runs the next record is written and its start waits.
        for round in 0..6_u32 {
            let outputs = bench.step(&starting()).unwrap();
            assert!(outputs.cfg_ready, "round {round}: the last start was heard");
            assert_eq!(outputs.load, round == 0);
            assert!(
                round == 0 || !seen.is_empty(),
                "round {round}: nothing runs"
            );
            seen.extend(outputs.element);
            while !bench.cfg_ready() {
                seen.extend(bench.step(&taking()).unwrap().element);
            }
            let number = (round % 3) as u8;
            let base = 100 * (round + 1);
            let record = [row(number, base, &[(0, 1, 10), (0, 10, 30 + round)])];
            seen.extend(bench.configure(&record).unwrap());
            let last = 3 + u64::from(round > 0);
            expected.extend((0..10 * last).map(|n| n + u64::from(base)));
        }
        let outputs = bench.step(&starting()).unwrap();
        seen.extend(outputs.element);
        loop {
            let outputs = bench.step(&taking()).unwrap();
            if !outputs.busy {
                break;
            }
            seen.extend(outputs.element);
        }
        assert_eq!(addresses(&seen), expected);
        // From the first address on one came in every clock; the cycle that is not busy is one more.
        let first = start + unit.shape.latency() as u64 + 1;
        assert_eq!(bench.dut.cycle() - first, expected.len() as u64 + 1);
        let ends = seen.iter().filter(|e| e.end).count();
        assert_eq!(ends, 7);
    }
}

#[test]
fn one_address_per_clock_over_the_border_of_the_shortest_traversals() {
    for unit in double() {
        for (count, record) in [
            (1, vec![row(0, 5, &[])]),
            (2, vec![row(1, 5, &[(0, 1, 2)])]),
            (2, vec![row(1, 5, &[]), row(0, 6, &[])]),
        ] {
            let mut bench = Bench::new(unit, 1);
            bench.configure(&record).unwrap();
            let mut seen = 0;
            let cycles = 50;
            for cycle in 0..cycles {
                // Every cycle asks for a start; those that come too early are not heard.
                let outputs = bench.step(&starting()).unwrap();
                let valid = cycle > unit.shape.latency();
                assert_eq!(outputs.element.is_some(), valid, "cycle {cycle}");
                seen += usize::from(outputs.element.is_some_and(|e| e.end));
            }
            assert_eq!(seen, (cycles - 1 - unit.shape.latency()) / count);
        }
    }
}

#[test]
fn cfg_ready_is_low_while_a_start_waits_and_with_one_set_while_busy() {
    let record = [row(0, 0, &[(0, 1, 4)])];
    for unit in units() {
        let mut bench = Bench::new(unit, 1);
        bench.configure(&record[..]).unwrap();
        let latency = unit.shape.latency();
        for cycle in 0..30 {
            // Starts in cycles 0 and 2; with one set the second is not heard.
            let start = cycle == 0 || cycle == 2;
            let outputs = bench.step(&TraversalInputs { start, ..taking() }).unwrap();
            let ready = match unit.shape.double {
                true => !(3..=4).contains(&cycle),
                false => !(1..=latency + 4).contains(&cycle),
            };
            assert_eq!(outputs.cfg_ready, ready, "cycle {cycle}");
            let runs = if unit.shape.double { 2 } else { 1 };
            let busy = (1..=latency + 4 * runs).contains(&cycle);
            assert_eq!(outputs.busy, busy, "cycle {cycle}");
        }
    }
}

#[proves("TTU-055")]
#[test]
fn a_waiting_start_keeps_its_choice_of_the_base() {
    for unit in double() {
        let mut bench = Bench::new(unit, 1);
        bench.configure(&[row(0, 100, &[(0, 1, 6)])]).unwrap();
        let start = |offset_only| TraversalInputs {
            offset_only,
            ..starting()
        };
        let mut seen = Vec::new();
        for inputs in [start(false), start(true), start(false), start(false)] {
            seen.extend(bench.step(&inputs).unwrap().element);
        }
        for cycle in 0..20 {
            let inputs = TraversalInputs {
                offset_only: cycle % 3 == 0,
                ..taking()
            };
            seen.extend(bench.step(&inputs).unwrap().element);
        }
        let expected: Vec<u64> = (100..106).chain(0..6).collect();
        assert_eq!(addresses(&seen), expected);
    }
}

#[test]
fn stop_ends_at_any_time_and_the_registers_stay() {
    for unit in [&*PLAIN, &*SMALL, &*ONE_SET, &*FULL] {
        let mut record = named("TV3").rows;
        if unit.shape.attach {
            record[0].attach = Some(1);
        }
        let mut bench = Bench::new(unit, 1);
        let expected = addresses(&bench.run(&record).unwrap());
        let period = expected.len() + unit.shape.latency() + 3;
        for phase in 0..2 * period {
            let mut inputs = starting();
            for cycle in 0..=phase {
                // With two sets of registers a second start waits.
                inputs.start = cycle == 0 || cycle == 5;
                inputs.ready = phase % 3 > 0 || cycle % 2 > 0;
                inputs.stop = cycle == phase;
                bench.step(&inputs).unwrap();
            }
            for _ in 0..3 {
                let outputs = bench.step(&taking()).unwrap();
                assert!(!outputs.busy && outputs.element.is_none(), "phase {phase}");
            }
            let elements = bench.collect(&starting()).unwrap();
            assert_eq!(addresses(&elements), expected, "phase {phase}");
        }
    }
}

#[test]
fn clear_with_stop_forgets_all_rows_at_any_time() {
    for unit in units() {
        let mut bench = Bench::new(unit, 1);
        let record = [row(0, 9, &[(3, 1, 8)])];
        for phase in 0..24 {
            bench.configure(&record).unwrap();
            let mut inputs = starting();
            for cycle in 0..=phase {
                inputs.start = cycle == 0 || cycle == 3;
                inputs.stop = cycle == phase;
                inputs.clear = cycle == phase;
                bench.step(&inputs).unwrap();
            }
            for _ in 0..3 {
                let outputs = bench.step(&starting()).unwrap();
                assert!(!outputs.busy && !outputs.load, "phase {phase}");
            }
            // Loops that are not written hold 0 again.
            let elements = bench.run(&[row(0, 50, &[])]).unwrap();
            assert_eq!(addresses(&elements), [50]);
        }
    }
}

/// Writes to rows and loops that do not exist, then runs a vector.
fn write_beside(unit: &Unit) -> Checked {
    let record = named("TV1").rows;
    let mut bench = Bench::new(unit, 1);
    bench.configure(&record)?;
    let shape = unit.shape;
    for (number, column) in [(shape.rows, 0), (7, 1), (1, shape.loops), (0, 7)] {
        let beside = row(number as u8, 77, &[(1, 1, 200); 8]);
        if number >= shape.rows {
            bench.write(writes(std::slice::from_ref(&beside))[0])?;
        }
        for write in loop_writes(&beside, column) {
            bench.write(write)?;
        }
    }
    let elements = bench.collect(&starting())?;
    assert_eq!(addresses(&elements), named("TV1").addresses);
    Ok(())
}

#[test]
fn writes_beside_the_engine_change_nothing() {
    for unit in [&*PLAIN, &*SMALL, &*ONE_SET] {
        write_beside(unit).or_panic();
    }
}

#[test]
fn listing_of_a_row_that_does_not_exist_is_noticed() {
    let fault = (
        "heddle_traversal_engine",
        "write_base & row_exists",
        "write_base",
    );
    check_mutants(&PLAIN.sources, &[fault], |sources, _| {
        write_beside(&Unit {
            sources: sources.clone(),
            ..PLAIN.clone()
        })
    });
}

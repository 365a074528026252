//! Addresses, clocks and refusals of the offset unit.

use super::{MASKS, STEPS, WEIGHTS, loaded, options};
use heddle_sim::offsets::examples::{self, Lists};
use heddle_sim::offsets::expand::nest;
use heddle_sim::offsets::{Kind, OffsetState, Refusal, RowsModel, Run, UnitOptions, Write};

/// Addresses of a row in the order of its reads.
fn addresses(run: &Run, row: usize) -> Vec<u32> {
    let steps = run.slots.iter().filter(|slot| slot.load.is_none());
    steps.filter_map(|slot| slot.rows[row]).collect()
}

/// What the rows read, clock by clock, from the first step on; -1 is no step.
fn trace(run: Run, options: &UnitOptions) -> Vec<Vec<i32>> {
    let mut rows = RowsModel::new(run, options.rows, options.broadcast);
    let mut trace = Vec::new();
    while !rows.outputs().finished {
        rows.step(true);
        let outputs = rows.outputs();
        let read = |address: Option<u32>| address.map_or(-1, |address| address as i32);
        trace.push(outputs.rows.iter().map(|row| read(row.address)).collect());
    }
    let idle = |clock: &Vec<i32>| clock.iter().all(|address| *address < 0);
    let first = trace.iter().position(|clock| !idle(clock)).unwrap_or(0);
    let last = trace.iter().rposition(|clock| !idle(clock)).unwrap_or(0);
    trace[first..=last].to_vec()
}

#[test]
fn sgcr_10_addresses_are_those_of_the_small_example() {
    for rows in [1, 2, 3, 4, 7] {
        let run = loaded(&options(rows, 1), &examples::small(), 1, 0).start();
        let run = run.expect("the run is legal");
        for thread in 0..4 {
            let tile = addresses(&run, thread % rows);
            let found = tile.chunks(9).nth(thread / rows).unwrap_or_default();
            let expected: Vec<u32> = examples::SMALL_ADDRESSES
                .iter()
                .map(|k| k[thread])
                .collect();
            assert_eq!(found, expected, "{rows} rows, thread {thread}");
        }
        assert_eq!(run.reads(), 36);
    }
}

#[test]
fn sgcr_11_steps_give_the_addresses_of_offsets_and_must_not_be_mixed_up_with_them() {
    let steps = examples::small().steps();
    let values: Vec<i32> = steps.offsets.iter().map(|offset| offset.0).collect();
    assert_eq!(values, examples::SMALL_STEPS);
    for mode in [0, WEIGHTS] {
        let options = options(4, 1);
        let absolute = loaded(&options, &examples::small(), 3, mode).start();
        let running = loaded(&options, &steps, 3, mode | STEPS).start();
        let slots = |run: Result<Run, Refusal>| run.expect("the run is legal").slots;
        assert_eq!(slots(absolute), slots(running), "mode {mode}");
    }
    let mixed = loaded(&options(4, 1), &examples::small(), 1, STEPS).start();
    let mixed = mixed.expect("the run is legal");
    assert_eq!(addresses(&mixed, 0), examples::SMALL_MIXED);
}

#[test]
fn sgcr_10_sgcr_45_thread_17_and_the_tiles_of_the_asymmetric_example() {
    let run = loaded(&options(16, 2), &examples::asymmetric(), 2, 0).start();
    let run = run.expect("the run is legal");
    assert_eq!(addresses(&run, 1)[12..], examples::ASYMMETRIC_17);
    assert_eq!((run.steps(), run.reads()), (24, 288));
    assert_eq!((run.base_reads.len(), run.offset_reads.len()), (24, 24));
    let run = loaded(&options(3, 1), &examples::small(), 1, 0).start();
    assert_eq!(run.expect("the run is legal").reads(), 36);
}

#[test]
fn sgcr_47_masks_leave_49_of_81_reads() {
    for (mode, rows) in [(0, 9), (0, 4), (WEIGHTS, 4), (WEIGHTS, 9)] {
        let run = loaded(&options(rows, 1), &examples::padded(), 1, mode | MASKS).start();
        let run = run.expect("the run is legal");
        assert_eq!(run.reads(), 49);
        if mode == 0 && rows == 9 {
            for (thread, expected) in examples::PADDED_ADDRESSES.iter().enumerate() {
                let expected: Vec<u32> = expected
                    .iter()
                    .filter_map(|address| u32::try_from(*address).ok())
                    .collect();
                assert_eq!(addresses(&run, thread), expected, "thread {thread}");
            }
        }
    }
}

#[test]
fn sgcr_44_sgcr_54_sgcr_55_clocks_of_skew_and_broadcast() {
    let skew = options(4, 1);
    let run = loaded(&skew, &examples::small(), 1, 0).start();
    assert_eq!(trace(run.expect("the run is legal"), &skew), examples::SKEW);

    let broadcast = UnitOptions {
        broadcast: true,
        ..skew
    };
    let run = loaded(&broadcast, &examples::small(), 1, 0).start();
    let expected = examples::SMALL_ADDRESSES.map(|clock| clock.map(|address| address as i32));
    assert_eq!(trace(run.expect("the run is legal"), &broadcast), expected);

    let run = loaded(&skew, &examples::small(), 1, WEIGHTS).start();
    let run = run.expect("the run is legal");
    assert_eq!((run.steps(), run.reads()), (12, 36));
    assert_eq!((run.base_reads.len(), run.offset_reads.len()), (12, 9));
    let words: Vec<u16> = run.slots.iter().filter_map(|slot| slot.word).collect();
    assert_eq!(words, (0..12).collect::<Vec<u16>>());
    let all = trace(run, &skew);
    // Four load slots lie between the tiles of four steps.
    assert_eq!(all[8..15], examples::STATIONARY_TILE_1.map(Vec::from));
    let last = examples::STATIONARY_TILE_2.map(|address| vec![address as i32, -1, -1, -1]);
    assert_eq!(all[16..], last);
}

#[test]
fn a_run_without_waiting_takes_the_documented_clocks() {
    for broadcast in [false, true] {
        for mode in [0, WEIGHTS] {
            let options = UnitOptions {
                broadcast,
                ..options(5, 3)
            };
            let run = loaded(&options, &examples::asymmetric(), 7, mode).start();
            let run = run.expect("the run is legal");
            let mut rows = RowsModel::new(run, 5, broadcast);
            let mut clocks = 0;
            while !rows.outputs().finished {
                rows.step(true);
                clocks += 1;
            }
            let slots = match mode {
                0 => 5 * (5 + 3 * 12),
                _ => 3 * 3 * (5 + 24),
            };
            // The last clock is the one behind the last slot.
            assert_eq!(clocks, slots + if broadcast { 1 } else { 5 });
        }
    }
}

#[test]
fn a_step_waits_where_the_document_says() {
    let options = UnitOptions {
        broadcast: true,
        ..options(2, 1)
    };
    let run = loaded(&options, &examples::small(), 1, 0).start();
    let mut rows = RowsModel::new(run.expect("the run is legal"), 2, true);
    // Load slots pass while nobody is ready, the first step stays.
    for _ in 0..10 {
        rows.step(false);
    }
    assert_eq!(rows.sent(), 3);
    assert_eq!(rows.outputs().rows[1].address, Some(1));
    rows.step(true);
    assert_eq!(rows.outputs().rows[1].address, Some(2));

    let skew = UnitOptions {
        broadcast: false,
        ..options
    };
    let run = loaded(&skew, &examples::small(), 1, 0).start();
    let mut rows = RowsModel::new(run.expect("the run is legal"), 2, false);
    rows.step(false);
    assert_eq!(rows.sent(), 0);
    rows.step(true);
    assert_eq!(rows.sent(), 1);
}

#[test]
fn starts_and_writes_that_are_refused() {
    let mut state = loaded(&options(4, 1), &examples::small(), 1, 0);
    let mut refused = |changes: &[(u16, u32)], expected| {
        for (index, value) in changes {
            state.write(&Write::register(*index, *value), false);
        }
        assert_eq!(state.start().err(), Some(expected), "{changes:?}");
    };
    refused(&[(2, 0)], Refusal::Count);
    refused(&[(2, 4), (3, 0)], Refusal::Count);
    refused(&[(3, 9), (4, 0)], Refusal::Count);
    refused(&[(4, 1), (5, 1021)], Refusal::Bases);
    refused(&[(5, 0), (6, 504)], Refusal::Offsets);
    refused(&[(6, 0), (7, 4)], Refusal::Mode);
    refused(&[(7, 0), (8, 8)], Refusal::Mode);
    state.write(&Write::register(8, 0), false);
    assert!(!state.refused && state.start().is_ok());

    let mut bare = OffsetState::new(&UnitOptions::new(2, 2));
    let write = |kind, index| Write {
        kind,
        index,
        ..Write::register(0, 1)
    };
    for (kind, index, accepted) in [
        (Kind::Register, 8, true),
        (Kind::Register, 9, false),
        (Kind::Register, 16, false),
        (Kind::Register, 25, false),
        (Kind::Base, 1023, true),
        (Kind::Base, 1024, false),
        (Kind::Offset, 511, true),
        (Kind::Offset, 512, false),
        (Kind::Nothing, 0, false),
    ] {
        bare.refused = false;
        bare.write(&write(kind, index), false);
        assert_eq!(bare.refused, !accepted, "{kind:?} {index}");
        bare.write(&write(kind, index), true);
        assert!(bare.refused);
    }
}

#[test]
fn sgcr_49_sgcr_50_nests_and_repeats_give_the_lists_of_the_asymmetric_example() {
    let values = |list: &[(i32, u16, u16)]| -> Vec<i64> {
        list.iter().map(|entry| entry.0.into()).collect()
    };
    let lists = examples::asymmetric();
    assert_eq!(nest(0, [3, 4, 2], [4, 6, 118]), values(&lists.bases));
    assert_eq!(nest(0, [3, 2, 2], [2, 24, 52]), values(&lists.offsets));

    let mut state = OffsetState::new(&options(4, 1));
    let mut expand = |registers: [u32; 9], repeat| {
        for (index, value) in (16..).zip(registers) {
            state.write(&Write::register(index, value), false);
        }
        let expanded = state.write(&Write::register(25, repeat), false);
        expanded.map(|expanded| (expanded.entries, expanded.cut, expanded.clocks))
    };
    assert_eq!(
        expand([1, 0, 0, 3, 4, 4, 6, 1, 0], 0),
        Some((12, false, 12))
    );
    assert_eq!(
        expand([1, 12, 0, 12, 168, 1, 0, 0, 0], 1),
        Some((12, false, 36))
    );
    assert_eq!(
        expand([2, 0, 0, 3, 2, 2, 24, 2, 52], 0),
        Some((12, false, 12))
    );
    // Nothing, no such table, nothing to repeat, beyond the table.
    assert_eq!(
        expand([2, 0, 0, 3, 2, 0, 24, 2, 52], 0),
        Some((0, false, 0))
    );
    assert_eq!(expand([3, 0, 0, 3, 2, 2, 24, 2, 52], 0), None);
    assert_eq!(expand([1, 5, 0, 6, 1, 1, 0, 0, 0], 1), None);
    assert_eq!(expand([2, 510, 0, 3, 1, 1, 0, 1, 0], 0), Some((2, true, 3)));
    assert_eq!(
        expand([1, 1022, 0, 4, 0, 2, 0, 0, 0], 1),
        Some((2, true, 9))
    );
    let found = |table: &[Option<heddle_sim::offsets::Entry>], length: usize| -> Vec<i64> {
        let entries = table[..length].iter();
        entries
            .map(|entry| entry.expect("written").value.into())
            .collect()
    };
    assert_eq!(found(&state.bases, 24), values(&lists.bases));
    assert_eq!(found(&state.offsets, 12), values(&lists.offsets));
}

#[test]
fn shifts_and_origins_are_added_modulo_the_address() {
    let lists = Lists::plain(&[0, 100], &[0, 3]);
    let mut state = loaded(&options(2, 1), &lists, 1, 0);
    state.write(&Write::register(0, 0xff00), false);
    state.write(&Write::register(7, 2), false);
    let run = state.start().expect("the run is legal");
    assert_eq!(addresses(&run, 0), [0xff00, 0xff0c]);
    assert_eq!(addresses(&run, 1), [0x0090, 0x009c]);
}

//! The worked traces of the specification.

use super::bench::{
    BASES, Bench, Job, MASKS, OFFSETS, Outputs, Pass, RUNNING, WEIGHT_STATIONARY, first_step, full,
    plain, reads, steps, weights,
};

/// A trace: one line for each clock, a number or `-` for each row.
#[track_caller]
fn check_trace(clocks: &[Outputs], from: usize, trace: &str) {
    for (i, line) in trace.trim().lines().enumerate() {
        let expected: Vec<Option<u64>> = line.split_whitespace().map(|a| a.parse().ok()).collect();
        assert_eq!(clocks[from + i].addresses(), expected, "line {i}");
    }
}

/// Addresses of row `row` in the order of its steps.
fn addresses(clocks: &[Outputs], row: usize) -> Vec<Option<u64>> {
    steps(clocks, row).iter().map(|slot| slot.address).collect()
}

const TWO_ROWS: [&str; 2] = [
    "0 1\n 1 2\n 2 3\n 4 5\n 5 6\n 6 7\n 8 9\n 9 10\n 10 11",
    "4 5\n 5 6\n 6 7\n 8 9\n 9 10\n 10 11\n 12 13\n 13 14\n 14 15",
];

#[test]
fn sgcr_10_sgcr_12_sgcr_15_sgcr_44_broadcast_to_two_rows_gives_the_worked_trace() {
    let job = Job::new(&BASES, &OFFSETS, 1, 0);
    let clocks = Bench::<16>::new(&plain(2, 1, true)).do_job(&job);
    let from = first_step(&clocks);
    check_trace(&clocks, from, TWO_ROWS[0]);
    // The next row tile follows behind its two load slots.
    check_trace(&clocks, from + 9, "- -\n - -");
    check_trace(&clocks, from + 11, TWO_ROWS[1]);
    assert_eq!((steps(&clocks, 0).len(), reads(&clocks)), (18, 36));
    let words: Vec<u64> = (0..9).chain(0..9).collect();
    assert_eq!(weights(&clocks), words);
    let passes: Vec<Pass> = clocks.iter().filter_map(|clock| clock.pass).collect();
    let pass = |held| Pass {
        held,
        channel: 0,
        sum_first: true,
        sum_last: true,
    };
    assert_eq!(passes, [[pass(0); 9], [pass(2); 9]].concat());
}

#[test]
fn sgcr_44_broadcast_to_four_rows_takes_nine_steps() {
    let job = Job::new(&BASES, &OFFSETS, 1, 0);
    let clocks = Bench::<16>::new(&plain(4, 1, true)).do_job(&job);
    let from = first_step(&clocks);
    for k in 0..9 {
        let expected = BASES.map(|base| Some((base + OFFSETS[k]) as u64));
        assert_eq!(clocks[from + k].addresses(), expected);
        let rows = &clocks[from + k].rows;
        let marks = rows.iter().map(|slot| slot.expect("a step"));
        assert!(marks.clone().all(|slot| slot.first == (k == 0)));
        assert!(marks.clone().all(|slot| slot.last == (k == 8)));
    }
    assert_eq!((steps(&clocks, 3).len(), reads(&clocks)), (9, 36));
    assert_eq!(weights(&clocks), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
}

#[test]
fn sgcr_44_skew_gives_the_worked_trace() {
    let job = Job::new(&BASES, &OFFSETS, 1, 0);
    let clocks = Bench::<16>::new(&plain(4, 1, false)).do_job(&job);
    let trace = "
        0  -  -  -
        1  1  -  -
        2  2  4  -
        4  3  5  5
        5  5  6  6
        6  6  8  7
        8  7  9  9
        9  9 10 10
       10 10 12 11
        - 11 13 13
        -  - 14 14
        -  -  - 15";
    let from = first_step(&clocks);
    check_trace(&clocks, from, trace);
    assert_eq!(from + 12, clocks.len() - 1, "done follows at once");
    assert_eq!((reads(&clocks), weights(&clocks).len()), (36, 9));
}

#[test]
fn sgcr_45_rows_beyond_the_end_do_not_read() {
    // Example 5.4: three rows, the second tile has one thread.
    for broadcast in [false, true] {
        let job = Job::new(&BASES, &OFFSETS, 1, 0);
        let clocks = Bench::<16>::new(&plain(3, 1, broadcast)).do_job(&job);
        assert_eq!((steps(&clocks, 2).len(), reads(&clocks)), (18, 36));
        assert!(addresses(&clocks, 2)[9..].iter().all(Option::is_none));
        assert_eq!(addresses(&clocks, 0)[9], Some(5));
    }
}

#[test]
fn sgcr_54_sgcr_55_weight_stationary_gives_the_worked_trace() {
    let job = Job::new(&BASES, &OFFSETS, 1, WEIGHT_STATIONARY);
    let clocks = Bench::<16>::new(&plain(4, 1, false)).do_job(&job);
    let from = first_step(&clocks);
    // K tile 1 comes 4 load slots and 4 steps later.
    let trace = "
        5  -  -  -
        6  6  -  -
        9  7  8  -
       10 10  9  9
        - 11 12 10
        -  - 13 13
        -  -  - 14";
    check_trace(&clocks, from + 8, trace);
    let trace = "
       10  -  -  -
       11  -  -  -
       14  -  -  -
       15  -  -  -
        -  -  -  -";
    check_trace(&clocks, from + 16, trace);
    assert_eq!((steps(&clocks, 0).len(), reads(&clocks)), (12, 36));
    let words: Vec<_> = clocks.iter().filter_map(|clock| clock.weight).collect();
    let expected: Vec<(u64, u64)> = (0..12).map(|word| (word, word % 4)).collect();
    assert_eq!(words, expected);
    let passes: Vec<Pass> = clocks.iter().filter_map(|clock| clock.pass).collect();
    for (step, pass) in passes.into_iter().enumerate() {
        let tile = step / 4;
        let expected = Pass {
            held: 4 * tile as u64,
            channel: 0,
            sum_first: tile == 0,
            sum_last: tile == 2,
        };
        assert_eq!(pass, expected);
    }
}

/// Example 5.3 in elements; its addresses are in bytes.
fn asymmetric() -> (Vec<i64>, [i64; 12], [i64; 12]) {
    let image = [0, 2, 4, 7, 9, 11, 14, 16, 18, 21, 23, 25];
    let bases = image.into_iter().chain(image.map(|base| base + 84));
    let offsets = [0, 1, 2, 14, 15, 16, 42, 43, 44, 56, 57, 58];
    let steps = [0, 1, 1, 12, 1, 1, 26, 1, 1, 12, 1, 1];
    (bases.collect(), offsets, steps)
}

#[test]
fn sgcr_06_sgcr_11_steps_give_the_addresses_of_offsets_in_every_pass() {
    let (bases, offsets, list) = asymmetric();
    for (rows, broadcast) in [(1, false), (5, false), (16, false), (4, true)] {
        for stationary in [0, WEIGHT_STATIONARY] {
            let mut bench = Bench::<16>::new(&full(rows, 1, broadcast));
            let mut job = Job::new(&bases, &list, 2, stationary | RUNNING);
            job.shift = 1;
            let running = bench.do_job(&job);
            let mut job = Job::new(&bases, &offsets, 2, stationary);
            job.shift = 1;
            let absolute = bench.do_job(&job);
            assert_eq!(running, absolute, "{rows} rows, mode {stationary}");
            assert_eq!(reads(&running), 2 * 288);
            let largest = absolute.iter().flat_map(Outputs::addresses).flatten().max();
            assert_eq!(largest, Some(334));
            if rows == 1 && stationary == 0 {
                // Thread 17, second column tile.
                let thread = &addresses(&running, 0)[17 * 24 + 12..18 * 24];
                let expected = [190, 192, 194, 218, 220, 222, 274, 276, 278, 302, 304, 306];
                assert_eq!(thread, expected.map(Some));
            }
        }
    }
}

#[test]
fn sgcr_51_steps_are_signed() {
    // NHWC of 5.6, and bases below the origin.
    let steps_list = [0, 4, -3, 4, -3, 4, -3, 4];
    let offsets = [0, 4, 1, 5, 2, 6, 3, 7];
    let bases = [0, 4, 12, 16, -24, 28, 36, -2];
    for mode in [0, WEIGHT_STATIONARY] {
        let mut bench = Bench::<16>::new(&full(3, 2, false));
        let mut job = Job::new(&bases, &steps_list, 3, mode | RUNNING);
        job.a_origin = 100;
        let running = bench.do_job(&job);
        let mut job = Job::new(&bases, &offsets, 3, mode);
        job.a_origin = 100;
        assert_eq!(running, bench.do_job(&job));
        let expected: u64 = bases
            .iter()
            .flat_map(|b| offsets.map(|o| (100 + b + o) as u64))
            .sum();
        let sum: u64 = running.iter().flat_map(Outputs::addresses).flatten().sum();
        assert_eq!(sum, 2 * expected, "two column tiles");
    }
}

#[test]
fn sgcr_31_sgcr_42_addresses_move_with_the_origin_and_wrap_at_their_width() {
    let mut bench = Bench::<24>::new(&heddle_hdl::offsets::OffsetShape {
        address_bits: 24,
        ..plain(2, 1, false)
    });
    let mut job = Job::new(&[0, -1], &[0, 70000], 1, 0);
    let near = bench.do_job(&job);
    assert_eq!(addresses(&near, 1), [Some(0xff_ffff), Some(69999)]);
    job.a_origin = 0xff_0000;
    let far = bench.do_job(&job);
    let sum = (0xff_0000u64 + 70000) & 0xff_ffff;
    assert_eq!(addresses(&far, 0), [Some(0xff_0000), Some(sum)]);
}

/// Example 5.5: base, row mask, column mask (bit v, bit u) and addresses.
const PADDED: [(i64, u64, u64, &str); 9] = [
    (-4, 0b110, 0b110, "- - - - 0 1 - 3 4"),
    (-3, 0b110, 0b111, "- - - 0 1 2 3 4 5"),
    (-2, 0b110, 0b011, "- - - 1 2 - 4 5 -"),
    (-1, 0b111, 0b110, "- 0 1 - 3 4 - 6 7"),
    (0, 0b111, 0b111, "0 1 2 3 4 5 6 7 8"),
    (1, 0b111, 0b011, "1 2 - 4 5 - 7 8 -"),
    (2, 0b011, 0b110, "- 3 4 - 6 7 - - -"),
    (3, 0b011, 0b111, "3 4 5 6 7 8 - - -"),
    (4, 0b011, 0b011, "4 5 - 7 8 - - - -"),
];

fn padded(mode: u64) -> Job {
    let bases = PADDED.map(|line| line.0);
    let mut job = Job::new(&bases, &[0, 1, 2, 3, 4, 5, 6, 7, 8], 1, mode);
    job.base_masks = PADDED.iter().map(|line| (line.1, line.2)).collect();
    job.taps = (0..9).map(|k| (k / 3, k % 3)).collect();
    job
}

#[test]
fn sgcr_47_padded_taps_are_not_read() {
    for (rows, broadcast) in [(1, false), (3, false), (4, true), (9, true)] {
        let clocks = Bench::<16>::new(&full(rows, 1, broadcast)).do_job(&padded(MASKS));
        for (m, line) in PADDED.iter().enumerate() {
            let found = &addresses(&clocks, m % rows)[m / rows * 9..][..9];
            let expected: Vec<Option<u64>> =
                line.3.split_whitespace().map(|a| a.parse().ok()).collect();
            assert_eq!(found, expected, "thread {m}, {rows} rows");
        }
        assert_eq!(reads(&clocks), 49);
    }
}

#[test]
fn sgcr_56_masks_travel_with_the_bases_when_offsets_are_held() {
    let clocks = Bench::<16>::new(&full(4, 1, false)).do_job(&padded(MASKS | WEIGHT_STATIONARY));
    for k in 0..9 {
        let found = &addresses(&clocks, k % 4)[k / 4 * 9..][..9];
        let expected: Vec<Option<u64>> = PADDED
            .iter()
            .map(|line| line.3.split_whitespace().nth(k)?.parse().ok())
            .collect();
        assert_eq!(found, expected, "tap {k}");
    }
    assert_eq!(reads(&clocks), 49);
}

#[test]
fn masks_count_only_if_the_mode_says_so() {
    let clocks = Bench::<16>::new(&full(3, 1, false)).do_job(&padded(0));
    assert_eq!(reads(&clocks), 81);
}

#[test]
fn sgcr_23_sgcr_43_one_load_of_the_tables_serves_many_runs() {
    let mut bench = Bench::<16>::new(&plain(4, 2, false));
    let job = Job::new(&BASES, &OFFSETS, 3, 0);
    let first = bench.do_job(&job);
    bench.unit.ready_i.next = true;
    bench.tick();
    assert_eq!(bench.run(|_| true), first);
    // A start in the clock of done_o is heard.
    bench.unit.ready_i.next = true;
    assert_eq!(bench.run(|_| true), first);
}

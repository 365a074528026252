//! Refused writes, refused starts, stalls and clocks.

use super::bench::{
    BASE, BASES, Bench, Job, MASKS, OFFSET, OFFSETS, Outputs, REGISTER, RUNNING, WEIGHT_STATIONARY,
    first_step, full, plain, reads, steps,
};

fn error<const A: usize>(bench: &Bench<A>) -> u64 {
    bench.unit.error_o.val().to_u64()
}

#[test]
fn sgcr_01_a_write_during_a_run_changes_nothing_and_is_told() {
    let mut bench = Bench::<16>::new(&full(2, 1, false));
    let job = Job::new(&BASES, &OFFSETS, 2, 0);
    let clean = bench.do_job(&job);
    assert!(!bench.unit.refused_o.val());
    for (kind, index) in [(REGISTER, 2), (BASE, 3), (OFFSET, 8), (REGISTER, 25)] {
        bench.start();
        bench.unit.ready_i.next = true;
        assert!(
            bench.unit.wr_ready_o.val(),
            "the write is taken from the port"
        );
        bench.write(kind, index, 1);
        assert!(bench.unit.refused_o.val(), "kind {kind}");
        while bench.unit.busy_o.val() {
            bench.tick();
        }
        assert!(bench.unit.refused_o.val(), "it stays");
        assert_eq!(bench.run(|_| true), clean, "kind {kind}");
        assert!(!bench.unit.refused_o.val(), "until the next start");
    }
}

#[test]
fn a_write_in_the_clock_of_a_start_is_refused() {
    let mut bench = Bench::<16>::new(&plain(2, 1, false));
    let job = Job::new(&BASES, &OFFSETS, 1, 0);
    let clean = bench.do_job(&job);
    bench.offer(REGISTER, 2, 1, (0, 0));
    bench.start();
    bench.unit.wr_valid_i.next = false;
    assert!(bench.unit.refused_o.val() && bench.unit.busy_o.val());
    while bench.unit.busy_o.val() {
        bench.tick();
    }
    assert_eq!(bench.run(|_| true), clean);
}

#[test]
fn writes_to_what_is_not_there_are_refused() {
    // 64 bases, 32 offsets.
    let cases = [
        (REGISTER, 8, false),
        (REGISTER, 9, true),
        (REGISTER, 15, true),
        (REGISTER, 24, false),
        (REGISTER, 26, true),
        (REGISTER, 0x100, true),
        (BASE, 63, false),
        (BASE, 64, true),
        (BASE, 0xffff, true),
        (OFFSET, 31, false),
        (OFFSET, 32, true),
        (3, 0, true),
    ];
    for (kind, index, refused) in cases {
        let mut bench = Bench::<16>::new(&full(2, 1, false));
        let job = Job::new(&BASES, &OFFSETS, 1, 0);
        bench.load(&job);
        bench.write(kind, index, 0);
        assert_eq!(bench.unit.refused_o.val(), refused, "{kind} {index}");
        if refused {
            let clocks = bench.run(|_| true);
            assert_eq!(reads(&clocks), 36, "{kind} {index}");
        }
    }
}

#[test]
fn impossible_runs_are_refused_with_the_reason() {
    let shape = plain(2, 1, false);
    // Register, value, code. The first fault in the order of the codes counts.
    let cases: [(&[(u64, i64)], u64); 15] = [
        (&[], 0),
        (&[(2, 0)], 1),
        (&[(3, 0)], 1),
        (&[(4, 0)], 1),
        (&[(5, 60)], 0),
        (&[(5, 61)], 2),
        (&[(5, 0xffff)], 2),
        (&[(2, 65)], 2),
        (&[(6, 23)], 0),
        (&[(6, 24)], 3),
        (&[(7, 4)], 4),
        (&[(8, RUNNING as i64)], 4),
        (&[(8, MASKS as i64)], 4),
        (&[(8, 8)], 4),
        (&[(8, 16), (6, 24), (5, 61)], 2),
    ];
    for (changes, code) in cases {
        let mut bench = Bench::<16>::new(&shape);
        bench.load(&Job::new(&BASES, &OFFSETS, 1, 0));
        for (register, value) in changes {
            bench.write(REGISTER, *register, *value);
        }
        bench.unit.ready_i.next = true;
        bench.start();
        assert_eq!(error(&bench), code, "{changes:?}");
        assert_eq!(bench.unit.busy_o.val(), code == 0, "{changes:?}");
        for _ in 0..200 {
            bench.tick();
            assert!(code == 0 || bench.outputs().rows[0].is_none());
        }
        // The error stays until a start is accepted.
        assert_eq!(error(&bench), code);
        bench.registers(&Job::new(&BASES, &OFFSETS, 1, WEIGHT_STATIONARY));
        assert_eq!(error(&bench), code);
        assert_eq!(reads(&bench.run(|_| true)), 36);
        assert_eq!(error(&bench), 0);
    }
}

#[test]
fn every_option_that_is_built_is_accepted() {
    let mut bench = Bench::<16>::new(&full(2, 1, true));
    for mode in 0..8 {
        for shift in 0..4 {
            let mut job = Job::new(&[0], &[0], 1, mode);
            job.shift = shift;
            bench.do_job(&job);
            assert_eq!(error(&bench), 0);
        }
    }
}

#[test]
fn a_start_during_a_run_is_not_heard() {
    let mut bench = Bench::<16>::new(&plain(2, 1, false));
    let clean = bench.do_job(&Job::new(&BASES, &OFFSETS, 2, 0));
    bench.unit.ready_i.next = true;
    bench.start();
    let mut clocks = vec![bench.outputs()];
    bench.unit.start_i.next = true;
    while bench.unit.busy_o.val() {
        // Not in the clock in which the run is over.
        bench.unit.start_i.next = clocks.len() % 3 == 0;
        bench.tick();
        clocks.push(bench.outputs());
    }
    bench.unit.start_i.next = false;
    assert_eq!(clocks, clean);
}

/// Clocks of a run by the formulas of docs/offsets.md.
fn clocks_of(job: &Job, rows: usize, cols: usize, broadcast: bool) -> usize {
    let (t, k) = (job.bases.len(), job.offsets.len());
    let tiles = (job.outputs as usize).div_ceil(cols);
    let behind = if broadcast { 1 } else { rows };
    if job.mode & WEIGHT_STATIONARY == 0 {
        t.div_ceil(rows) * (rows + tiles * k) + behind
    } else {
        tiles * k.div_ceil(rows) * (rows + t) + behind
    }
}

#[test]
fn sgcr_12_runs_take_the_clocks_of_the_document() {
    for (rows, cols, broadcast) in [(1, 1, false), (3, 2, false), (4, 3, true), (1, 2, true)] {
        let mut bench = Bench::<16>::new(&plain(rows, cols, broadcast));
        for (t, k, n) in [
            (1, 1, 1),
            (4, 9, 1),
            (7, 3, 5),
            (6, 4, 6),
            (3, 1, 4),
            (1, 8, 2),
        ] {
            for mode in [0, WEIGHT_STATIONARY] {
                let list = |n: i64| (0..n).collect::<Vec<_>>();
                let job = Job::new(&list(t), &list(k), n, mode);
                let clocks = bench.do_job(&job);
                // The first slot is at the head 5 clocks after the start: entry 0 is 1 clock after.
                let expected = 4 + clocks_of(&job, rows, cols, broadcast);
                assert_eq!(
                    clocks.len() - 1,
                    expected,
                    "{rows} {cols} {t} {k} {n} {mode}"
                );
                assert_eq!(first_step(&clocks), 5 + rows, "the load slots come first");
                if mode == WEIGHT_STATIONARY {
                    let word = clocks.iter().position(|clock| clock.weight.is_some());
                    assert_eq!(word, Some(5));
                }
            }
        }
    }
}

/// Rows, first weight word of each, and passes, without the clocks.
fn content(clocks: &[Outputs], rows: usize) -> (Vec<Vec<impl PartialEq + std::fmt::Debug>>, usize) {
    let of = |row| steps(clocks, row);
    let words = clocks.iter().filter(|clock| clock.weight.is_some()).count();
    ((0..rows).map(of).collect(), words)
}

#[test]
fn with_skew_the_head_waits_and_the_rows_go_on() {
    let mut bench = Bench::<16>::new(&full(3, 2, false));
    for mode in [0, WEIGHT_STATIONARY, RUNNING, RUNNING | WEIGHT_STATIONARY] {
        let job = Job::new(&BASES, &OFFSETS, 5, mode);
        let free = bench.do_job(&job);
        for seed in 1..6usize {
            // Thirds of the clocks are ready.
            let stalled = bench.run(|clock| (clock * seed + clock / 5) % 3 == 0);
            assert!(stalled.len() > 2 * free.len(), "seed {seed}");
            assert_eq!(content(&stalled, 3), content(&free, 3), "seed {seed}");
            // What is in row 0 is in row 1 a clock later, in row 2 two clocks later.
            for clocks in stalled.windows(3) {
                let there = |row: usize| clocks[row].rows[row].is_some();
                assert!(there(0) == there(1) && there(1) == there(2));
            }
        }
    }
}

#[test]
fn with_broadcast_a_step_waits_until_it_is_taken() {
    let mut bench = Bench::<16>::new(&full(3, 2, true));
    for mode in [0, WEIGHT_STATIONARY, RUNNING, RUNNING | WEIGHT_STATIONARY] {
        let job = Job::new(&BASES, &OFFSETS, 5, mode);
        let free = bench.do_job(&job);
        for seed in 1..6usize {
            let ready = |clock: usize| (clock * seed + clock / 5) % 3 == 0;
            let stalled = bench.run(ready);
            let mut taken = Vec::new();
            for (clock, outputs) in stalled.iter().enumerate() {
                if outputs.rows[0].is_some() && !ready(clock) {
                    assert_eq!(&stalled[clock + 1], outputs, "clock {clock} is held");
                } else {
                    taken.push(outputs.clone());
                }
            }
            assert!(stalled.len() > taken.len() + free.len() / 2, "seed {seed}");
            // Load slots do not wait, so that nothing but held clocks is added.
            assert_eq!(taken, free, "seed {seed}, mode {mode}");
        }
    }
}

#[test]
fn reset_stops_a_run() {
    let mut bench = Bench::<16>::new(&plain(4, 1, false));
    let clean = bench.do_job(&Job::new(&BASES, &OFFSETS, 2, 0));
    for clocks in [0, 3, 7, 12] {
        bench.unit.ready_i.next = true;
        bench.start();
        for _ in 0..clocks {
            bench.tick();
        }
        bench.unit.rst_n.next = false;
        bench.tick();
        bench.unit.rst_n.next = true;
        for _ in 0..30 {
            let outputs = bench.outputs();
            assert!(!outputs.busy && !outputs.done && outputs.weight.is_none());
            assert!(outputs.rows.iter().all(Option::is_none));
            bench.tick();
        }
        bench.registers(&Job::new(&BASES, &OFFSETS, 2, 0));
        assert_eq!(bench.run(|_| true), clean, "after {clocks} clocks");
    }
}

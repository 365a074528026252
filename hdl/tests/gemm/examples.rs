//! The worked examples of the specification.

use super::bench::{Bench, Job, Sides, check};
use heddle_arch::offsets::examples::{
    ASYMMETRIC_BASES, ASYMMETRIC_C, ASYMMETRIC_OFFSETS, PADDED_BASES, PADDED_C, SMALL_A, SMALL_B,
    SMALL_BASES, SMALL_OFFSETS, SMALL_SUMS, asymmetric_a, asymmetric_b, padded_tap,
};
use heddle_hdl::gemm::GemmShape;

/// 5.1: 4x4 image, 3x3 filter.
pub fn example_5_1(stay: bool) -> Job {
    Job {
        bases: SMALL_BASES.map(i64::from).to_vec(),
        offsets: SMALL_OFFSETS.map(i64::from).to_vec(),
        a: SMALL_A.map(i64::from).to_vec(),
        b: vec![SMALL_B.map(i64::from).to_vec()],
        stay,
        ..Job::default()
    }
}

/// 5.3 with elements of two bytes: two images, two channels, two filters.
fn example_5_3(stay: bool) -> Job {
    let mut a = vec![0; 336];
    for i in 0..168 {
        let value = i64::from(asymmetric_a(i));
        a[2 * i as usize] = value;
        a[2 * i as usize + 1] = value >> 8;
    }
    let b = |n: i32| (0..12).map(move |k| asymmetric_b(12 * n + k).into());
    Job {
        bases: ASYMMETRIC_BASES.map(i64::from).to_vec(),
        offsets: ASYMMETRIC_OFFSETS.map(i64::from).to_vec(),
        a,
        b: (0..2).map(|n| b(n).collect()).collect(),
        stay,
        ..Job::default()
    }
}

/// 5.5: 3x3 image 1..9, 3x3 filter 1..9, padding 1 on every side by mask.
fn example_5_5(stay: bool) -> Job {
    let sides = |(_, row, col): (i32, u16, u16)| -> Sides { (row.into(), col.into()) };
    Job {
        bases: PADDED_BASES.map(|base| base.0.into()).to_vec(),
        offsets: (0..9).collect(),
        base_sides: PADDED_BASES.map(sides).to_vec(),
        offset_sides: (0..9).map(|k| sides(padded_tap(k))).collect(),
        a: (1..=9).collect(),
        a_origin: 100,
        b: vec![(1..=9).collect()],
        stay,
        ..Job::default()
    }
}

fn with_taps(mut shape: GemmShape) -> GemmShape {
    shape.unit.taps = 4;
    shape
}

#[test]
fn sgcr_26_accumulators_of_5_1_3_behind_every_step() {
    for (k, sums) in SMALL_SUMS.iter().enumerate() {
        let mut job = example_5_1(false);
        job.offsets.truncate(k + 1);
        job.b[0].truncate(k + 1);
        assert_eq!(
            job.results().concat(),
            sums.map(i64::from),
            "the bench, step {k}"
        );
        check(GemmShape::new(4, 1), &job, &format!("step {k}"));
    }
}

#[test]
fn sgcr_28_each_step_stores_the_accumulators_of_5_1_3() {
    for rows in [4, 3, 1] {
        let mut shape = GemmShape::new(rows, 1);
        shape.store_each = true;
        let mut bench = Bench::new(shape);
        bench.load(&example_5_1(false));
        bench.write(0, 8, 8, (0, 0));
        let run = bench.run();
        let stored = |thread: usize| {
            let mine = run.results.iter().filter(|r| r.row == thread);
            mine.map(|r| r.value).collect::<Vec<_>>()
        };
        for thread in 0..4 {
            assert_eq!(
                stored(thread),
                SMALL_SUMS.map(|sums| i64::from(sums[thread])),
                "{rows} rows"
            );
        }
        assert_eq!((run.results.len(), run.reads), (36, 36), "{rows} rows");
    }
}

#[test]
fn sgcr_27_results_of_5_1_in_tiles_with_disabled_rows() {
    // 5.4: R = 3 leaves two rows of the second tile without a thread.
    for (rows, cols) in [(3, 1), (2, 1), (4, 1), (1, 1), (16, 3)] {
        for stay in [false, true] {
            let what = format!("{rows}x{cols}, weights stay: {stay}");
            let run = check(GemmShape::new(rows, cols), &example_5_1(stay), &what);
            assert_eq!((run.reads, run.results.len()), (36, 4), "{what}");
            let mut got = run.results.clone();
            got.sort_by_key(|r| r.row);
            let got: Vec<i64> = got.iter().map(|r| r.value).collect();
            assert_eq!(got, SMALL_SUMS[8].map(i64::from), "{what}");
        }
    }
}

#[test]
fn sgcr_27_results_of_5_3_with_a_tail_of_8_of_16_rows() {
    for stay in [false, true] {
        assert_eq!(
            example_5_3(stay).results(),
            ASYMMETRIC_C.map(|row| row.map(i64::from)),
            "the bench"
        );
        let run = check(GemmShape::new(16, 2), &example_5_3(stay), "16x2");
        assert_eq!((run.reads, run.results.len()), (288, 48), "{stay}");
        // One column at a time: all operands are read again.
        let run = check(GemmShape::new(5, 1), &example_5_3(stay), "5x1");
        assert_eq!((run.reads, run.results.len()), (576, 48), "{stay}");
    }
}

#[test]
fn sgcr_47_padding_of_5_5_by_mask_reads_49_of_81_operands() {
    for broadcast in [false, true] {
        for stay in [false, true] {
            let mut shape = with_taps(GemmShape::new(4, 1));
            shape.unit.broadcast = broadcast;
            let run = check(shape, &example_5_5(stay), "5.5");
            assert_eq!(run.reads, 49);
            let mut got = run.results.clone();
            got.sort_by_key(|r| r.row);
            let got: Vec<i64> = got.iter().map(|r| r.value).collect();
            assert_eq!(got, PADDED_C.map(i64::from));
        }
    }
}

#[test]
fn sums_that_stay_leave_from_the_last_row_of_a_tile_upwards() {
    let run = check(GemmShape::new(3, 2), &example_5_3(false), "3x2");
    let first: Vec<(usize, usize)> = run.results.iter().map(|r| (r.row, r.col)).collect();
    // Column 1 is one clock behind column 0.
    assert_eq!(first[..5], [(2, 0), (1, 0), (2, 1), (0, 0), (1, 1)]);
}

/// Clocks from the start to the first slot at the head.
const HEAD: usize = 5;

#[test]
fn a_run_takes_the_clocks_of_its_slots_and_of_the_draining() {
    for (rows, cols, stay) in [
        (4, 1, false),
        (3, 2, false),
        (16, 2, false),
        (1, 1, false),
        (4, 1, true),
        (5, 2, true),
        (16, 2, true),
        (1, 2, true),
    ] {
        let job = example_5_3(stay);
        let run = check(GemmShape::new(rows, cols), &job, "5.3");
        let (t, k, n) = (job.bases.len(), job.offsets.len(), job.b.len());
        let tiles = n.div_ceil(cols);
        let slots = if stay {
            tiles * k.div_ceil(rows) * (rows + t)
        } else {
            let row_tiles = t.div_ceil(rows);
            row_tiles * (rows + tiles * (k + rows - 1)) - (rows - 1)
        };
        // The last step is taken at the head in HEAD + slots - 1, and is on row 0 one clock later.
        let last_sum = HEAD + slots + rows + 5 + if stay { 0 } else { rows - 1 };
        let last = last_sum + cols - 1;
        assert_eq!(run.done, [last + 1], "{rows}x{cols}, weights stay: {stay}");
        if n % cols == 0 {
            let got = run.results.iter().map(|r| r.clock).max();
            assert_eq!(got, Some(last), "{rows}x{cols}, {stay}");
        }
    }
}

#[test]
fn more_gemm_rows_than_results_are_refused_with_weights_that_stay() {
    let mut shape = GemmShape::new(4, 1);
    shape.results = 16;
    let mut bench = Bench::new(shape);
    let mut job = example_5_1(true);
    bench.load(&job);
    for (rows, stay, error) in [(17, 1, 5), (16, 1, 0), (17, 0, 0), (0, 1, 1), (17, 1, 5)] {
        bench.write(0, 2, rows, (0, 0));
        bench.write(0, 8, stay, (0, 0));
        bench.u.start_i.next = true;
        bench.tick(0, &mut Default::default());
        bench.u.start_i.next = false;
        let mut run = Default::default();
        bench.tick(1, &mut run);
        let got = bench.u.error_o.val().to_u64();
        assert_eq!(got, error, "{rows} rows, mode {stay}");
        assert_eq!(bench.u.busy_o.val(), error == 0, "{rows} rows, mode {stay}");
        for clock in 2..400 {
            bench.tick(clock, &mut run);
        }
        assert_eq!(run.done.len(), usize::from(error == 0));
    }
    // Nothing of the refused start is left.
    job.a.reverse();
    bench.load(&job);
    bench.run().check(&job, 1, "after refused starts");
}

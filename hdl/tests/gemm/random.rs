//! Random tables, counts and data in all variants.

use super::bench::{Bench, Job, Numbers, Run, Sides};
use heddle_hdl::gemm::GemmShape;

fn random_job(n: &mut Numbers, taps: usize) -> Job {
    let bytes = 40 + n.below(60);
    let (t, k, channels) = (1 + n.below(14), 1 + n.below(12), 1 + n.below(7));
    let masked = taps > 0 && n.below(2) == 0;
    let sides = |n: &mut Numbers| -> Sides { (n.below(16) as u64, n.below(16) as u64) };
    let hot = |n: &mut Numbers| -> Sides { (1 << n.below(4), 1 << n.below(4)) };
    let half = bytes / 2;
    Job {
        bases: (0..t).map(|_| n.below(half) as i64).collect(),
        offsets: (0..k).map(|_| n.below(half) as i64).collect(),
        base_sides: (0..if masked { t } else { 0 }).map(|_| sides(n)).collect(),
        offset_sides: (0..if masked { k } else { 0 }).map(|_| hot(n)).collect(),
        a: (0..bytes).map(|_| n.byte()).collect(),
        a_origin: n.below(100),
        b: (0..channels)
            .map(|_| (0..k).map(|_| n.byte()).collect())
            .collect(),
        b_origin: n.below(20),
        stay: n.below(2) == 0,
    }
}

fn random_shape(n: &mut Numbers) -> GemmShape {
    let mut shape = GemmShape::new(1 + n.below(6), 1 + n.below(4));
    shape.operand_bytes = 256;
    shape.weight_words = 256;
    shape.results = 16;
    shape.unit.taps = 4 * n.below(2);
    shape.unit.broadcast = n.below(3) > 0;
    if shape.unit.broadcast && n.below(3) > 0 {
        shape.banks = 2 << n.below(3);
        shape.merge = n.below(2) == 0;
    }
    shape
}

#[test]
fn random_jobs_in_random_cores() {
    let mut stalled = 0;
    let mut modes = [0; 2];
    for seed in 0..48 {
        println!("seed {seed}");
        let mut n = Numbers(seed);
        let shape = random_shape(&mut n);
        let mut bench = Bench::new(shape);
        for turn in 0..2 {
            let job = random_job(&mut n, shape.unit.taps);
            bench.load(&job);
            let run = bench.run();
            let what = format!("seed {seed}, turn {turn}, {shape:?}, {job:?}");
            run.check(&job, shape.unit.cols, &what);
            stalled += usize::from(run.stalls > 0);
            modes[usize::from(job.stay)] += 1;
        }
    }
    assert!(
        stalled > 5 && modes.iter().all(|&n| n > 30),
        "{stalled}, {modes:?}"
    );
}

/// Starts a run, and the next one, of another shape and mode, as soon as the unit is idle: results of the
/// first one are then still on their way.
#[test]
fn the_next_run_may_begin_while_results_still_leave() {
    let mut overlaps = 0;
    for seed in 100..130 {
        println!("seed {seed}");
        let mut n = Numbers(seed);
        let shape = random_shape(&mut n);
        let mut bench = Bench::new(shape);
        // Operands, tables and weights of both; only registers are written in between.
        let first = random_job(&mut n, 0);
        let mut second = first.clone();
        second.stay = n.below(2) == 0;
        second.b_origin = first.b_origin + 100;
        second.bases.truncate(1 + n.below(first.bases.len()));
        second.b.truncate(1 + n.below(first.b.len()));
        bench.write_weights(&second);
        bench.load(&first);
        let (mut runs, mut run) = (Vec::new(), Run::default());
        bench.u.start_i.next = true;
        bench.tick(0, &mut run);
        bench.u.start_i.next = false;
        let mut clock = 1;
        while bench.u.busy_o.val() {
            bench.tick(clock, &mut run);
            clock += 1;
        }
        let registers = [
            (8, usize::from(second.stay)),
            (1, second.b_origin),
            (2, second.bases.len()),
            (4, second.b.len()),
        ];
        for (index, value) in registers {
            bench.u.wr_valid_i.next = true;
            bench.u.wr_kind_i.next = 0.into();
            bench.u.wr_index_i.next = u64::from(index as u32).into();
            bench.u.wr_data_i.next = (value as u64).into();
            bench.tick(clock, &mut run);
            clock += 1;
        }
        bench.u.wr_valid_i.next = false;
        overlaps += usize::from(run.done.is_empty());
        bench.u.start_i.next = true;
        let limit = clock + 4000;
        while runs.len() < 2 {
            assert!(clock < limit, "seed {seed}: {} runs have ended", runs.len());
            bench.tick(clock, &mut run);
            bench.u.start_i.next = false;
            clock += 1;
            if !run.done.is_empty() {
                runs.push(std::mem::take(&mut run));
            }
        }
        for _ in 0..40 {
            bench.tick(clock, &mut run);
        }
        assert!(run.done.is_empty() && run.results.is_empty(), "seed {seed}");
        // The counter of reads begins anew with the second start.
        runs[0].reads = first.read_count(shape.unit.cols) as u64;
        runs[0].check(&first, shape.unit.cols, &format!("seed {seed}, first"));
        runs[1].check(&second, shape.unit.cols, &format!("seed {seed}, second"));
    }
    assert!(overlaps > 5, "{overlaps} overlaps");
}

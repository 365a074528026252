//! Random jobs against plain loops.

use super::bench::{Bench, Job, MASKS, Pass, RUNNING, RowSlot, WEIGHT_STATIONARY, full, steps};
use heddle_hdl::offsets::OffsetShape;

/// Pseudo-random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) % n
    }

    fn signed(&mut self) -> i64 {
        self.below(1 << 16) as i64 - (1 << 15)
    }
}

struct Expected {
    /// Steps of each row.
    rows: Vec<Vec<RowSlot>>,
    passes: Vec<Pass>,
    words: Vec<u64>,
}

/// Offset of every tap, steps summed.
fn offsets(job: &Job) -> Vec<i64> {
    let shifted = job.offsets.iter().map(|offset| offset << job.shift);
    if job.mode & RUNNING == 0 {
        return shifted.collect();
    }
    let sum = |sum: &mut i64, step: i64| {
        *sum += step;
        Some(*sum)
    };
    shifted.scan(0, sum).collect()
}

/// The address of GEMM row m and tap k, if it is read.
fn address(job: &Job, offsets: &[i64], m: usize, k: usize) -> Option<u64> {
    if job.mode & MASKS != 0 {
        let ((rows, cols), (v, u)) = (job.base_masks[m], job.taps[k]);
        if rows >> v & 1 == 0 || cols >> u & 1 == 0 {
            return None;
        }
    }
    let base = *job.bases.get(m)? << job.shift;
    let address = job.a_origin as i64 + base + offsets.get(k)?;
    Some(address as u64 & 0xffff)
}

fn expected(job: &Job, rows: usize, cols: usize) -> Expected {
    let (t, k, n) = (job.bases.len(), job.offsets.len(), job.outputs as usize);
    let list = offsets(job);
    let mut found = Expected {
        rows: vec![Vec::new(); rows],
        passes: Vec::new(),
        words: Vec::new(),
    };
    let mut word = job.b_origin;
    let mut step = |row: usize, at: usize, count: usize, address: Option<u64>| {
        found.rows[row].push(RowSlot {
            address,
            first: at == 0,
            last: at + 1 == count,
        });
    };
    if job.mode & WEIGHT_STATIONARY == 0 {
        for t0 in (0..t).step_by(rows) {
            word = job.b_origin;
            for j0 in (0..n).step_by(cols) {
                for tap in 0..k {
                    for row in 0..rows {
                        let used = t0 + row < t;
                        let read = used.then(|| address(job, &list, t0 + row, tap)).flatten();
                        step(row, tap, k, read);
                    }
                    found.words.push(word & 0xffff);
                    word += 1;
                    found.passes.push(Pass {
                        held: t0 as u64,
                        channel: j0 as u64,
                        sum_first: true,
                        sum_last: true,
                    });
                }
            }
        }
    } else {
        for j0 in (0..n).step_by(cols) {
            for k0 in (0..k).step_by(rows) {
                for _ in 0..rows {
                    found.words.push(word & 0xffff);
                    word += 1;
                }
                for m in 0..t {
                    for row in 0..rows {
                        let used = k0 + row < k;
                        let read = used.then(|| address(job, &list, m, k0 + row)).flatten();
                        step(row, m, t, read);
                    }
                    found.passes.push(Pass {
                        held: k0 as u64,
                        channel: j0 as u64,
                        sum_first: k0 == 0,
                        sum_last: k0 + rows >= k,
                    });
                }
            }
        }
    }
    found
}

fn job(random: &mut Random) -> Job {
    let (t, k) = (1 + random.below(12), 1 + random.below(10));
    Job {
        bases: (0..t).map(|_| random.signed()).collect(),
        offsets: (0..k).map(|_| random.signed()).collect(),
        outputs: 1 + random.below(7),
        mode: random.below(8),
        shift: random.below(4),
        a_origin: random.below(1 << 16),
        b_origin: random.below(1 << 16),
        base_ptr: random.below(64 - t + 1),
        offset_ptr: random.below(32 - k + 1),
        base_masks: (0..t)
            .map(|_| (random.below(16), random.below(16)))
            .collect(),
        taps: (0..k).map(|_| (random.below(4), random.below(4))).collect(),
    }
}

#[test]
fn sgcr_10_sgcr_15_sgcr_16_sgcr_34_sgcr_35_sgcr_53_random_jobs_give_the_slots_of_plain_loops() {
    let (mut partial, mut masked, mut tiles) = (0, 0, 0);
    for seed in 1..=8u64 {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let (rows, cols) = (1 + random.below(5) as usize, 1 + random.below(4) as usize);
        let broadcast = seed % 2 == 0;
        let (before, prefetch) = (seed % 3 == 0, seed % 4 > 1);
        println!(
            "seed {seed}: {rows} rows, {cols} columns, broadcast {broadcast}, before {before}, \
             prefetch {prefetch}"
        );
        let mut bench = Bench::<16>::new(&OffsetShape {
            before,
            prefetch,
            ..full(rows, cols, broadcast)
        });
        for round in 0..12 {
            let job = job(&mut random);
            let expected = expected(&job, rows, cols);
            bench.load(&job);
            let often = random.below(3);
            let mut pattern = Random(random.below(1 << 40) + 1);
            let ready: Vec<bool> = (0..20_000).map(|_| pattern.below(3) >= often).collect();
            let all = bench.run(|clock| ready[clock]);
            // With broadcast a step that is held is one step.
            let held = |clock: usize| broadcast && all[clock].pass.is_some() && !ready[clock];
            let clocks: Vec<_> = (0..all.len())
                .filter(|clock| !held(*clock))
                .map(|clock| all[clock].clone())
                .collect();
            let place = format!("seed {seed}, round {round}: {job:?}");
            for row in 0..rows {
                assert_eq!(
                    steps(&clocks, row),
                    expected.rows[row],
                    "row {row}, {place}"
                );
            }
            let passes: Vec<Pass> = clocks.iter().filter_map(|clock| clock.pass).collect();
            assert_eq!(passes, expected.passes, "{place}");
            let words: Vec<u64> = clocks
                .iter()
                .filter_map(|c| c.weight)
                .map(|w| w.0)
                .collect();
            assert_eq!(words, expected.words, "{place}");
            let stationary = job.mode & WEIGHT_STATIONARY != 0;
            let with_step = |c: &super::bench::Outputs| c.weight.is_some() == c.pass.is_some();
            assert!(stationary || clocks.iter().all(with_step), "{place}");
            let held_list = if stationary {
                job.offsets.len()
            } else {
                job.bases.len()
            };
            partial += usize::from(held_list % rows != 0);
            masked += usize::from(job.mode & MASKS != 0);
            tiles += usize::from(job.outputs as usize > cols && held_list > rows);
        }
    }
    assert!(
        partial > 8 && masked > 8 && tiles > 8,
        "{partial} {masked} {tiles}"
    );
}

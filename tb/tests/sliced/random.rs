//! Random traffic on few words.

use super::bench::Bench;
use super::sides::Design;
use super::variants::{VARIANTS, WITHOUT_BYPASS, WORDS};
use crate::rtl::{Checked, Coverage, run_seeds};
use heddle_sim::sliced::vectors::masked_word;
use heddle_sim::sliced::{SliceLayout, Word};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// Reads so many cycles after the write of their word.
const DISTANCES: [&str; 10] = [
    "read in the cycle of the write",
    "read 1 cycle after the write",
    "read 2 cycles after the write",
    "read 3 cycles after the write",
    "read 4 cycles after the write",
    "read 5 cycles after the write",
    "read 6 cycles after the write",
    "read 7 cycles after the write",
    "read 8 cycles after the write",
    "read 9 cycles after the write",
];

/// Cycles with the same share of requests.
const PHASE: usize = 64;

/// A word of random density.
fn random_word(layout: &SliceLayout, rng: &mut ChaCha8Rng) -> Word {
    let all = u64::MAX >> (64 - layout.units);
    let mask = match rng.random_range(0..8) {
        0 => 0,
        1 => all,
        2 => rng.random::<u64>() & rng.random::<u64>() & rng.random::<u64>(),
        3 => rng.random::<u64>() | rng.random::<u64>(),
        _ => rng.random(),
    };
    masked_word(layout, mask & all, rng.random())
}

/// Traffic on all sides. Coverage is of the requests, which all sides have in common.
pub fn traffic(design: &Design, seed: u64, cycles: usize) -> (Bench, Coverage) {
    let mut bench = Bench::new(design, seed);
    let mut rng = bench.rng();
    let mut coverage = Coverage::default();
    let layouts: Vec<SliceLayout> = design
        .sides
        .iter()
        .map(|side| side.options.clone())
        .collect();
    let bypass = layouts.iter().all(|layout| layout.bypass);
    let words = |rng: &mut ChaCha8Rng| -> Vec<Word> {
        layouts
            .iter()
            .map(|layout| random_word(layout, rng))
            .collect()
    };
    for address in 0..WORDS as u16 {
        let words = words(&mut rng);
        bench.step(Some(address), &words, None);
    }
    let mut writes = [None; DISTANCES.len()];
    let (mut write_share, mut read_share, mut addresses) = (1.0, 1.0, WORDS as u16);
    for cycle in 0..cycles {
        if cycle % PHASE == 0 {
            let shares = [0.1, 0.5, 0.9, 1.0];
            write_share = shares[rng.random_range(0..4)];
            read_share = shares[rng.random_range(0..4)];
            addresses = [1, 2, 4, WORDS as u16][rng.random_range(0..4)];
        }
        let write = rng
            .random_bool(write_share)
            .then(|| rng.random_range(0..addresses));
        let read = rng
            .random_bool(read_share)
            .then(|| rng.random_range(0..addresses));
        // Without a bypass such a read is undefined.
        let read = read.filter(|_| bypass || read != write);
        let words = match write {
            Some(_) => words(&mut rng),
            None => Vec::new(),
        };
        bench.step(write, &words, read);
        writes.rotate_right(1);
        writes[0] = write;
        // The last write of the word counts.
        let last = writes
            .iter()
            .position(|write| write.is_some() && *write == read);
        for (distance, name) in DISTANCES.into_iter().enumerate().skip(usize::from(!bypass)) {
            coverage.event(name, last == Some(distance));
        }
        coverage.event("write and read of two words", {
            write.is_some() && read.is_some() && write != read
        });
        coverage.event("idle", write.is_none() && read.is_none());
    }
    bench.drain();
    (bench, coverage)
}

/// All variants, every slice of each of them read and written, full and partly.
fn all_variants(design: &Design, seed: u64, cycles: usize) -> Checked<(Coverage, u64)> {
    let (bench, coverage) = traffic(design, seed, cycles);
    bench.agreed()?;
    for (name, layout, counts) in bench.all_counts() {
        let requests = bench.operations / 100 / design.sides.len() as u64;
        for slice in 0..layout.slices() {
            let accesses = [counts.slice_reads[slice], counts.slice_writes[slice]];
            if accesses.iter().any(|n| *n < requests) {
                return Err(format!("{name}: slice {slice} has {accesses:?} accesses"));
            }
        }
        if !layout.plain && (counts.zero_words == 0 || counts.large_words == 0) {
            return Err(format!("{name}: words of one kind only"));
        }
    }
    Ok((coverage, bench.operations))
}

#[proves(
    "SPM-20", "SPM-21", "SPM-22", "SPM-25", "SPM-42", "SPM-48", "SPM-50", "SPM-51"
)]
#[test]
fn random_traffic_at_every_latency() {
    // 10^6 reads and writes, 10^7 with `scripts/test.sh --all`.
    let cycles = match std::env::var_os("HEDDLE_SLOW") {
        Some(_) => 100_000,
        None => 10_000,
    };
    let mut operations = 0;
    run_seeds(|seed| {
        let (coverage, seeded) = all_variants(&VARIANTS, seed, cycles)?;
        operations += seeded;
        Ok(coverage)
    });
    println!("{operations} reads and writes");
    if std::env::var_os("HEDDLE_SEED").is_none() {
        assert!(operations > 100 * cycles as u64, "{operations}");
    }
}

#[test]
fn memories_without_a_bypass_take_any_traffic_that_does_not_meet() {
    let mut operations = 0;
    run_seeds(|seed| {
        let (coverage, seeded) = all_variants(&WITHOUT_BYPASS, seed, 3_000)?;
        operations += seeded;
        Ok(coverage)
    });
    assert!(operations > 50_000, "{operations}");
}

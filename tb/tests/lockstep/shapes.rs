//! Machines for programs in lockstep.

use heddle_arch::params::{CounterSet, Params};
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::machines::{self, FIELD, PLAIN, Sizes};

/// The machines of a run: together they have every option.
pub fn all() -> Vec<Params> {
    let top = machines::with_dual_scales(machines::with_sums_at_top(machines::tall()));
    let single = machines::with_dual_scales(machines::single());
    let mut all = vec![
        machines::with_counters(top.clone(), CounterSet::Basic),
        machines::pooling(),
        machines::wide(),
        machines::with_counters(single.clone(), CounterSet::None),
        machines::banked(),
    ];
    if crate::rtl::is_slow() {
        all.extend([top, single]);
        all.extend([machines::tiny(), machines::tall(), machines::buffered()]);
    }
    all
}

const SLICES: [&str; 6] = [
    r#""widths": [4, 4]"#,
    PLAIN,
    r#""widths": [3, 5], "network": "half""#,
    r#""unit_bits": 16, "widths": [2, 1, 1], "mask": "hybrid", "end": "right""#,
    FIELD,
    r#""widths": [1, 1, 1, 1, 1, 1, 1, 1], "write": "exact""#,
];

/// A machine whose sizes and options are random.
pub fn random(seed: u64) -> Params {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut one = |of: &[u32]| *of.choose(&mut rng).expect("not empty");
    let (banks, words_per_bank) = (one(&[2, 4, 8]), one(&[64, 128, 256]));
    let bits = one(&[16, 24]);
    let sizes = Sizes {
        name: "random",
        array: (
            one(&[1, 2, 3, 4, 5, 6, 7, 8]),
            one(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 12]),
        ),
        record_rows: one(&[3, 4, 8]),
        loops: one(&[2, 3, 4, 5, 6]),
        bits: (bits, one(&[bits, 32])),
        banks: (banks, words_per_bank),
        slices: SLICES[one(&[0, 1, 2, 3, 4, 5]) as usize],
        depth: one(&[16, 32.min(words_per_bank / 4)]),
        column_tiles: 8,
        program: 2048,
    };
    let mut params = sizes.params();
    params.name = format!("random_{seed}");
    params.post.pooling = rng.random();
    if params.post.pooling {
        params.post.product = rng.random();
        params.post.median = rng.random_range(0..=9);
    }
    params.post.activations = rng.random_range(0..=3);
    params.post.dual_scale = rng.random();
    let shared = [1, 2, 4].map(|columns| columns * u32::from(params.array.cols % columns == 0));
    params.post.columns_per_multiplier = *shared.choose(&mut rng).expect("not empty").max(&1);
    if rng.random() {
        params = machines::with_sums_at_top(params);
    }
    let counters = [CounterSet::Full, CounterSet::Basic, CounterSet::None];
    let counters = counters.choose(&mut rng).expect("not empty");
    machines::with_counters(params, *counters)
}

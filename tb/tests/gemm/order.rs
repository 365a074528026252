//! Taps in any order, with their weights in the same order.

use super::examples::{asymmetric, asymmetric_c, bench, names};
use super::layer::{STEPS, WEIGHTS};
use crate::rtl::seeds;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// Orders of each core with each seed.
const ORDERS: usize = 6;

#[test]
fn sgcr_17_random_orders_of_taps_and_weights_leave_the_results() {
    let mut bench = bench();
    for seed in seeds() {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for name in names() {
            for _ in 0..ORDERS {
                let mut order: Vec<usize> = (0..12).collect();
                order.shuffle(&mut rng);
                let plain = asymmetric();
                let mut layer = plain.clone();
                layer.lists.offsets = order.iter().map(|k| plain.lists.offsets[*k]).collect();
                // Steps are made anew for the order; they may be negative.
                let steps = layer.lists.steps();
                layer.weights = (0..24)
                    .map(|j| plain.weights[j / 12 * 12 + order[j % 12]])
                    .collect();
                for mode in [0, WEIGHTS, STEPS, STEPS | WEIGHTS] {
                    let mut layer = layer.with_mode(mode);
                    if mode & STEPS != 0 {
                        layer.lists = steps.clone();
                    }
                    let run = bench.run_one(&name, &layer);
                    let message = format!("seed {seed}, {name}, mode {mode}, order {order:?}");
                    assert_eq!(run.sums(), asymmetric_c(), "{message}");
                }
                // The weights alone in another order give something else.
                if order.iter().enumerate().any(|(k, place)| k != *place) {
                    let weights = layer.weights.clone();
                    let wrong = super::layer::Layer { weights, ..plain };
                    let run = bench.run_one(&name, &wrong);
                    assert_ne!(run.sums(), asymmetric_c(), "seed {seed}, order {order:?}");
                }
            }
        }
    }
}

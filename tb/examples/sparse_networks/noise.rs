//! Noise for images and weights.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// Normal noise.
pub fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let (radius, angle): (f64, f64) = (rng.random(), rng.random());
    (-2.0 * (1.0 - radius).ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}

/// A square of noise without its high frequencies, of variance 1.
pub fn smooth(size: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut map: Vec<f64> = (0..size * size).map(|_| normal(rng)).collect();
    for step in [1, size] {
        let blur = |at: usize| {
            let place = at / step % size;
            let near = place.saturating_sub(4)..(place + 5).min(size);
            let sum = near.map(|other| {
                let distance = other as f64 - place as f64;
                (-distance * distance / 8.0).exp() * map[at - place * step + other * step]
            });
            sum.sum()
        };
        map = (0..size * size).map(blur).collect();
    }
    let variance = map.iter().map(|value| value * value).sum::<f64>() / map.len() as f64;
    map.iter().map(|value| value / variance.sqrt()).collect()
}

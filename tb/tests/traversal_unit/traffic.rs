//! Streams of words with stalls.

use heddle_sim::traversal::UnitElement;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::bench::{Bench, FLOW, Inputs, Outputs};
use crate::rtl::Checked;

/// How often, of 256 cycles, a word is offered, an address taken, the unit paused, one demanded.
#[derive(Debug, Clone, Copy)]
pub struct Traffic {
    pub offer: u16,
    pub ready: u16,
    pub pause: u16,
    pub demand: u16,
}

impl Traffic {
    /// No stalls at all.
    pub const STEADY: Traffic = Traffic {
        offer: 256,
        ready: 256,
        pause: 0,
        demand: 256,
    };

    /// Some kinds of stalls, of any density.
    pub fn random(rng: &mut ChaCha8Rng) -> Self {
        let mut often = |full: u16| match rng.random_range(0..3) {
            0 => full,
            _ => rng.random_range(40..=256),
        };
        Self {
            offer: often(256),
            ready: often(256),
            demand: often(256),
            pause: 256 - often(256),
        }
    }

    /// Inputs of one cycle.
    pub fn inputs(&self, rng: &mut ChaCha8Rng, word: Option<u32>) -> Inputs {
        let [a, b, c, d] = rng.random::<u32>().to_le_bytes().map(u16::from);
        Inputs {
            word: word.filter(|_| a < self.offer),
            ready: b < self.ready,
            pause: c < self.pause,
            demand: d < self.demand,
            clear: false,
        }
    }
}

/// Cycles without a sign of life after which nothing is to be expected any more.
const SETTLED: u32 = 14;

/// Offers all words, then waits for the end of all traversals; after an error no word is offered
/// any more. Calls `look` after every cycle.
pub fn play(
    bench: &mut Bench,
    words: &[u32],
    traffic: Traffic,
    rng: &mut ChaCha8Rng,
    mut look: impl FnMut(&Inputs, &Outputs, &Bench),
) -> Checked {
    bench.seen.clear();
    let mut next = 0;
    let mut quiet = 0;
    while quiet < SETTLED {
        let inputs = traffic.inputs(rng, words.get(next).copied());
        let outputs = bench.step(&inputs)?;
        look(&inputs, &outputs, bench);
        next += usize::from(outputs.taken.is_some());
        let over = next == words.len() || outputs.error;
        let silent = !outputs.busy && outputs.address.is_none();
        quiet = if over && silent { quiet + 1 } else { 0 };
    }
    bench.check_done()
}

/// Plays without stalls from reset or a clear; gives all elements.
pub fn play_steady(bench: &mut Bench, words: &[u32]) -> Checked<Vec<UnitElement>> {
    bench.seen.clear();
    let mut next = 0;
    let mut quiet = 0;
    bench.exact = true;
    while quiet < SETTLED {
        let inputs = Inputs {
            word: words.get(next).copied(),
            ..FLOW
        };
        let outputs = bench.step(&inputs)?;
        next += usize::from(outputs.taken.is_some());
        let over = next == words.len() || outputs.error;
        let silent = !outputs.busy && outputs.address.is_none();
        quiet = if over && silent { quiet + 1 } else { 0 };
    }
    bench.exact = false;
    bench.check_done()?;
    Ok(std::mem::take(&mut bench.seen))
}

//! The head of a cluster, as an engine sees it: commands one after the other.

use std::collections::VecDeque;

use rand::Rng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::rtl::Dut;

/// What an engine is given in a cycle: a word of a command and its place, or the start.
pub(super) type Given = (Option<(usize, u32)>, bool);

/// Gives words and starts as soon as it may, or later.
pub(super) struct Head {
    words: VecDeque<(usize, u32)>,
    starts: bool,
    /// Share of cycles in which it gives something.
    share: f64,
}

impl Head {
    pub(super) fn new() -> Self {
        Self {
            words: VecDeque::new(),
            starts: false,
            share: 1.0,
        }
    }

    /// What it gives to an engine that is busy or not. The words behind the header come in any order, so that each may be the
    /// first one to change something.
    pub(super) fn give(
        &mut self,
        busy: bool,
        rng: &mut ChaCha8Rng,
        next: impl FnOnce(&mut ChaCha8Rng) -> Vec<u32>,
    ) -> Given {
        if busy || !rng.random_bool(self.share) {
            return (None, false);
        }
        if self.words.is_empty() && self.starts {
            self.starts = false;
            return (None, true);
        }
        if self.words.is_empty() {
            let mut words: Vec<(usize, u32)> = (1..).zip(next(rng)).collect();
            words.shuffle(rng);
            self.words = words.into();
            self.starts = true;
            self.share = [0.3, 1.0, 1.0][rng.random_range(0..3)];
        }
        (self.words.pop_front(), false)
    }
}

/// Drives the inputs of an engine; between words they are noise.
pub(super) fn set_command(dut: &mut Dut, (word, start): Given, rng: &mut ChaCha8Rng) {
    dut.set("command_valid_i", word.is_some());
    let (index, data) = word.unwrap_or_else(|| (rng.random_range(0..8), rng.random()));
    dut.set("command_index_i", index as u64);
    dut.set("command_data_i", u64::from(data));
    dut.set("start_i", start);
}

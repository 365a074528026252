//! What words cost in bits accessed or in energy, from how many of their units are not zero.

use super::layout::SliceLayout;
use super::word::Word;

/// How many words have how many non-zero units.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Histogram {
    counts: Vec<u64>,
}

impl Histogram {
    /// No words yet, of `units` units.
    pub fn new(units: usize) -> Self {
        Self {
            counts: vec![0; units + 1],
        }
    }

    /// Counts a word with `pop` non-zero units.
    ///
    /// # Panics
    /// If the words have fewer units.
    pub fn add(&mut self, pop: usize) {
        self.counts[pop] += 1;
    }

    /// Counts a word divided into units of `unit_bits` bits.
    pub fn add_word(&mut self, word: Word, unit_bits: usize) {
        let mask = word.mask(self.counts.len() - 1, unit_bits);
        self.add(mask.count_ones() as usize);
    }

    /// Adds the words of another histogram of as many units.
    pub fn merge(&mut self, other: &Self) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
    }

    /// Words by number of non-zero units, from 0 on.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Number of words.
    pub fn words(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Shares of the words by number of non-zero units; all 0 without a word.
    pub fn shares(&self) -> Vec<f64> {
        let words = self.words().max(1) as f64;
        self.counts.iter().map(|n| *n as f64 / words).collect()
    }
}

/// Shares of words by number of non-zero units, if each of `units` units is zero with probability
/// `zero` and independent of the others.
pub fn binomial(units: usize, zero: f64) -> Vec<f64> {
    let mut shares = vec![1.0];
    for _ in 0..units {
        let mut next = vec![0.0; shares.len() + 1];
        for (pop, share) in shares.iter().enumerate() {
            next[pop] += share * zero;
            next[pop + 1] += share * (1.0 - zero);
        }
        shares = next;
    }
    shares
}

/// Share of words with more than `pop` non-zero units.
fn above(shares: &[f64], pop: usize) -> f64 {
    shares.iter().skip(pop + 1).sum()
}

/// Energy of one access with a mask slice and two data slices, the first one `first` units wide.
/// `slice_energy(w)` is the energy of one access of a slice w units wide.
pub fn energy(
    first: usize,
    shares: &[f64],
    mask_energy: f64,
    slice_energy: impl Fn(usize) -> f64,
) -> f64 {
    let units = shares.len() - 1;
    mask_energy
        + above(shares, 0) * slice_energy(first)
        + above(shares, first) * slice_energy(units - first)
}

/// Width of the first of two data slices with the lowest energy, the smallest one of equals.
pub fn lowest_first(
    shares: &[f64],
    mask_energy: f64,
    slice_energy: impl Fn(usize) -> f64,
) -> usize {
    let cost = |first: &usize| energy(*first, shares, mask_energy, &slice_energy);
    (1..shares.len() - 1)
        .min_by(|a, b| cost(a).total_cmp(&cost(b)))
        .expect("a word has at least two units")
}

/// Widths of the first of two data slices that save at least `target` (a share of 1) of
/// `word_energy`, the energy of one access of a whole word.
pub fn target_firsts(
    shares: &[f64],
    mask_energy: f64,
    slice_energy: impl Fn(usize) -> f64,
    word_energy: f64,
    target: f64,
) -> Vec<usize> {
    let saving = |first| 1.0 - energy(first, shares, mask_energy, &slice_energy) / word_energy;
    (1..shares.len() - 1)
        .filter(|first| saving(*first) >= target)
        .collect()
}

/// Bits of one access of a word with `pop` non-zero units. Reads and writes have the same: a word
/// that a write threshold drops is zero ever after.
pub fn access_bits(layout: &SliceLayout, pop: usize) -> usize {
    let needed = layout.needed(pop, true);
    let slices = (0..layout.slices()).filter(|slice| needed >> slice & 1 == 1);
    layout.mask_bits() + slices.map(|slice| layout.slice_bits(slice)).sum::<usize>()
}

/// Bits of one access on average; `shares[p]` of the words have p non-zero units.
pub fn expected_bits(layout: &SliceLayout, shares: &[f64]) -> f64 {
    let bits = |pop| access_bits(layout, pop) as f64;
    let terms = shares.iter().enumerate().map(|(p, share)| share * bits(p));
    terms.sum()
}

/// Probability of a zero unit (units independent of each other) above which the layout accesses
/// fewer bits than a plain memory: 0 if it always does, none if it never does.
pub fn break_even(layout: &SliceLayout) -> Option<f64> {
    let plain = layout.word_bits() as f64;
    let saves = |zero| expected_bits(layout, &binomial(layout.units, zero)) < plain;
    if saves(0.0) {
        return Some(0.0);
    }
    if !saves(1.0) {
        return None;
    }
    // The bits fall as the probability grows: halve the interval.
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        match saves(middle) {
            true => high = middle,
            false => low = middle,
        }
    }
    Some(high)
}

//! Which slices a sliced memory should have, from how many units of its words are not zero.
//!
//! [`Population`] counts words by their non-zero units, [`layouts`] lists the divisions that
//! `docs/sliced.md` allows, [`rank`] orders them by the bits that an access moves. Bits stand for
//! energy: two narrow memories can cost more than their share of a wide one.

use heddle_arch::params::{MaskPlace, Slices};
use heddle_arch::word::BYTE_BITS;

/// Words with more units than this are divided into two slices only: the number of divisions into
/// three grows with the square.
pub const THREE_SLICES_UNITS_MAX: u32 = 16;

/// Sums of shares are exact to less than this.
const ROUNDING_BITS: f64 = 1e-9;

/// Words, counted by the number of their units that are not zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Population {
    unit_bits: u32,
    words: Vec<u64>,
}

impl Population {
    /// No word yet. `unit_bits` is 4, 8, 16 or 32 and at most half of the word.
    #[must_use]
    pub fn new(word_bytes: u32, unit_bits: u32) -> Self {
        let units = word_bytes * BYTE_BITS / unit_bits;
        Self {
            unit_bits,
            words: vec![0; units as usize + 1],
        }
    }

    /// Counts a word of as many bytes as the population was made for.
    pub fn add(&mut self, word: &[u8]) {
        let non_zero = match self.unit_bits {
            4 => (word.iter())
                .map(|byte| usize::from(byte & 15 != 0) + usize::from(byte >> 4 != 0))
                .sum(),
            bits => (word.chunks((bits / BYTE_BITS) as usize))
                .filter(|unit| unit.iter().any(|byte| *byte != 0))
                .count(),
        };
        self.words[non_zero] += 1;
    }

    /// Counts the words of another population of the same units.
    pub fn merge(&mut self, other: &Population) {
        for (sum, words) in self.words.iter_mut().zip(&other.words) {
            *sum += words;
        }
    }

    /// Bits of a unit.
    #[must_use]
    pub fn unit_bits(&self) -> u32 {
        self.unit_bits
    }

    /// Element p is the number of words with p non-zero units.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// All words.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.words.iter().sum()
    }

    /// Share of the units that are zero, from 0 to 1; 0 if there is no word.
    #[must_use]
    pub fn zero_share(&self) -> f64 {
        let units = self.words.len() as u64 - 1;
        let non_zero: u64 = (0..).zip(&self.words).map(|(p, words)| p * words).sum();
        let all = (self.total() * units).max(1);
        (self.total() * units - non_zero) as f64 / all as f64
    }

    /// Bits that one access to each of the words moves.
    #[must_use]
    pub fn total_bits(&self, slices: &Slices) -> u64 {
        let bits = |(p, words): (u32, &u64)| u64::from(access_bits(slices, p)) * words;
        (0..).zip(&self.words).map(bits).sum()
    }
}

/// Bits that an access to a word with this number of non-zero units moves, mask included (SPM-41).
#[must_use]
pub fn access_bits(slices: &Slices, non_zero: u32) -> u32 {
    if slices.plain {
        return slices.word_bytes * BYTE_BITS;
    }
    let stored = non_zero > slices.write_threshold;
    let first = slices.widths[0] * slices.unit_bits;
    let row = match slices.mask {
        MaskPlace::Slice if stored => slices.units() + first,
        MaskPlace::Slice => slices.units(),
        MaskPlace::Field => slices.units() + first,
        MaskPlace::Hybrid => 1 + first,
    };
    let mut before = slices.threshold();
    let mut further = 0;
    for (k, width) in slices.widths.iter().enumerate().skip(1) {
        if k >= 2 && slices.mask != MaskPlace::Hybrid {
            before = slices.widths[..k].iter().sum();
        }
        if stored && non_zero > before {
            further += width * slices.unit_bits;
        }
    }
    row + further
}

/// Expected bits of an access; `shares[p]` is the share of words with p non-zero units.
#[must_use]
pub fn expected_bits(slices: &Slices, shares: &[f64]) -> f64 {
    let bits = |(p, share): (u32, &f64)| f64::from(access_bits(slices, p)) * share;
    (0..).zip(shares).map(bits).sum()
}

/// Shares of words with 0, 1, 2, ... non-zero units if every unit is zero with this probability,
/// whatever the others are.
#[must_use]
pub fn independent(units: u32, zero: f64) -> Vec<f64> {
    let mut shares = vec![1.0];
    for _ in 0..units {
        let mut longer = vec![0.0; shares.len() + 1];
        for (p, share) in shares.iter().enumerate() {
            longer[p] += share * zero;
            longer[p + 1] += share * (1.0 - zero);
        }
        shares = longer;
    }
    shares
}

/// Share of zero units, each zero whatever the others are, above which an access moves fewer bits
/// than one of a plain memory; `None` if it never does.
#[must_use]
pub fn break_even(slices: &Slices) -> Option<f64> {
    let plain = f64::from(slices.word_bytes * BYTE_BITS);
    let units = slices.units();
    let bits: Vec<f64> = (0..=units)
        .map(|non_zero| f64::from(access_bits(slices, non_zero)))
        .collect();
    let saves = |zero| {
        let shares = independent(units, zero);
        let expected: f64 = bits.iter().zip(&shares).map(|(b, share)| b * share).sum();
        expected < plain - ROUNDING_BITS
    };
    if !saves(1.0) {
        return None;
    }
    // More zeros never access more slices, so the bits fall with their share.
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..32 {
        let middle = (low + high) / 2.0;
        if saves(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some(high)
}

/// All divisions of a word into two slices, and into three if it has at most
/// [`THREE_SLICES_UNITS_MAX`] units, with every place of the mask that has room for it.
#[must_use]
pub fn layouts(word_bytes: u32, unit_bits: u32) -> Vec<Slices> {
    let units = word_bytes * BYTE_BITS / unit_bits;
    let mut widths: Vec<Vec<u32>> = (1..units).map(|a| vec![a, units - a]).collect();
    if units <= THREE_SLICES_UNITS_MAX {
        for a in 1..units {
            widths.extend((1..units - a).map(|b| vec![a, b, units - a - b]));
        }
    }
    let mut layouts = Vec::new();
    for mask in [MaskPlace::Slice, MaskPlace::Field, MaskPlace::Hybrid] {
        for widths in &widths {
            let slices = Slices {
                mask,
                ..Slices::new(word_bytes, unit_bits, widths.clone())
            };
            if widths[0] > slices.mask_units() {
                layouts.push(slices);
            }
        }
    }
    layouts
}

/// A layout and what it costs for given words.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// The layout.
    pub slices: Slices,
    /// Bits that one access to each word moves.
    pub total_bits: u64,
    /// As [`break_even`].
    pub break_even: Option<f64>,
}

/// All layouts for the units of these populations of the same words, the one with the fewest bits
/// first. Of equals, the cheaper one comes first: fewer slices, a mask slice before the other
/// places, larger units, and then the layout that needs fewer zeros to pay.
#[must_use]
pub fn rank(word_bytes: u32, populations: &[Population]) -> Vec<Ranked> {
    sorted(priced(word_bytes, populations))
}

/// The first layout of [`rank`]; `None` without a population.
#[must_use]
pub fn best(word_bytes: u32, populations: &[Population]) -> Option<Ranked> {
    let mut priced = priced(word_bytes, populations);
    let fewest = priced.iter().map(|(_, bits)| *bits).min()?;
    priced.retain(|(_, bits)| *bits == fewest);
    sorted(priced).into_iter().next()
}

/// All layouts with the bits that one access to each word moves.
fn priced(word_bytes: u32, populations: &[Population]) -> Vec<(Slices, u64)> {
    let of = |population: &Population| {
        let all = layouts(word_bytes, population.unit_bits()).into_iter();
        let priced = all.map(|slices| {
            let bits = population.total_bits(&slices);
            (slices, bits)
        });
        priced.collect::<Vec<_>>()
    };
    populations.iter().flat_map(of).collect()
}

fn sorted(priced: Vec<(Slices, u64)>) -> Vec<Ranked> {
    let mut ranked: Vec<Ranked> = (priced.into_iter())
        .map(|(slices, total_bits)| Ranked {
            total_bits,
            break_even: break_even(&slices),
            slices,
        })
        .collect();
    let cost = |ranked: &Ranked| {
        let slices = &ranked.slices;
        let units = slices.units();
        (ranked.total_bits, slices.widths.len(), slices.mask, units)
    };
    let zeros = |ranked: &Ranked| ranked.break_even.unwrap_or(f64::INFINITY);
    ranked.sort_by(|a, b| {
        cost(a)
            .cmp(&cost(b))
            .then(zeros(a).total_cmp(&zeros(b)))
            .then_with(|| a.slices.widths.cmp(&b.slices.widths))
    });
    ranked
}

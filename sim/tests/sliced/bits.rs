//! Bits of rows and accesses, and the choice of slices by them.

use super::{ALL_PLACES, even};
use heddle_sim::sliced::choose::{
    access_bits, binomial, break_even, energy, expected_bits, lowest_first, target_firsts,
};
use heddle_sim::sliced::vectors::{BREAK_EVEN, EXPECTED_BITS, masked_word, word};
use heddle_sim::sliced::{Histogram, MaskPlace, SliceLayout, SlicedReference, Word};

#[test]
fn rows_have_the_bits_of_the_layout() {
    let rows = |layout: &SliceLayout| {
        (
            layout.row_bits(),
            layout.slice_bits(0),
            layout.slice_bits(1),
        )
    };
    assert_eq!(rows(&even()), (72, 32, 32));
    assert_eq!(rows(&even().with_mask(MaskPlace::Field)), (72, 40, 32));
    assert_eq!(rows(&even().with_mask(MaskPlace::Hybrid)), (65, 33, 32));
    let pairs = SliceLayout {
        unit_bits: 16,
        ..SliceLayout::new(16, [2, 2])
    };
    let nibbles = SliceLayout {
        unit_bits: 4,
        ..SliceLayout::new(16, [8, 8])
    };
    let plain = SliceLayout {
        plain: true,
        ..even()
    };
    assert_eq!((pairs.row_bits(), nibbles.row_bits()), (68, 80));
    assert_eq!((plain.row_bits(), access_bits(&plain, 0)), (64, 64));
}

fn near(seen: f64, expected: f64, step: f64) -> bool {
    (seen - expected).abs() <= step / 2.0 + 1e-9
}

#[proves("SPM-41")]
#[test]
fn expected_bits_follow_the_table() {
    let places = ALL_PLACES.map(|place| even().with_mask(place));
    for row in EXPECTED_BITS {
        let shares = binomial(8, row.zero);
        let seen = places
            .each_ref()
            .map(|layout| expected_bits(layout, &shares));
        for (seen, expected) in seen.into_iter().zip(row.bits) {
            assert!(near(seen, expected, 0.01), "z {}: {seen}", row.zero);
        }
        for (seen, expected) in [seen[0], seen[2]].into_iter().zip(row.savings) {
            let saving = 100.0 * (1.0 - seen / 64.0);
            assert!(near(saving, expected, 0.1), "z {}: {saving}", row.zero);
        }
        let slice_bits = |width| 8.0 * width as f64;
        let best = lowest_first(&shares, 8.0, slice_bits);
        let bits = energy(best, &shares, 8.0, slice_bits);
        assert!(near(bits, row.best_bits, 0.01), "z {}: {bits}", row.zero);
        match row.best {
            Some(expected) => assert_eq!(best, expected, "z {}", row.zero),
            None => {
                let all = (1..8).map(|first| energy(first, &shares, 8.0, slice_bits));
                assert!(
                    all.into_iter()
                        .all(|other| near(other, row.best_bits, 0.01))
                );
            }
        }
        for first in 1..8 {
            let layout = SliceLayout::new(16, [first, 8 - first]);
            let expected = energy(first, &shares, 8.0, slice_bits);
            assert!(near(expected_bits(&layout, &shares), expected, 0.0));
        }
    }
}

#[proves("SPM-41")]
#[test]
fn break_even_follows_the_table() {
    let [separate, hybrid] = BREAK_EVEN;
    let at = |place| break_even(&even().with_mask(place)).unwrap();
    assert!(near(at(MaskPlace::Slice), separate, 0.001));
    assert!(near(at(MaskPlace::Field), separate, 0.001));
    assert!(near(at(MaskPlace::Hybrid), hybrid, 0.001));
    // A plain memory saves nothing.
    let plain = SliceLayout {
        plain: true,
        ..even()
    };
    assert_eq!(break_even(&plain), None);
}

#[proves("SPM-41")]
#[test]
fn targets_are_met_by_exactly_the_sizes_that_save_enough() {
    let shares = binomial(8, 0.6);
    let slice_bits = |width| 8.0 * width as f64;
    let saving = |first| 1.0 - energy(first, &shares, 8.0, slice_bits) / 64.0;
    for target in [-0.2, 0.0, 0.1, 0.2, 0.25, 0.29, 0.3, 0.5] {
        let met = target_firsts(&shares, 8.0, slice_bits, 64.0, target);
        for first in 1..8 {
            assert_eq!(
                met.contains(&first),
                saving(first) >= target,
                "{first}, {target}"
            );
        }
    }
    assert_eq!(target_firsts(&shares, 8.0, slice_bits, 64.0, 0.25), [3, 4]);
    assert_eq!(target_firsts(&shares, 8.0, slice_bits, 64.0, 0.3), [0; 0]);
}

#[proves("SPM-41")]
#[test]
fn histogram_of_words_gives_the_bits_that_are_counted() {
    let layouts = [
        even(),
        SliceLayout::new(16, [2, 2, 4]),
        even().with_mask(MaskPlace::Field),
        even().with_mask(MaskPlace::Hybrid),
    ];
    let mut bytes = Histogram::new(8);
    let mut first_half = Histogram::new(8);
    let mut memories = layouts.each_ref().map(SlicedReference::new);
    for number in 0..512_u64 {
        let m = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56;
        let word = masked_word(&even(), m & number >> 1, number);
        let half = if number < 256 {
            &mut first_half
        } else {
            &mut bytes
        };
        half.add_word(word, 8);
        for memory in &mut memories {
            memory.write(0, word);
            memory.read(0);
        }
    }
    bytes.merge(&first_half);
    assert_eq!((bytes.words(), first_half.words()), (512, 256));
    assert_eq!(bytes.shares().iter().sum::<f64>(), 1.0);
    for (layout, memory) in layouts.iter().zip(&memories) {
        let counted = memory.counts().bits(layout) as f64 / 1024.0;
        assert!(near(expected_bits(layout, &bytes.shares()), counted, 0.0));
    }
    let mut pairs = Histogram::new(4);
    pairs.add_word(Word::from(word(6)), 16);
    pairs.add_word(Word::from(word(3)), 16);
    assert_eq!(pairs.counts(), [0, 1, 0, 0, 1]);
}

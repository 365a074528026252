//! Words of every size in every division.

use super::{ALL_NETWORKS, ALL_PLACES, even};
use heddle_sim::sliced::choose::access_bits;
use heddle_sim::sliced::vectors::{TWENTY_BYTES, TWENTY_MASK, TWENTY_SLICES, masked_word, word};
use heddle_sim::sliced::{MaskPlace, Network, SliceLayout, SlicedReference, Word};
use std::collections::BTreeSet;

/// All divisions of `units` into 2 to 8 slices.
fn divisions(units: usize) -> Vec<Vec<usize>> {
    let cuts = 1_u32..1 << (units - 1);
    let few = cuts.filter(|cuts| cuts.count_ones() < 8);
    few.map(|cuts| {
        let mut widths = vec![1];
        for k in 1..units {
            match cuts >> (k - 1) & 1 {
                1 => widths.push(1),
                _ => *widths.last_mut().unwrap() += 1,
            }
        }
        widths
    })
    .collect()
}

/// Layouts of a division that the options allow: places of the mask, networks, exact or filled.
fn layouts(widths: &[usize], unit_bits: usize) -> Vec<SliceLayout> {
    let mut all = Vec::new();
    let base = SliceLayout {
        unit_bits,
        ..SliceLayout::new(16, widths)
    };
    for place in ALL_PLACES {
        if place == MaskPlace::Hybrid && widths[0] <= base.mask_units() {
            continue;
        }
        let placed = base.clone().with_mask(place);
        let half = base.units / 2;
        let behind = base.units - widths[widths.len() - 1];
        for network in ALL_NETWORKS {
            let allowed = match network {
                Network::Full => true,
                Network::Half => placed.fit() >= half,
                Network::Split => {
                    placed.fit() <= half && (place == MaskPlace::Hybrid || behind <= half)
                }
            };
            for exact in [false, true] {
                if allowed && !(exact && place != MaskPlace::Slice) {
                    let placed = placed.clone();
                    all.push(SliceLayout {
                        network,
                        exact,
                        right: exact ^ (widths[0] % 2 == 0),
                        ..placed
                    });
                }
            }
        }
    }
    all
}

/// Writes a word of every mask over a dense one and reads it back.
fn check_round_trips(layout: &SliceLayout, masks: impl Iterator<Item = u64>) {
    let mut memory = SlicedReference::new(layout);
    let dense = masked_word(layout, u64::MAX >> (64 - layout.units), 7);
    for m in masks {
        memory.write(0, dense);
        let word = masked_word(layout, m, m ^ 0x5a);
        assert_eq!(layout.mask_of(word), m);
        let touched = memory.write(0, word);
        let (seen, read) = memory.read(0);
        assert_eq!(seen, word, "{layout:?}, mask {m:x}");
        assert_eq!(read.slice_reads, touched.slice_writes, "{layout:?}");
        let bits = access_bits(layout, m.count_ones() as usize);
        let slices = (0..layout.slices()).filter(|k| read.reads(*k));
        let data: usize = slices.map(|k| layout.slice_bits(k)).sum();
        assert_eq!(bits, data + usize::from(read.mask_read) * layout.units);
    }
}

#[proves(
    "SPM-18", "SPM-19", "SPM-30", "SPM-31", "SPM-35", "SPM-36", "SPM-39", "SPM-40"
)]
#[test]
fn every_division_returns_the_word() {
    for units in [2, 4, 8] {
        for widths in divisions(units) {
            for layout in layouts(&widths, 8) {
                check_round_trips(&layout, 0..1 << units);
            }
        }
    }
}

#[proves("SPM-18", "SPM-28", "SPM-29")]
#[test]
fn words_of_4_to_32_bytes_return_in_every_unit() {
    let mut seen = BTreeSet::new();
    for bytes in [4, 8, 16, 32] {
        for unit_bits in [4, 8, 16, 32] {
            let units = bytes * 8 / unit_bits;
            let sizes = [1, units / 4, units / 2, units * 3 / 4];
            for first in sizes.into_iter().filter(|f| (1..units).contains(f)) {
                for layout in layouts(&[first, units - first], unit_bits) {
                    seen.insert((units, unit_bits, format!("{:?}", layout.mask)));
                    let noise = |k: u64| k.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ k << 17;
                    let all = u64::MAX >> (64 - units);
                    let sparse = (0..200).map(|k| noise(k) & noise(k + 500) & all);
                    let dense = (0..200).map(|k| (noise(k) | noise(k + 500)) & all);
                    check_round_trips(&layout, sparse.chain(dense).chain([0, all]));
                }
            }
        }
    }
    // 4 bytes in one unit have no two slices; two units leave no room for a hybrid mask.
    assert_eq!(seen.len(), 15 * 2 + 13, "{seen:?}");
}

#[proves("SPM-42")]
#[test]
fn words_at_or_below_the_write_threshold_become_zero() {
    for place in ALL_PLACES {
        for (write_threshold, read_threshold) in [(0, 0), (1, 0), (2, 1), (5, 5), (7, 0)] {
            let layout = SliceLayout {
                write_threshold,
                read_threshold,
                ..even().with_mask(place)
            };
            let mut memory = SlicedReference::new(&layout);
            for m in 0..256_u64 {
                let pop = m.count_ones() as usize;
                memory.write(0, Word::from(word(9)));
                let word = masked_word(&layout, m, 3);
                let written = memory.write(0, word);
                let (seen, read) = memory.read(0);
                let kept = pop > write_threshold;
                assert_eq!(seen, if kept { word } else { Word::ZERO }, "{layout:?}");
                let above = match place {
                    MaskPlace::Hybrid => pop > 3,
                    _ => pop > 4,
                };
                let a = kept || place != MaskPlace::Slice;
                let slices = u8::from(a) | u8::from(kept && above) << 1;
                assert_eq!((written.slice_writes, read.slice_reads), (slices, slices));
            }
        }
    }
}

#[proves("SPM-13")]
#[test]
fn fifteen_bytes_fill_two_slices_of_ten() {
    let layout = SliceLayout::new(16, [10, 10]);
    let word = Word::from_be_bytes(&TWENTY_BYTES);
    assert_eq!(layout.mask_of(word), TWENTY_MASK);
    let mut memory = SlicedReference::new(&layout);
    assert_eq!(memory.write(0, word).slice_writes, 0b11);
    let rows = [0, 1].map(|slice| memory.slice(slice, 0));
    assert_eq!(rows, TWENTY_SLICES.map(|row| row.map(u32::from).to_vec()));
    assert_eq!(memory.read(0).0, word);
}

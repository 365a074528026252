//! The rules and rows of the sliced memory against the specification's worked tables.

use heddle_sim::sliced::choose::{
    access_bits, binomial, break_even, energy, expected_bits, lowest_first, target_firsts,
};
use heddle_sim::sliced::packing::{enables, lanes, mask, mask_number, pack, places, pop, unpack};
use heddle_sim::sliced::reference::{NOT_READ, STALE};
use heddle_sim::sliced::vectors::{
    BREAK_EVEN, EXPECTED_BITS, FIELD_7, FOUR_BYTES, HYBRID, LANES, NETWORKS, NIBBLES, PAIRS,
    STALE_STEPS, THREE_SLICES, TWENTY_BYTES, TWENTY_MASK, TWENTY_SLICES, WORDS, WordRow,
    masked_word, word, word_with_mask,
};
use heddle_sim::sliced::{Histogram, Layout, MaskPlace, Network, SlicedReference, Word};
use std::collections::BTreeSet;

const ALL_NETWORKS: [Network; 3] = [Network::Full, Network::Half, Network::Split];
const ALL_PLACES: [MaskPlace; 3] = [MaskPlace::Slice, MaskPlace::Field, MaskPlace::Hybrid];

/// Eight bytes in slices of 4 and 4.
fn even() -> Layout {
    Layout::new(16, [4, 4])
}

/// Units as one number, position 0 most significant.
fn number(units: &[u32], bits: usize) -> u64 {
    units.iter().fold(0, |n, unit| n << bits | u64::from(*unit))
}

/// Stale bytes of a row of 32 bits.
const STALE_ROW: u32 = u32::from_le_bytes([STALE; 4]);

#[test]
fn spm_07_spm_08_four_byte_word_keeps_its_order() {
    let (word, packed) = FOUR_BYTES;
    assert_eq!(mask_number(&mask(&word)), 0b1001);
    assert_eq!(pop(&mask(&word)), 2);
    assert_eq!(pack(&word, Network::Full), packed);
}

#[test]
fn spm_34_order_of_the_zero_units_does_not_change_what_is_read() {
    for m in 0..256 {
        let units = even().by_position(masked_word(&even(), m, m));
        let flags = mask(&units);
        for network in ALL_NETWORKS {
            let arrived = places(&flags, network);
            let mut packed = pack(&units, network);
            for (place, unit) in packed.iter_mut().enumerate() {
                // The lanes without a unit hold the zero bytes, in whatever order, or anything.
                if !arrived.contains(&Some(place)) {
                    assert_eq!(*unit, 0, "mask {m:02x}, place {place}");
                    *unit = u32::from(NOT_READ);
                }
            }
            assert_eq!(unpack(&packed, &flags, network), units, "mask {m:02x}");
        }
    }
}

#[test]
fn spm_05_three_and_five_bytes_are_counted() {
    for (row, count, slices) in [(4, 3, 0b01), (7, 5, 0b11)] {
        assert_eq!(pop(&mask(&word(row).to_be_bytes())), count);
        assert_eq!(even().needed(count, true), slices);
        assert_eq!(even().needed(count, false), slices);
    }
}

#[test]
fn spm_13_fifteen_bytes_fill_two_slices_of_ten() {
    let layout = Layout::new(16, [10, 10]);
    let word = Word::from_be_bytes(&TWENTY_BYTES);
    assert_eq!(layout.mask_of(word), TWENTY_MASK);
    let mut memory = SlicedReference::new(&layout);
    assert_eq!(memory.write(0, word).slice_writes, 0b11);
    for (slice, row) in TWENTY_SLICES.iter().enumerate() {
        let row: Vec<u32> = row.iter().map(|byte| u32::from(*byte)).collect();
        assert_eq!(memory.slice(slice, 0), row);
    }
    assert_eq!(memory.read(0).0, word);
}

/// Writes and reads the rows of a table of words, each in a memory of its own.
fn check_rows(layout: &Layout, table: &[WordRow]) {
    for row in table {
        let mut memory = SlicedReference::new(layout);
        let word = Word::from(row.word);
        let written = memory.write(3, word);
        let slices = u8::from(row.a.is_some()) | u8::from(row.b.is_some()) << 1;
        assert_eq!(written.slice_writes, slices, "{word:?}");
        assert_eq!((written.mask_write, written.mask_read), (true, false));
        assert_eq!(
            (written.slice_reads, layout.mask_of(word)),
            (0, u64::from(row.mask))
        );
        assert_eq!(memory.mask(3), Some(u64::from(row.mask)));
        assert_eq!(row.mask.count_ones() as usize, row.pop);
        for (slice, content) in [row.a, row.b].into_iter().enumerate() {
            let seen = number(&memory.slice(slice, 3), layout.unit_bits);
            assert_eq!(seen, u64::from(content.unwrap_or(STALE_ROW)), "{word:?}");
        }
        let (seen, read) = memory.read(3);
        assert_eq!(seen, word);
        assert_eq!((read.slice_reads, read.slice_writes), (slices, 0));
        assert_eq!(
            (read.mask_read, read.mask_write, read.lanes),
            (true, false, 0)
        );
    }
}

#[test]
fn spm_03_spm_04_spm_06_spm_12_spm_13_spm_14_spm_26_spm_33_spm_51_table_of_words() {
    check_rows(&even(), &WORDS);
}

#[test]
fn spm_32_spm_33_exact_writes_touch_the_lanes_of_the_table_only() {
    let exact = Layout {
        exact: true,
        ..even()
    };
    for (row, expected) in WORDS.iter().zip(LANES) {
        let mut memory = SlicedReference::new(&exact);
        let word = Word::from(row.word);
        assert_eq!(memory.write(0, word).lanes, u64::from(expected), "{word:?}");
        let filled = SlicedReference::new(&even()).write(0, word).lanes;
        let whole = match expected {
            0 => 0,
            1..=0x0f => 0x0f,
            _ => 0xff,
        };
        assert_eq!(filled, whole, "{word:?}");
        let rows: Vec<u32> = (0..2).flat_map(|k| memory.slice(k, 0)).collect();
        for (position, unit) in rows.into_iter().enumerate() {
            let lane = expected >> position & 1 == 1;
            assert_eq!(unit == u32::from(STALE), !lane, "{word:?}, {position}");
        }
        assert_eq!(memory.read(0).0, word);
    }
}

#[test]
fn spm_28_table_of_units_of_two_bytes() {
    let layout = Layout {
        unit_bits: 16,
        ..Layout::new(16, [2, 2])
    };
    check_rows(&layout, &PAIRS);
}

#[test]
fn spm_29_table_of_units_of_half_a_byte() {
    let layout = Layout {
        unit_bits: 4,
        ..Layout::new(16, [8, 8])
    };
    check_rows(&layout, &NIBBLES);
}

#[test]
fn spm_09_spm_10_spm_11_spm_19_sequence_with_stale_bytes() {
    for exact in [false, true] {
        let layout = Layout { exact, ..even() };
        let mut memory = SlicedReference::new(&layout);
        for (number_of_step, step) in STALE_STEPS.iter().enumerate() {
            let slices = match step.write {
                Some(row) => memory.write(5, Word::from(word(row))).slice_writes,
                None => {
                    let (seen, touched) = memory.read(5);
                    assert_eq!(seen, Word::from(word(step.read.unwrap())));
                    touched.slice_reads
                }
            };
            let context = format!("step {}, exact {exact}", number_of_step + 1);
            assert_eq!(slices, step.slices, "{context}");
            assert_eq!(memory.mask(5), Some(step.mask), "{context}");
            let rows = if exact { step.exact } else { step.filled };
            for (slice, row) in rows.into_iter().enumerate() {
                assert_eq!(
                    number(&memory.slice(slice, 5), 8),
                    u64::from(row),
                    "{context}"
                );
            }
        }
    }
}

#[test]
fn spm_30_three_slices_are_enabled_by_the_bytes_before_them() {
    let layout = Layout::new(16, [2, 2, 4]);
    for (row, slices, packed) in THREE_SLICES {
        let mut memory = SlicedReference::new(&layout);
        let written = memory.write(0, Word::from(word(row)));
        assert_eq!(written.slice_writes, slices, "row {row}");
        let bytes = packed.to_be_bytes();
        for (slice, range) in [0..2, 2..4, 4..8].into_iter().enumerate() {
            let expected: Vec<u32> = bytes[range].iter().map(|byte| u32::from(*byte)).collect();
            match slices >> slice & 1 {
                1 => assert_eq!(memory.slice(slice, 0), expected, "row {row}"),
                _ => assert!(
                    memory
                        .slice(slice, 0)
                        .iter()
                        .all(|u| *u == u32::from(STALE))
                ),
            }
        }
        let (seen, read) = memory.read(0);
        assert_eq!((seen.low(), read.slice_reads), (word(row), slices));
    }
    let flags: Vec<u8> = (0..=8)
        .map(|pop| {
            enables(pop, &[2, 2, 4])
                .iter()
                .rev()
                .fold(0, |n, e| n << 1 | u8::from(*e))
        })
        .collect();
    let rule: Vec<u8> = (0..=8).map(|pop| layout.needed(pop, false)).collect();
    assert_eq!(flags, rule);
}

#[test]
fn spm_35_spm_36_networks_pack_the_words_of_the_table() {
    for (row, packed) in NETWORKS {
        let bytes = word(row).to_be_bytes();
        for (network, expected) in ALL_NETWORKS.into_iter().zip(packed) {
            let seen = pack(&bytes, network);
            assert_eq!(seen, expected.to_be_bytes(), "row {row}, {network:?}");
            let layout = Layout { network, ..even() };
            assert_eq!(
                layout.needed(pop(&mask(&bytes)), true) > 1,
                row == 7 || row == 8
            );
        }
    }
}

/// Connections (stage, from, to) with different ends, over all masks.
fn connections(units: usize, network: Network) -> BTreeSet<(u8, usize, usize)> {
    let half = units / 2;
    let mut all = BTreeSet::new();
    for m in 0_u64..1 << units {
        let flags: Vec<bool> = (0..units).map(|k| m >> k & 1 == 1).collect();
        let mut ranks = [0, half];
        for (unit, place) in places(&flags, network).into_iter().enumerate() {
            let Some(place) = place else { continue };
            let mut add = |stage, from, to| {
                if from != to {
                    all.insert((stage, from, to));
                }
            };
            if network == Network::Split {
                // First within the half, then behind the other half.
                let side = &mut ranks[usize::from(unit >= half)];
                add(0, unit, *side);
                add(1, *side, place);
                *side += 1;
            } else {
                add(0, unit, place);
            }
        }
    }
    all
}

/// Connections to each place.
fn fan_in(all: &BTreeSet<(u8, usize, usize)>, stage: u8, units: usize) -> Vec<usize> {
    let to = |place| all.iter().filter(|c| c.0 == stage && c.2 == place).count();
    (0..units).map(to).collect()
}

#[test]
fn spm_35_spm_36_spm_37_networks_have_the_connections_of_the_formulas() {
    for n in [4, 8, 12, 16] {
        let full = connections(n, Network::Full);
        let half = connections(n, Network::Half);
        let split = connections(n, Network::Split);
        assert_eq!(full.len(), n * (n - 1) / 2);
        assert_eq!(half.len(), 3 * n * n / 8 - n / 4);
        assert_eq!(split.len(), 3 * n * n / 8 - n / 4);
        assert_eq!(fan_in(&full, 0, n).iter().max(), Some(&(n - 1)));
        assert_eq!(fan_in(&half, 0, n).iter().max(), Some(&(n / 2)));
        assert_eq!(fan_in(&split, 1, n).iter().max(), Some(&(n / 2)));
    }
    let [full, half, split] = ALL_NETWORKS.map(|network| connections(8, network));
    assert_eq!(fan_in(&full, 0, 8), [7, 6, 5, 4, 3, 2, 1, 0]);
    assert_eq!(fan_in(&half, 0, 8), [4, 4, 4, 4, 3, 2, 1, 0]);
    assert_eq!(fan_in(&split, 0, 8), [3, 2, 1, 0, 3, 2, 1, 0]);
    assert_eq!(fan_in(&split, 1, 8), [1, 2, 3, 4, 0, 0, 0, 0]);
}

#[test]
fn spm_35_spm_36_spm_37_no_two_units_share_a_place_and_lanes_are_the_places() {
    for units in [2, 4, 6, 8, 12, 16] {
        for m in 0_u64..1 << units {
            let flags: Vec<bool> = (0..units).map(|k| m >> k & 1 == 1).collect();
            for network in ALL_NETWORKS {
                let places: Vec<usize> = places(&flags, network).into_iter().flatten().collect();
                let set: BTreeSet<usize> = places.iter().copied().collect();
                assert_eq!(set.len(), places.len(), "{m:x}, {network:?}");
                assert!(places.is_sorted(), "{m:x}, {network:?}");
                let expected = set.iter().fold(0, |n, place| n | 1 << place);
                assert_eq!(lanes(m, units, network), expected, "{m:x}, {network:?}");
            }
        }
    }
    assert_eq!(lanes(u64::MAX, 64, Network::Full), u64::MAX);
    assert_eq!(lanes(1 << 63, 64, Network::Half), 1 << 31);
    assert_eq!(lanes(u64::MAX << 1, 64, Network::Split), !(1 << 31));
}

#[test]
fn spm_38_spm_39_table_of_hybrid_rows() {
    let layout = even().with_mask(MaskPlace::Hybrid);
    assert_eq!((layout.access_threshold, layout.mask_units()), (3, 1));
    for (row, flag, a, b) in HYBRID {
        let mut memory = SlicedReference::new(&layout);
        let written = memory.write(0, Word::from(word(row)));
        let slices = 1 | u8::from(b.is_some()) << 1;
        assert_eq!((written.slice_writes, written.mask_write), (slices, false));
        assert_eq!(memory.flag(0), Some(flag), "row {row}");
        assert_eq!(number(&memory.slice(0, 0), 8), u64::from(a), "row {row}");
        let expected = b.unwrap_or(STALE_ROW);
        assert_eq!(
            number(&memory.slice(1, 0), 8),
            u64::from(expected),
            "row {row}"
        );
        let (seen, read) = memory.read(0);
        assert_eq!((seen.low(), read.slice_reads), (word(row), slices));
        assert!(!read.mask_read);
    }
}

#[test]
fn spm_40_spm_49_mask_field_lies_beside_the_units_of_slice_0() {
    let layout = even().with_mask(MaskPlace::Field);
    let mut memory = SlicedReference::new(&layout);
    let written = memory.write(0, Word::from(word(7)));
    assert_eq!((written.slice_writes, written.mask_write), (0b11, false));
    let a = memory.mask(0).unwrap() << 32 | number(&memory.slice(0, 0), 8);
    assert_eq!((a, layout.slice_bits(0)), (FIELD_7.0, 40));
    assert_eq!(number(&memory.slice(1, 0), 8), u64::from(FIELD_7.1));
    assert_eq!(memory.read(0).0.low(), word(7));
    // Slice 0 is accessed for its mask even if the word is empty.
    assert_eq!(memory.write(0, Word::ZERO).slice_writes, 0b01);
    let (seen, read) = memory.read(0);
    assert_eq!((seen, read.slice_reads), (Word::ZERO, 0b01));
}

/// Writes and reads one word for each of the 256 masks: accesses of mask, slice a, slice b.
fn all_masks(layout: &Layout) -> [u64; 3] {
    let mut memory = SlicedReference::new(layout);
    for m in 0..=255_u8 {
        let word = Word::from(word_with_mask(m, m));
        memory.write(m.into(), word);
        assert_eq!(memory.read(m.into()).0, word);
    }
    let counts = memory.counts();
    assert_eq!(counts.mask_reads, counts.mask_writes);
    assert_eq!(counts.slice_reads, counts.slice_writes);
    assert_eq!(counts.slice_reads[2..], [0; 6]);
    let fitting = counts.zero_words + counts.small_words;
    assert_eq!(
        (fitting, counts.large_words),
        (256 - counts.slice_reads[1], counts.slice_reads[1])
    );
    assert_eq!(counts.zero_words, 1);
    [
        counts.mask_reads,
        counts.slice_reads[0],
        counts.slice_reads[1],
    ]
}

#[test]
fn spm_18_spm_27_spm_31_spm_43_accesses_of_all_masks() {
    assert_eq!(all_masks(&even()), [256, 255, 93]);
    assert_eq!(all_masks(&Layout::new(16, [2, 6])), [256, 255, 219]);
    assert_eq!(all_masks(&Layout::new(16, [3, 5])), [256, 255, 163]);
    // Masks do not depend on the network; more words access slice 1 at the lower threshold.
    let low = Layout {
        access_threshold: 2,
        ..Layout::new(16, [6, 2])
    };
    assert_eq!(all_masks(&low), [256, 255, 219]);
    assert_eq!(all_masks(&even().with_mask(MaskPlace::Field)), [0, 256, 93]);
    assert_eq!(
        all_masks(&even().with_mask(MaskPlace::Hybrid)),
        [0, 256, 163]
    );
}

#[test]
fn spm_44_packing_to_the_right_mirrors_the_table_of_words() {
    let right = Layout {
        right: true,
        exact: true,
        ..even()
    };
    for (row, expected) in WORDS.iter().zip(LANES) {
        let word = Word::from(row.word.swap_bytes());
        let mut memory = SlicedReference::new(&right);
        let written = memory.write(0, word);
        assert_eq!(written.lanes, u64::from(expected));
        assert_eq!(
            memory.mask(0),
            Some(u64::from(row.mask as u8).reverse_bits() >> 56)
        );
        for (slice, content) in [row.a, row.b].into_iter().enumerate() {
            let Some(content) = content else { continue };
            let seen = memory.slice(slice, 0);
            for (unit, byte) in seen.into_iter().zip(content.to_be_bytes()) {
                assert!(byte == 0 || unit == u32::from(byte), "{word:?}");
            }
        }
        assert_eq!(memory.read(0).0, word);
    }
}

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
fn layouts(widths: &[usize], unit_bits: usize) -> Vec<Layout> {
    let mut all = Vec::new();
    let base = Layout {
        unit_bits,
        ..Layout::new(16, widths)
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
                    all.push(Layout {
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

/// Writes every mask over a dense word and reads it back.
fn check_round_trips(layout: &Layout, masks: impl Iterator<Item = u64>) {
    let mut memory = SlicedReference::new(layout);
    for m in masks {
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

#[test]
fn spm_18_spm_19_spm_30_spm_31_spm_35_spm_36_spm_39_spm_40_every_division_returns_the_word() {
    for units in [2, 4, 8] {
        for widths in divisions(units) {
            for layout in layouts(&widths, 8) {
                check_round_trips(&layout, 0..1 << units);
            }
        }
    }
}

#[test]
fn spm_18_spm_28_spm_29_words_of_4_to_32_bytes_return_in_every_unit() {
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

#[test]
fn spm_42_words_at_or_below_the_write_threshold_become_zero() {
    for place in ALL_PLACES {
        for (write_threshold, read_threshold) in [(0, 0), (1, 0), (2, 1), (5, 5), (7, 0)] {
            let layout = Layout {
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

#[test]
fn rows_have_the_bits_of_the_layout() {
    let rows = |layout: &Layout| {
        (
            layout.row_bits(),
            layout.slice_bits(0),
            layout.slice_bits(1),
        )
    };
    assert_eq!(rows(&even()), (72, 32, 32));
    assert_eq!(rows(&even().with_mask(MaskPlace::Field)), (72, 40, 32));
    assert_eq!(rows(&even().with_mask(MaskPlace::Hybrid)), (65, 33, 32));
    let pairs = Layout {
        unit_bits: 16,
        ..Layout::new(16, [2, 2])
    };
    let nibbles = Layout {
        unit_bits: 4,
        ..Layout::new(16, [8, 8])
    };
    let plain = Layout {
        plain: true,
        ..even()
    };
    assert_eq!((pairs.row_bits(), nibbles.row_bits()), (68, 80));
    assert_eq!((plain.row_bits(), access_bits(&plain, 0)), (64, 64));
}

fn near(seen: f64, expected: f64, step: f64) -> bool {
    (seen - expected).abs() <= step / 2.0 + 1e-9
}

#[test]
fn spm_41_expected_bits_follow_the_table() {
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
            let layout = Layout::new(16, [first, 8 - first]);
            let expected = energy(first, &shares, 8.0, slice_bits);
            assert!(near(expected_bits(&layout, &shares), expected, 0.0));
        }
    }
}

#[test]
fn spm_41_break_even_follows_the_table() {
    let [separate, hybrid] = BREAK_EVEN;
    let at = |place| break_even(&even().with_mask(place)).unwrap();
    assert!(near(at(MaskPlace::Slice), separate, 0.001));
    assert!(near(at(MaskPlace::Field), separate, 0.001));
    assert!(near(at(MaskPlace::Hybrid), hybrid, 0.001));
    // A plain memory saves nothing.
    let plain = Layout {
        plain: true,
        ..even()
    };
    assert_eq!(break_even(&plain), None);
}

#[test]
fn spm_41_targets_are_met_by_exactly_the_sizes_that_save_enough() {
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

#[test]
fn spm_41_histogram_of_words_gives_the_bits_that_are_counted() {
    let layouts = [
        even(),
        Layout::new(16, [2, 2, 4]),
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

//! Rows of the slices: the tables of words.

use super::even;
use heddle_sim::sliced::packing::{enables, mask, pop};
use heddle_sim::sliced::reference::STALE;
use heddle_sim::sliced::vectors::{
    FIELD_7, HYBRID, LANES, NIBBLES, PAIRS, STALE_STEPS, THREE_SLICES, TWENTY_BYTES, TWENTY_MASK,
    TWENTY_SLICES, WORDS, WordRow, word, word_with_mask,
};
use heddle_sim::sliced::{Layout, MaskPlace, SlicedReference, Word};

/// Units as one number, position 0 most significant.
fn number(units: &[u32], bits: usize) -> u64 {
    units.iter().fold(0, |n, unit| n << bits | u64::from(*unit))
}

/// Stale bytes of a row of 32 bits.
const STALE_ROW: u32 = u32::from_le_bytes([STALE; 4]);

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

//! Bits per access of slice layouts against table 7.2 of the specification, and their choice.

use heddle_arch::Params;
use heddle_arch::params::{MaskPlace, SlicedMemory, Slices};
use heddle_blocks::slices::{
    Population, access_bits, best, break_even, expected_bits, independent, layouts, rank,
};

fn with_mask(mask: MaskPlace, widths: &[u32]) -> Slices {
    Slices {
        mask,
        ..Slices::new(8, 8, widths.to_vec())
    }
}

/// A row of table 7.2: probability of a zero byte, bits per access of [4, 4] with the mask in a
/// slice, in a field, hybrid; best first slices with a mask slice and their bits.
type Row = (f64, f64, f64, f64, &'static [u32], f64);

const TABLE: [Row; 11] = [
    (0.0, 72.00, 72.00, 65.00, &[1, 2, 3, 4, 5, 6, 7], 72.00),
    (0.1, 71.84, 71.84, 64.99, &[7], 67.44),
    (0.2, 70.20, 70.20, 64.67, &[6], 64.05),
    (0.3, 65.79, 65.79, 63.15, &[6], 60.08),
    (0.4, 58.99, 59.01, 59.44, &[5], 55.54),
    (0.5, 51.50, 51.62, 53.38, &[5], 51.31),
    (0.6, 45.02, 45.56, 45.99, &[4], 45.02),
    (0.7, 40.01, 41.85, 39.21, &[3], 38.38),
    (0.8, 34.96, 40.33, 34.80, &[3], 30.22),
    (0.9, 26.24, 40.01, 33.16, &[2], 18.94),
    (1.0, 8.00, 40.00, 33.00, &[1, 2, 3, 4, 5, 6, 7], 8.00),
];

#[proves("SPM-41")]
#[test]
fn bits_per_access_and_best_first_slice_are_those_of_table_7_2() {
    let is = |bits: f64, expected: f64| (bits - expected).abs() < 0.005_001;
    for (zero, slice, field, hybrid, best, best_bits) in TABLE {
        let shares = independent(8, zero);
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        let bits = |mask, widths: &[u32]| expected_bits(&with_mask(mask, widths), &shares);
        for (mask, expected) in [
            (MaskPlace::Slice, slice),
            (MaskPlace::Field, field),
            (MaskPlace::Hybrid, hybrid),
        ] {
            let bits = bits(mask, &[4, 4]);
            assert!(is(bits, expected), "{zero} {mask:?}: {bits}");
        }
        let all: Vec<f64> = (1..8)
            .map(|w| bits(MaskPlace::Slice, &[w, 8 - w]))
            .collect();
        let lowest = all.iter().copied().fold(f64::MAX, f64::min);
        assert!(is(lowest, best_bits), "{zero}: {lowest}");
        let lowest_at: Vec<u32> = (1..)
            .zip(&all)
            .filter(|(_, bits)| **bits - lowest < 1e-9)
            .map(|(w, _)| w)
            .collect();
        assert_eq!(lowest_at, best, "{zero}");
    }
}

#[proves("SPM-41")]
#[test]
fn break_even_is_that_of_section_7_2() {
    for (mask, expected) in [
        (MaskPlace::Slice, 0.329),
        (MaskPlace::Field, 0.329),
        (MaskPlace::Hybrid, 0.258),
    ] {
        let zero = break_even(&with_mask(mask, &[4, 4])).expect("it saves in the end");
        assert!((zero - expected).abs() < 0.000_5, "{mask:?}: {zero}");
    }
    // 8 mask bits and 7 of 8 bytes are never fewer than 64 bits.
    let wide = with_mask(MaskPlace::Field, &[7, 1]);
    assert_eq!(break_even(&wide), None);
    let nibbles = Slices {
        mask: MaskPlace::Field,
        ..Slices::new(8, 4, vec![14, 2])
    };
    assert_eq!(break_even(&nibbles), None);
    // Two units: 2 + 16 + 16 (1 - z)^2 bits against 32.
    let pair = Slices {
        mask: MaskPlace::Field,
        ..Slices::new(4, 16, vec![1, 1])
    };
    let zero = break_even(&pair).expect("it saves in the end");
    assert!(
        (zero - (1.0 - (14.0f64 / 16.0).sqrt())).abs() < 1e-6,
        "{zero}"
    );
    let plain = Slices {
        plain: true,
        ..Slices::new(8, 8, vec![4, 4])
    };
    assert_eq!(break_even(&plain), None);
}

#[test]
fn an_access_to_each_of_the_256_masks_moves_what_the_counts_say() {
    let mut population = Population::new(8, 8);
    for mask in 0..256u32 {
        let word: Vec<u8> = (0..8).map(|i| (mask >> i & 1) as u8 * 0x80).collect();
        population.add(&word);
    }
    assert_eq!(population.words(), [1, 8, 28, 56, 70, 56, 28, 8, 1]);
    assert_eq!(population.zero_share(), 0.5);
    let bits = |mask| population.total_bits(&with_mask(mask, &[4, 4]));
    assert_eq!(bits(MaskPlace::Slice), 256 * 8 + 255 * 32 + 93 * 32);
    assert_eq!(bits(MaskPlace::Field), 256 * 40 + 93 * 32);
    assert_eq!(bits(MaskPlace::Hybrid), 256 * 33 + 163 * 32);
}

#[test]
fn units_of_every_size_are_counted() {
    // Words of tables 5.6 and 5.7 with the number of their non-zero units.
    for (word, unit_bits, expected) in [
        ([0; 8], 16, 0),
        ([0x11, 0, 0, 0, 0, 0x66, 0, 0], 16, 2),
        ([0x11, 0, 0x33, 0, 0x55, 0, 0, 0], 16, 3),
        ([0x01, 0x00, 0xa0, 0x00, 0x23, 0x00, 0x00, 0x0f], 4, 5),
        ([0x12, 0x34, 0x56, 0x78, 0, 0, 0, 0], 4, 8),
        ([0x12, 0x34, 0x56, 0x70, 0x08, 0x00, 0x90, 0x00], 4, 9),
        ([0, 0, 0, 1, 0, 0, 0, 0], 32, 1),
        ([0, 0, 0, 1, 0x80, 0, 0, 0], 32, 2),
    ] {
        let mut population = Population::new(8, unit_bits);
        population.add(&word);
        let mut words = vec![0; 64 / unit_bits as usize + 1];
        words[expected] = 1;
        assert_eq!(population.words(), words, "{word:02x?} {unit_bits}");
    }
}

#[test]
fn three_slices_are_accessed_as_table_5_8_says() {
    let slices = Slices::new(8, 8, vec![2, 2, 4]);
    let bits: Vec<u32> = (0..=8).map(|pop| access_bits(&slices, pop)).collect();
    assert_eq!(bits, [8, 24, 24, 40, 40, 72, 72, 72, 72]);
    let hybrid = Slices {
        mask: MaskPlace::Hybrid,
        ..Slices::new(8, 8, vec![3, 2, 3])
    };
    let bits: Vec<u32> = (0..=8).map(|pop| access_bits(&hybrid, pop)).collect();
    assert_eq!(bits, [25, 25, 25, 65, 65, 65, 65, 65, 65]);
}

#[test]
fn thresholds_change_what_is_accessed() {
    let smallest = Slices {
        access_threshold: Some(2),
        ..Slices::new(8, 8, vec![6, 2])
    };
    let bits: Vec<u32> = (0..=8).map(|pop| access_bits(&smallest, pop)).collect();
    assert_eq!(bits, [8, 56, 56, 72, 72, 72, 72, 72, 72]);
    let lossy = Slices {
        write_threshold: 5,
        read_threshold: 5,
        ..Slices::new(8, 8, vec![4, 4])
    };
    let bits: Vec<u32> = (0..=8).map(|pop| access_bits(&lossy, pop)).collect();
    assert_eq!(bits, [8, 8, 8, 8, 8, 8, 72, 72, 72]);
}

#[test]
fn every_layout_is_legal_and_none_is_missing() {
    let mut params = Params::from_json(include_str!("../../configs/tiny.json")).expect("a preset");
    for (word_bytes, unit_bits, expected) in [
        // Two slices, three slices; all places, without the hybrid ones that have no room.
        (8, 8, 3 * (7 + 21) - (1 + 6)),
        (8, 4, 3 * (15 + 105) - (4 + 14 + 13 + 12 + 11)),
        (8, 16, 3 * (3 + 3) - (1 + 2)),
        (8, 32, 2),
        (4, 16, 2),
        (32, 4, 3 * 63 - 16),
    ] {
        let all = layouts(word_bytes, unit_bits);
        assert_eq!(all.len(), expected, "{word_bytes} {unit_bits}");
        for slices in all {
            params.sliced = Some(SlicedMemory { words: 64, slices });
            params
                .validate()
                .unwrap_or_else(|e| panic!("{params:?}: {e}"));
        }
    }
}

#[test]
fn the_layout_with_the_fewest_bits_comes_first_and_of_equals_the_cheapest() {
    let mut bytes = Population::new(8, 8);
    let mut halves = Population::new(8, 16);
    for word in [[1, 0, 0, 0, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0, 0, 0]] {
        bytes.add(&word);
        halves.add(&word);
    }
    let ranked = rank(8, &[bytes.clone(), halves]);
    assert!(
        ranked
            .windows(2)
            .all(|pair| pair[0].total_bits <= pair[1].total_bits)
    );
    // Pairs of bytes: 4 mask bits and 16 bits for each of the words; nothing is narrower.
    assert_eq!(ranked[0].slices, Slices::new(8, 16, vec![1, 3]));
    assert_eq!(ranked[0].total_bits, 2 * (4 + 16));
    assert_eq!(
        best(8, &[bytes.clone()]).as_ref(),
        rank(8, &[bytes.clone()]).first()
    );
    assert_eq!(best(8, &[]), None);
    let ranked = rank(8, &[bytes]);
    // [1, 1, 6] moves 16 and 24 bits, [2, 6] twice 24.
    assert_eq!(ranked[0].slices, Slices::new(8, 8, vec![1, 1, 6]));
    assert_eq!(ranked[0].total_bits, 16 + 24);
}

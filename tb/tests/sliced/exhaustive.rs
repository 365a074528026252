//! Every mask, written and read by every variant.

use super::bench::Bench;
use super::variants::{VARIANTS, WORDS};
use heddle_sim::sliced::vectors::masked_word;
use heddle_sim::sliced::{Counts, Word};

/// Writes and reads a word for each of 256 masks, or each mask several times if there are fewer,
/// or random ones if there are more. All words must return.
fn all_masks(salt: u64) -> Bench {
    let mut bench = Bench::new(&VARIANTS, salt);
    for group in 0..256 / WORDS as u64 {
        let masks = group * WORDS as u64..(group + 1) * WORDS as u64;
        let words: Vec<Vec<Word>> = masks
            .map(|mask| {
                bench.words(|layout| {
                    let spread = match layout.units {
                        ..=8 => mask & ((1 << layout.units) - 1),
                        units => {
                            (mask + 1).wrapping_mul(salt | 0x9e37_79b9) >> 7 & ((1 << units) - 1)
                        }
                    };
                    masked_word(layout, spread, salt << 8 | mask)
                })
            })
            .collect();
        for (address, words) in (0..).zip(&words) {
            bench.step(Some(address), words, None);
        }
        for (address, words) in (0..).zip(&words) {
            let found = bench.read(address);
            for (((name, layout, _), word), found) in bench.all_counts().zip(words).zip(found) {
                let pop = layout.mask_of(*word).count_ones() as usize;
                let kept = pop > layout.dropped();
                let expected = if kept { *word } else { Word::ZERO };
                assert_eq!(found, expected, "{name}, address {address}");
            }
        }
    }
    bench.assert_agreed();
    bench
}

/// Accesses of the mask slice and of slices 0, 1 and 2.
fn totals(counts: &Counts) -> ([u64; 4], [u64; 4]) {
    let with = |mask, slices: [u64; 8]| [mask, slices[0], slices[1], slices[2]];
    (
        with(counts.mask_writes, counts.slice_writes),
        with(counts.mask_reads, counts.slice_reads),
    )
}

#[proves(
    "SPM-02", "SPM-18", "SPM-23", "SPM-24", "SPM-27", "SPM-28", "SPM-29", "SPM-30", "SPM-31",
    "SPM-40", "SPM-43"
)]
#[test]
fn every_mask_accesses_the_slices_of_its_units() {
    for salt in [1, 77, 200] {
        let bench = all_masks(salt);
        // 256 masks: 1, 8, 28, 56, 70, 56, 28, 8, 1 have 0 to 8 bits.
        let expected = [
            ("even2", [256, 255, 93, 0]),
            ("even7", [256, 255, 93, 0]),
            ("two", [256, 255, 219, 0]),
            ("three", [256, 255, 163, 0]),
            ("smallest", [256, 255, 219, 0]),
            ("turn", [256, 255, 219, 93]),
            ("right", [256, 255, 163, 0]),
            ("exact", [256, 255, 93, 0]),
            ("half", [256, 255, 37, 0]),
            ("split", [256, 255, 219, 93]),
            ("field", [0, 256, 93, 0]),
            ("field_right", [0, 256, 219, 0]),
            ("hybrid", [0, 256, 163, 0]),
            ("hybrid_half", [0, 256, 93, 93]),
            ("hybrid_split", [0, 256, 163, 0]),
            ("plain2", [0, 256, 0, 0]),
            ("plain7", [0, 256, 0, 0]),
        ];
        for (name, accesses) in expected {
            let found = totals(&bench.counts(name));
            assert_eq!(found, (accesses, accesses), "{name}, salt {salt}");
        }
        // 16 masks, 16 times each: 1 has no bit, 4 one, 6 two.
        let pairs = [256, 240, 80, 0];
        assert_eq!(totals(&bench.counts("pairs")), (pairs, pairs));
        // Stored as zero with up to 3 units, then read with none.
        let kept = [256, 163, 163, 0];
        assert_eq!(totals(&bench.counts("thresholds")), (kept, kept));
    }
}

//! Worked words and cycles, on the variants that they are made for.

use super::bench::{Bench, DRAIN};
use super::sides::shape;
use super::variants::VARIANTS;
use crate::rtl::emitted;
use heddle_hdl::sliced::Sliced;
use heddle_sim::sliced::vectors::{
    CYCLES, FIELD_7, HYBRID, LANES, PAIRS, STALE_STEPS, THREE_SLICES, WORDS, masked_word, word,
};
use heddle_sim::sliced::{Accesses, Layout, Word};

fn bench() -> Bench {
    Bench::new(&VARIANTS, 1)
}

/// The word of 8 bytes for all sides with such words, another word for the others.
fn bytes(word: u64) -> impl Fn(&Layout) -> Word {
    move |layout| match layout.word_bytes() {
        8 => Word::from(word),
        _ => masked_word(layout, word & 0xf, word),
    }
}

/// All accesses of the named side from now to the end of all requests.
fn accesses(bench: &mut Bench, name: &str, mut first: impl FnMut(&mut Bench)) -> Accesses {
    let mut all = Accesses::default();
    for cycle in 0..DRAIN {
        match cycle {
            0 => first(bench),
            _ => bench.step(None, &[], None),
        }
        let seen = bench.seen(name).accesses;
        all.mask_read |= seen.mask_read;
        all.mask_write |= seen.mask_write;
        all.slice_reads |= seen.slice_reads;
        all.slice_writes |= seen.slice_writes;
        all.lanes |= seen.lanes;
    }
    all
}

/// What a write of the word accesses, and what a read of it.
fn both(bench: &mut Bench, name: &str, word: u64) -> [Accesses; 2] {
    let written = accesses(bench, name, |bench| bench.write(5, bytes(word)));
    let read = accesses(bench, name, |bench| bench.step(None, &[], Some(5)));
    [written, read]
}

/// The slices that a word of the table accesses: bit 0 is slice a.
fn slices(a: Option<u32>, b: Option<u32>) -> u8 {
    u8::from(a.is_some()) | u8::from(b.is_some()) << 1
}

#[test]
fn spm_01_spm_02_reference_build_has_a_mask_slice_and_two_data_slices() {
    let side = &VARIANTS.sides[VARIANTS.index("even2")];
    let sources = emitted(Sliced::<8>::new(shape(&side.options)));
    let text_of = |part: &str| {
        let named = |name: &str| name.starts_with(part);
        let file = sources.files.iter().find(|(name, _)| named(name));
        file.map(|(_, text)| text.as_str()).expect("the file")
    };
    assert!(text_of("heddle_sliced_row_").contains(".Width   (8)"));
    assert!(text_of("heddle_sliced_data_").contains(".Width   (32)"));
    let instances = text_of("heddle_sliced_slices_").matches("  heddle_sliced_data_");
    assert_eq!(instances.count(), 2);
    let memories = sources.files.iter();
    let memories = memories.filter(|(_, text)| text.contains("  heddle_ram_1r1w #("));
    assert_eq!(memories.count(), 2);
    for port in ["wen_i", "waddr_i", "wdata_i", "ren_i", "raddr_i", "rdata_o"] {
        assert!(
            text_of("heddle_sliced_data_").contains(&format!(".{port}")),
            "{port}"
        );
    }
}

#[test]
fn spm_03_spm_04_spm_05_mask_and_count_of_the_table_of_words() {
    let mut bench = bench();
    for row in WORDS {
        bench.write(3, bytes(row.word));
        bench.step(None, &[], Some(3));
        bench.step(None, &[], None);
        bench.step(None, &[], None);
        let seen = bench.seen("even2");
        assert_eq!(seen.rdata, Some(Word::from(row.word)));
        assert_eq!(seen.rmask, u64::from(row.mask), "{:016x}", row.word);
        assert_eq!(seen.rmask.count_ones() as usize, row.pop);
    }
    bench.assert_agreed();
}

#[test]
fn spm_03_byte_is_stored_if_any_one_of_its_bits_is_set() {
    let mut bench = bench();
    for bit in 0..64 {
        for access in both(&mut bench, "even2", 1 << bit) {
            let slices = access.slice_reads | access.slice_writes;
            assert_eq!(slices, 0b01, "bit {bit}");
        }
        assert_eq!(bench.read(5)[0], Word::from(1_u64 << bit));
    }
    bench.assert_agreed();
}

#[test]
fn spm_09_spm_10_spm_12_spm_13_spm_14_spm_16_spm_17_spm_23_spm_24_spm_26_spm_51_table_of_words() {
    let mut bench = bench();
    for row in WORDS {
        let [written, read] = both(&mut bench, "even2", row.word);
        let expected = slices(row.a, row.b);
        assert_eq!((written.mask_read, written.mask_write), (false, true));
        assert_eq!((read.mask_read, read.mask_write), (true, false));
        assert_eq!((written.slice_reads, written.slice_writes), (0, expected));
        assert_eq!((read.slice_reads, read.slice_writes), (expected, 0));
    }
    bench.assert_agreed();
}

#[test]
fn spm_32_spm_33_spm_44_lanes_of_the_table_of_words_from_both_ends() {
    let mut bench = bench();
    for (row, lanes) in WORDS.into_iter().zip(LANES) {
        let [exact, _] = both(&mut bench, "exact", row.word);
        assert_eq!(exact.lanes, u64::from(lanes), "{:016x}", row.word);
        let [mirrored, _] = both(&mut bench, "exact_right", row.word.swap_bytes());
        assert_eq!(
            mirrored.lanes,
            u64::from(lanes),
            "{:016x} mirrored",
            row.word
        );
        let [filled, _] = both(&mut bench, "even2", row.word);
        let full = [0, 0x0f, 0xf0, 0xff][usize::from(slices(row.a, row.b))];
        assert_eq!(filled.lanes, full, "{:016x}", row.word);
    }
    bench.assert_agreed();
}

#[test]
fn spm_09_spm_10_spm_11_spm_19_spm_25_stale_bytes_never_reach_the_read_data() {
    // Memories start with other random bits, rows are rewritten dense, sparse, empty, dense.
    for seed in 1..=5 {
        let mut bench = Bench::new(&VARIANTS, seed);
        for step in STALE_STEPS {
            if let Some(number) = step.write {
                let [written, read] = both(&mut bench, "even2", word(number));
                assert_eq!(
                    (written.slice_writes, read.slice_reads),
                    (step.slices, step.slices)
                );
            } else if let Some(number) = step.read {
                let found = bench.read(5);
                for ((name, layout, _), found) in bench.all_counts().zip(found) {
                    let pop = layout.mask_of(Word::from(word(number))).count_ones() as usize;
                    if layout.word_bytes() == 8 && pop > layout.dropped() {
                        assert_eq!(found, Word::from(word(number)), "{name}");
                    }
                }
            }
        }
        bench.assert_agreed();
    }
}

#[test]
fn spm_15_spm_20_spm_21_spm_22_spm_48_spm_51_back_to_back_commands_follow_the_cycle_table() {
    let mut bench = bench();
    for (cycle, row) in CYCLES.into_iter().enumerate() {
        let write = row.write.map(|_| 5);
        let words = bench.words(bytes(row.write.map_or(0, word)));
        bench.step(write, &words, row.read.then_some(5));
        let seen = bench.seen("even2");
        let accesses = seen.accesses;
        assert_eq!(
            (accesses.mask_read, accesses.mask_write),
            row.mask,
            "{cycle}"
        );
        let slices = (accesses.slice_reads, accesses.slice_writes);
        assert_eq!(slices, row.slices, "{cycle}");
        assert_eq!(
            seen.rdata,
            row.rdata.map(|n| Word::from(word(n))),
            "{cycle}"
        );
    }
    bench.drain();
    bench.assert_agreed();
}

#[test]
fn spm_28_units_of_two_bytes_of_table_5_6() {
    let mut bench = bench();
    for row in PAIRS {
        let [written, read] = both(&mut bench, "pairs", row.word);
        let expected = slices(row.a, row.b);
        assert_eq!(
            (written.slice_writes, read.slice_reads),
            (expected, expected)
        );
    }
    bench.assert_agreed();
}

#[test]
fn spm_30_three_slices_are_enabled_by_the_bytes_before_them() {
    let mut bench = bench();
    for (number, expected, _) in THREE_SLICES {
        // Slices of 3, 3 and 2 bytes in the table, of 2, 2 and 4 here.
        let pop = WORDS[number - 1].pop;
        let here = u8::from(pop > 0) | u8::from(pop > 2) << 1 | u8::from(pop > 4) << 2;
        assert!(here >= expected, "row {number}");
        let [written, read] = both(&mut bench, "turn", word(number));
        assert_eq!((written.slice_writes, read.slice_reads), (here, here));
    }
    bench.assert_agreed();
}

#[test]
fn spm_38_spm_39_hybrid_rows_of_table_5_10_return_without_a_mask_slice() {
    let mut bench = bench();
    let index = VARIANTS.index("hybrid");
    for (number, packed, _, b) in HYBRID {
        let [written, read] = both(&mut bench, "hybrid", word(number));
        let expected = slices(Some(0), b);
        assert_eq!(
            (written.slice_writes, read.slice_reads),
            (expected, expected)
        );
        assert_eq!(packed, expected == 0b01, "row {number}");
        assert!(!written.mask_write && !read.mask_read);
        let found = bench.read(5)[index];
        assert_eq!(found, Word::from(word(number)));
    }
    bench.assert_agreed();
}

#[test]
fn spm_40_spm_49_mask_field_is_accessed_with_the_first_units() {
    let mut bench = bench();
    let index = VARIANTS.index("field");
    assert_ne!(FIELD_7.1, 0, "row 7 has a unit in slice b");
    for (number, expected) in [(1, 0b01), (2, 0b01), (7, 0b11), (9, 0b11)] {
        let [written, read] = both(&mut bench, "field", word(number));
        assert_eq!(
            (written.slice_writes, read.slice_reads),
            (expected, expected)
        );
        assert!(!written.mask_write && !read.mask_read);
        let found = bench.read(5)[index];
        assert_eq!(found, Word::from(word(number)));
    }
    bench.assert_agreed();
}

#[test]
fn spm_42_spm_43_thresholds_drop_small_words_and_move_the_second_slice() {
    let mut bench = bench();
    // Row 4 has 3 bytes, row 5 has 4.
    for (number, dropped, smallest) in [(2, true, 0b01), (4, true, 0b11), (5, false, 0b11)] {
        let [written, read] = both(&mut bench, "thresholds", word(number));
        let accessed = if dropped { 0 } else { 0b11 };
        assert_eq!(
            (written.slice_writes, read.slice_reads),
            (accessed, accessed)
        );
        let found = bench.read(5)[VARIANTS.index("thresholds")];
        assert_eq!(
            found,
            if dropped {
                Word::ZERO
            } else {
                word(number).into()
            }
        );
        let [written, read] = both(&mut bench, "smallest", word(number));
        assert_eq!(
            (written.slice_writes, read.slice_reads),
            (smallest, smallest)
        );
    }
    bench.assert_agreed();
}

#[test]
fn spm_50_slices_in_turn_are_accessed_one_cycle_after_another() {
    let mut bench = bench();
    for write in [true, false] {
        let words = bench.words(bytes(word(9)));
        for cycle in 0..DRAIN {
            match (cycle, write) {
                (0, true) => bench.step(Some(6), &words, None),
                (0, false) => bench.step(None, &[], Some(6)),
                _ => bench.step(None, &[], None),
            }
            let accesses = bench.seen("turn").accesses;
            let slice = if (1..4).contains(&cycle) {
                1 << (cycle - 1)
            } else {
                0
            };
            let expected = if write { (0, slice) } else { (slice, 0) };
            let found = (accesses.slice_reads, accesses.slice_writes);
            assert_eq!(found, expected, "cycle {cycle}");
        }
    }
    bench.assert_agreed();
}

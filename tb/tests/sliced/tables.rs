//! Worked words and cycles, on the variants that they are made for.

use super::bench::{Bench, DRAIN};
use super::sides::shape;
use super::variants::VARIANTS;
use crate::rtl::emitted;
use heddle_hdl::sliced::Sliced;
use heddle_sim::sliced::vectors::{
    CYCLES, FIELD_7, HYBRID, LANES, NIBBLES, PAIRS, STALE_STEPS, THREE_SLICES, WORDS, WordRow,
    masked_word, word,
};
use heddle_sim::sliced::{Accesses, MaskPlace, SliceLayout, Word};

/// The word of 8 bytes for all sides with such words, another word for the others.
fn bytes(word: u64) -> impl Fn(&SliceLayout) -> Word {
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

#[proves("SPM-01", "SPM-02")]
#[test]
fn reference_build_has_a_mask_slice_and_two_data_slices() {
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

/// Words with the slices that they access, by the side that they are made for.
fn rows() -> Vec<(&'static str, u64, u8)> {
    let mut rows = Vec::new();
    let table = |name, table: &[WordRow]| {
        let row = |row: &WordRow| (name, row.word, slices(row.a, row.b));
        table.iter().map(row).collect::<Vec<_>>()
    };
    rows.extend(table("even2", &WORDS));
    rows.extend(table("pairs", &PAIRS));
    rows.extend(table("nibbles", &NIBBLES));
    rows.extend(THREE_SLICES.map(|(number, slices, _)| ("turn", word(number), slices)));
    rows.extend(HYBRID.map(|(number, _, _, b)| ("hybrid", word(number), slices(Some(0), b))));
    let field = [
        (1, 0b01),
        (2, 0b01),
        (7, slices(Some(0), Some(FIELD_7.1))),
        (9, 0b11),
    ];
    rows.extend(field.map(|(number, slices)| ("field", word(number), slices)));
    // Row 4 has 3 bytes, row 5 has 4: up to 3 are stored as zero, more than 2 need slice b.
    rows.extend([(2, 0), (4, 0), (5, 0b11)].map(|(n, slices)| ("thresholds", word(n), slices)));
    rows.extend([(2, 0b01), (4, 0b11), (5, 0b11)].map(|(n, slices)| ("smallest", word(n), slices)));
    // A byte is stored if any one of its bits is set.
    rows.extend((0..64).map(|bit| ("even2", 1 << bit, 0b01)));
    rows
}

#[proves(
    "SPM-03", "SPM-04", "SPM-05", "SPM-12", "SPM-13", "SPM-14", "SPM-16", "SPM-17", "SPM-23",
    "SPM-24", "SPM-26", "SPM-28", "SPM-29", "SPM-30", "SPM-38", "SPM-39", "SPM-40", "SPM-42",
    "SPM-43", "SPM-49", "SPM-51"
)]
#[test]
fn worked_words_access_the_slices_of_the_tables() {
    let mut bench = Bench::new(&VARIANTS, 1);
    for (name, word, slices) in rows() {
        let [written, read] = both(&mut bench, name, word);
        let side = &VARIANTS.sides[VARIANTS.index(name)].options;
        let mask = side.mask == MaskPlace::Slice;
        let accesses = |mask_read, mask_write, slice_reads, slice_writes| Accesses {
            mask_read,
            mask_write,
            slice_reads,
            slice_writes,
            // Lanes have a test of their own.
            lanes: written.lanes * u64::from(slice_writes != 0),
        };
        let expected = [
            accesses(false, mask, 0, slices),
            accesses(mask, false, slices, 0),
        ];
        assert_eq!([written, read], expected, "{name}, {word:016x}");
    }
    bench.assert_agreed();
}

#[proves("SPM-32", "SPM-33", "SPM-44")]
#[test]
fn lanes_of_the_table_of_words_from_both_ends() {
    let mut bench = Bench::new(&VARIANTS, 1);
    for (row, lanes) in WORDS.into_iter().zip(LANES) {
        let full = [0, 0x0f, 0xf0, 0xff][usize::from(slices(row.a, row.b))];
        for (name, word, lanes) in [
            ("exact", row.word, lanes),
            ("exact_right", row.word.swap_bytes(), lanes),
            ("even2", row.word, full),
        ] {
            let [written, _] = both(&mut bench, name, word);
            assert_eq!(written.lanes, u64::from(lanes), "{name}, {word:016x}");
        }
    }
    bench.assert_agreed();
}

#[proves("SPM-09", "SPM-10", "SPM-11", "SPM-19", "SPM-25")]
#[test]
fn stale_bytes_never_reach_the_read_data() {
    // Memories start with other random bits, rows are rewritten dense, sparse, empty, dense.
    for seed in 1..=5 {
        let mut bench = Bench::new(&VARIANTS, seed);
        for number in STALE_STEPS.iter().filter_map(|step| step.write) {
            both(&mut bench, "even2", word(number));
            let found = bench.read(5);
            for ((name, layout, _), found) in bench.all_counts().zip(found) {
                let pop = layout.mask_of(Word::from(word(number))).count_ones() as usize;
                if layout.word_bytes() == 8 && pop > layout.dropped() {
                    assert_eq!(found, Word::from(word(number)), "{name}");
                }
            }
        }
        bench.assert_agreed();
    }
}

#[proves("SPM-15", "SPM-20", "SPM-21", "SPM-22", "SPM-48", "SPM-51")]
#[test]
fn back_to_back_commands_follow_the_cycle_table() {
    let mut bench = Bench::new(&VARIANTS, 1);
    for (cycle, row) in CYCLES.into_iter().enumerate() {
        let write = row.write.map(|_| 5);
        let words = bench.words(bytes(row.write.map_or(0, word)));
        bench.step(write, &words, row.read.then_some(5));
        let seen = bench.seen("even2");
        let accesses = seen.accesses;
        let mask = (accesses.mask_read, accesses.mask_write);
        let slices = (accesses.slice_reads, accesses.slice_writes);
        let found = (mask, slices, seen.rdata);
        let rdata = row.rdata.map(|n| Word::from(word(n)));
        assert_eq!(found, (row.mask, row.slices, rdata), "{cycle}");
    }
    bench.drain();
    bench.assert_agreed();
}

#[proves("SPM-50")]
#[test]
fn slices_in_turn_are_accessed_one_cycle_after_another() {
    let mut bench = Bench::new(&VARIANTS, 1);
    for write in [true, false] {
        let words = bench.words(bytes(word(9)));
        for cycle in 0..DRAIN {
            match (cycle, write) {
                (0, true) => bench.step(Some(6), &words, None),
                (0, false) => bench.step(None, &[], Some(6)),
                _ => bench.step(None, &[], None),
            }
            let accesses = bench.seen("turn").accesses;
            let slice = match cycle {
                1..4 => 1 << (cycle - 1),
                _ => 0,
            };
            let expected = if write { (0, slice) } else { (slice, 0) };
            let found = (accesses.slice_reads, accesses.slice_writes);
            assert_eq!(found, expected, "cycle {cycle}");
        }
    }
    bench.assert_agreed();
}

//! Sliced memory against the worked tables of its specification.
//! Words are printed as in the tables: leftmost byte first.

use super::bench::{Bench, Memory, Random, shape, word};
use heddle_hdl::sliced::{
    DataSlices, MaskPlace, Row, Sliced, SlicedBank, SlicedCounters, SlicedField, SlicedHybrid,
    SlicedShape,
};
use heddle_kernel::prelude::*;
use std::collections::BTreeSet;

/// Rows of table 5.4: word, mask, slice a and slice b with 4 bytes each.
const TABLE_5_4: [(&str, u64, &str, &str); 11] = [
    ("00 00 00 00 00 00 00 00", 0x00, "", ""),
    ("11 00 00 00 00 00 00 00", 0x80, "11000000", ""),
    ("00 00 00 00 00 00 00 88", 0x01, "88000000", ""),
    ("11 00 33 00 00 66 00 00", 0xa4, "11336600", ""),
    ("00 00 00 00 55 66 77 88", 0x0f, "55667788", ""),
    ("11 00 33 00 55 00 77 00", 0xaa, "11335577", ""),
    ("11 00 33 44 00 66 00 88", 0xb5, "11334466", "88000000"),
    ("00 22 33 00 55 66 77 00", 0x6e, "22335566", "77000000"),
    ("11 22 33 44 55 66 77 88", 0xff, "11223344", "55667788"),
    ("80 00 00 01 00 00 00 FF", 0x91, "8001ff00", ""),
    ("00 00 00 01 00 00 00 00", 0x10, "01000000", ""),
];

/// Rows of a memory, as its write ports have stored them.
struct Image<M> {
    memory: M,
    address: u64,
    /// Bits of the first row: mask, or slice 0 with mask or flag.
    row: String,
    /// Data slices, most significant lane first, two or more digits per lane.
    slices: Vec<Vec<String>>,
}

/// Access to the memories inside.
trait Inside<const UB: usize>: Memory {
    fn row(&self) -> &Row;
    fn slices(&self) -> &DataSlices<UB>;
}

macro_rules! inside {
    ($($name:ident)*) => { $(
        impl<const UB: usize> Inside<UB> for $name<UB> {
            fn row(&self) -> &Row {
                &self.row
            }
            fn slices(&self) -> &DataSlices<UB> {
                &self.slices
            }
        }
    )* };
}
inside!(Sliced SlicedField SlicedHybrid);

impl<M> Image<M> {
    fn new<const UB: usize>(mut memory: M, address: u64) -> Self
    where
        M: Inside<UB>,
    {
        memory.drive(false, None, None);
        memory.tick();
        let slices = memory.slices().slices().into_iter().map(|slice| {
            let lanes = slice.ram.iter().map(|ram| ram.wdata_i.len()).sum();
            vec!["..".to_string(); lanes]
        });
        Self {
            slices: slices.collect(),
            memory,
            address,
            row: String::new(),
        }
    }

    /// Writes a word; the rows follow what the write ports do until all slices are written.
    fn write<const UB: usize>(&mut self, word: &[u64])
    where
        M: Inside<UB>,
    {
        for cycle in 0..12 {
            let write = (cycle == 0).then_some((self.address, word));
            self.memory.drive(true, write, None);
            let row = &self.memory.row().ram;
            if row.wen_i.val() {
                assert_eq!(row.waddr_i.val().to_u64(), self.address);
                let bits = row.wdata_i.iter().rev();
                self.row = bits.map(|b| b.val().to_u64().to_string()).collect();
            }
            for (slice, rows) in self
                .memory
                .slices()
                .slices()
                .into_iter()
                .zip(&mut self.slices)
            {
                let lanes = rows.len();
                let ports = slice.ram.iter().flat_map(|ram| {
                    let lane = move |data| (ram, data);
                    ram.wdata_i.iter().map(lane)
                });
                for (element, (ram, data)) in ports.enumerate() {
                    if ram.wen_i.val() {
                        assert_eq!(ram.waddr_i.val().to_u64(), self.address);
                        let digits = UB / 4;
                        let unit = data.val().to_u64();
                        rows[lanes - 1 - element] = format!("{unit:0digits$x}");
                    }
                }
            }
            self.memory.tick();
        }
    }

    fn slice(&self, k: usize) -> String {
        self.slices[k].concat()
    }
}

/// Bits of a number, most significant first.
fn bits(number: u64, count: usize) -> String {
    format!("{number:0count$b}")
}

/// A row of a table: an empty text stands for a slice that keeps what it holds.
fn after(before: String, row: &str) -> String {
    let row = row.replace(' ', "").to_lowercase();
    if row.is_empty() { before } else { row }
}

#[test]
fn spm_02_spm_03_spm_04_spm_06_spm_07_spm_08_spm_33_rows_of_table_5_4() {
    for latency in 2..=7 {
        let memory = Sliced::<8>::new(shape(16, &[4, 4], |s| s.latency = latency));
        let mut image = Image::new(memory, 5);
        for (text, mask, a, b) in TABLE_5_4 {
            let before = (image.slice(0), image.slice(1));
            image.write(&word(text, 8));
            assert_eq!(image.row, bits(mask, 8), "mask of {text}");
            assert_eq!(image.slice(0), after(before.0, a), "slice a of {text}");
            assert_eq!(image.slice(1), after(before.1, b), "slice b of {text}");
        }
    }
}

#[test]
fn spm_09_spm_10_spm_12_spm_13_spm_14_spm_16_spm_17_spm_26_enables_of_table_5_4() {
    let mut bench = Bench::new(shape(16, &[4, 4], |_| {}));
    for (text, _, a, b) in TABLE_5_4 {
        let slices: BTreeSet<usize> = [(0, a), (1, b)]
            .into_iter()
            .filter(|s| !s.1.is_empty())
            .map(|s| s.0)
            .collect();
        let word = word(text, 8);
        assert!(bench.cycle(Some((5, &word)), None).mask.1);
        assert_eq!(bench.cycle(None, None).writes, slices, "write of {text}");
        assert!(bench.cycle(None, Some(5)).mask.0);
        assert_eq!(bench.cycle(None, None).reads, slices, "read of {text}");
        let read = bench.cycle(None, None).word.expect("two cycles later");
        assert_eq!(read.0, word);
    }
}

#[test]
fn spm_32_lanes_of_table_5_4_are_written_one_by_one() {
    let memory = Sliced::<8>::new(shape(16, &[4, 4], |s| s.exact = true));
    let mut image = Image::new(memory, 5);
    for (text, _, a, b) in TABLE_5_4 {
        for lanes in image.slices.iter_mut().flatten() {
            *lanes = "..".into();
        }
        image.write(&word(text, 8));
        let pop = word(text, 8).iter().filter(|u| **u != 0).count();
        let mut packed = format!("{a:.<8}{b:.<8}");
        packed.replace_range(2 * pop.., &"..".repeat(8 - pop));
        assert_eq!(image.slice(0) + &image.slice(1), packed, "{text}");
    }
}

#[test]
fn spm_11_spm_19_stale_bytes_of_table_5_5() {
    for (exact, steps) in [
        (
            false,
            [
                (8, "11223344", "55667788"),
                (3, "11336600", "55667788"),
                (0, "11336600", "55667788"),
                (6, "11334466", "88000000"),
            ],
        ),
        (
            true,
            [
                (8, "11223344", "55667788"),
                (3, "11336644", "55667788"),
                (0, "11336644", "55667788"),
                (6, "11334466", "88667788"),
            ],
        ),
    ] {
        let usual = shape(16, &[4, 4], |s| s.exact = exact);
        let mut image = Image::new(Sliced::<8>::new(usual.clone()), 5);
        let mut bench = Bench::new(usual);
        for (row, a, b) in steps {
            let word = word(TABLE_5_4[row].0, 8);
            image.write(&word);
            assert_eq!((image.slice(0), image.slice(1)), (a.into(), b.into()));
            bench.round_trip(5, &word);
        }
    }
}

#[test]
fn spm_28_units_of_two_bytes_of_table_5_6() {
    let memory = Sliced::<16>::new(shape(16, &[2, 2], |s| s.unit_bits = 16));
    let mut image = Image::new(memory, 3);
    let mut bench = Bench::new(shape(16, &[2, 2], |s| s.unit_bits = 16));
    for (text, mask, a, b) in [
        ("00 00 00 00 00 00 00 00", 0x0, "", ""),
        ("11 00 00 00 00 66 00 00", 0xa, "11 00 00 66", ""),
        ("11 22 00 00 00 00 77 88", 0x9, "11 22 77 88", ""),
        ("11 00 33 00 55 00 00 00", 0xe, "11 00 33 00", "55 00 00 00"),
        ("11 00 33 00 00 00 77 00", 0xd, "11 00 33 00", "77 00 00 00"),
    ] {
        let before = (image.slice(0), image.slice(1));
        image.write(&word(text, 16));
        assert_eq!(image.row, bits(mask, 4), "mask of {text}");
        assert_eq!(image.slice(0), after(before.0, a), "slice a of {text}");
        assert_eq!(image.slice(1), after(before.1, b), "slice b of {text}");
        bench.round_trip(3, &word(text, 16));
    }
}

#[test]
fn spm_29_half_bytes_of_table_5_7() {
    let memory = Sliced::<4>::new(shape(16, &[8, 8], |s| s.unit_bits = 4));
    let mut image = Image::new(memory, 3);
    let mut bench = Bench::new(shape(16, &[8, 8], |s| s.unit_bits = 4));
    for (text, mask, a, b) in [
        ("00 00 00 00 00 00 00 00", 0x0000, "", ""),
        ("01 00 A0 00 23 00 00 0F", 0x48c1, "1A 23 F0 00", ""),
        ("12 34 56 78 00 00 00 00", 0xff00, "12 34 56 78", ""),
        ("10 20 30 40 50 60 70 80", 0xaaaa, "12 34 56 78", ""),
        (
            "12 34 56 70 08 00 90 00",
            0xfe48,
            "12 34 56 78",
            "90 00 00 00",
        ),
    ] {
        let before = (image.slice(0), image.slice(1));
        image.write(&word(text, 4));
        assert_eq!(image.row, bits(mask, 16), "mask of {text}");
        assert_eq!(image.slice(0), after(before.0, a), "slice a of {text}");
        assert_eq!(image.slice(1), after(before.1, b), "slice b of {text}");
        bench.round_trip(3, &word(text, 4));
    }
}

#[test]
fn spm_30_three_slices_of_table_5_8() {
    let mut image = Image::new(Sliced::<8>::new(shape(16, &[2, 2, 4], |_| {})), 3);
    for (row, slices) in [
        (0, ["", "", ""]),
        (1, ["1100", "", ""]),
        (3, ["1133", "6600", ""]),
        (4, ["5566", "7788", ""]),
        (6, ["1133", "4466", "88000000"]),
        (8, ["1122", "3344", "55667788"]),
    ] {
        let before: Vec<String> = (0..3).map(|k| image.slice(k)).collect();
        image.write(&word(TABLE_5_4[row].0, 8));
        for (k, before) in before.into_iter().enumerate() {
            assert_eq!(image.slice(k), after(before, slices[k]), "row {row}, {k}");
        }
    }
}

#[test]
fn spm_38_spm_39_hybrid_rows_of_table_5_10() {
    let hybrid = shape(256, &[4, 4], |s| s.mask = MaskPlace::Hybrid);
    let mut image = Image::new(SlicedHybrid::<8>::new(hybrid.clone()), 3);
    let mut bench = Bench::new(hybrid);
    for (row, flag, a, b) in [
        (0, 1, 0x0000_0000, ""),
        (1, 1, 0x8011_0000, ""),
        (2, 1, 0x0188_0000, ""),
        (3, 1, 0xa411_3366, ""),
        (9, 1, 0x9180_01ff, ""),
        (4, 0, 0x0000_0000, "55667788"),
        (5, 0, 0x1100_3300, "55007700"),
        (6, 0, 0x1100_3344, "00660088"),
        (8, 0, 0x1122_3344, "55667788"),
    ] {
        let before = image.slice(0);
        image.write(&word(TABLE_5_4[row].0, 8));
        assert_eq!(image.row, bits(flag << 32 | a, 33), "row {row}");
        assert_eq!(image.slice(0), after(before, b), "row {row}");
        bench.round_trip(3, &word(TABLE_5_4[row].0, 8));
    }
}

/// Accesses of each slice by writes of one word for each of the 256 masks, and by reads of them.
fn accesses_of_all_masks(mask: MaskPlace) -> ([usize; 3], [usize; 3]) {
    let mut bench = Bench::new(shape(256, &[4, 4], |s| s.mask = mask));
    let (mut writes, mut reads) = ([0; 3], [0; 3]);
    for cycle in 0..514u64 {
        let word: Vec<u64> = (0..8).map(|k| (cycle >> k & 1) * 0x11 * (k + 1)).collect();
        let write = (cycle < 256).then_some((cycle, &word[..]));
        let read = (256..512).contains(&cycle).then_some(cycle & 255);
        let ports = bench.cycle(write, read);
        writes[0] += usize::from(ports.mask.1);
        reads[0] += usize::from(ports.mask.0);
        for k in 0..2 {
            writes[k + 1] += usize::from(ports.writes.contains(&k));
            reads[k + 1] += usize::from(ports.reads.contains(&k));
        }
    }
    bench.drain();
    (writes, reads)
}

#[test]
fn spm_18_spm_27_all_masks_cost_256_255_and_93_accesses() {
    let expected = [256, 255, 93];
    assert_eq!(
        accesses_of_all_masks(MaskPlace::Slice),
        (expected, expected)
    );
}

#[test]
fn spm_38_spm_40_all_masks_without_a_mask_slice() {
    let hybrid = [0, 256, 163];
    assert_eq!(accesses_of_all_masks(MaskPlace::Hybrid), (hybrid, hybrid));
    let field = [0, 256, 93];
    assert_eq!(accesses_of_all_masks(MaskPlace::Field), (field, field));
}

#[test]
fn spm_40_spm_49_mask_and_first_units_in_one_row() {
    let field = shape(16, &[4, 4], |s| s.mask = MaskPlace::Field);
    let mut image = Image::new(SlicedField::<8>::new(field), 3);
    image.write(&word(TABLE_5_4[6].0, 8));
    assert_eq!(image.row, bits(0xb5_1133_4466, 40));
    assert_eq!(image.slice(0), "88000000");
    image.write(&word(TABLE_5_4[3].0, 8));
    assert_eq!(image.row, bits(0xa4_1133_6600, 40));
    assert_eq!(image.slice(0), "88000000");
}

#[test]
fn spm_44_packing_to_the_right_mirrors_table_5_4() {
    let right = shape(16, &[4, 4], |s| s.right = true);
    let mut image = Image::new(Sliced::<8>::new(right), 5);
    let mirror = |text: &str| -> String {
        let bytes = text.as_bytes().chunks(2).rev().flatten();
        bytes.map(|c| char::from(*c)).collect()
    };
    for (text, mask, a, b) in TABLE_5_4 {
        let before = (image.slice(0), image.slice(1));
        let mut mirrored = word(text, 8);
        mirrored.reverse();
        image.write(&mirrored);
        let mask: String = bits(mask, 8).chars().rev().collect();
        assert_eq!(image.row, mask, "mask of mirrored {text}");
        assert_eq!(
            image.slice(0),
            after(before.0, &mirror(a)),
            "slice a of {text}"
        );
        assert_eq!(
            image.slice(1),
            after(before.1, &mirror(b)),
            "slice b of {text}"
        );
    }
}

#[test]
fn spm_20_spm_22_spm_48_cycle_table_5_11() {
    let rows = TABLE_5_4.map(|row| word(row.0, 8));
    let mut bench = Bench::new(shape(16, &[4, 4], |_| {}));
    let commands = [
        (Some((5, &rows[8][..])), None),
        (None, Some(5)),
        (Some((5, &rows[3][..])), None),
        (None, Some(5)),
        (Some((5, &rows[0][..])), None),
        (None, Some(5)),
        (None, None),
        (None, None),
    ];
    // Mask read, mask written, slices read, slices written, word.
    type Expected<'a> = (bool, bool, &'a [usize], &'a [usize], Option<usize>);
    let table: [Expected; 8] = [
        (false, true, &[], &[], None),
        (true, false, &[], &[0, 1], None),
        (false, true, &[0, 1], &[], None),
        (true, false, &[], &[0], Some(8)),
        (false, true, &[0], &[], None),
        (true, false, &[], &[], Some(3)),
        (false, false, &[], &[], None),
        (false, false, &[], &[], Some(0)),
    ];
    for (cycle, (command, expected)) in commands.into_iter().zip(table).enumerate() {
        let ports = bench.cycle(command.0, command.1);
        assert_eq!(ports.mask, (expected.0, expected.1), "cycle {cycle}");
        assert!(ports.reads.iter().eq(expected.2), "cycle {cycle}");
        assert!(ports.writes.iter().eq(expected.3), "cycle {cycle}");
        let found = ports.word.map(|w| w.0);
        assert_eq!(found, expected.4.map(|r| rows[r].clone()), "cycle {cycle}");
    }
}

/// Addresses and write data at the ports of the data slices.
fn still<const UB: usize>(memory: &impl Inside<UB>) -> Vec<Vec<u64>> {
    let slice = |slice: &heddle_hdl::sliced::DataSlice<UB>| {
        let ports = slice.ram.iter().flat_map(|ram| {
            let addresses = [ram.waddr_i.val().to_u64(), ram.raddr_i.val().to_u64()];
            let data = ram.wdata_i.iter().map(|data| data.val().to_u64());
            addresses.into_iter().chain(data)
        });
        ports.collect()
    };
    memory.slices().slices().into_iter().map(slice).collect()
}

#[test]
fn spm_16_spm_25_ports_of_a_slice_hold_still_until_it_is_accessed() {
    for latency in 2..=7 {
        for exact in [false, true] {
            for in_turn in [false, true] {
                let mut memory = Sliced::<8>::new(shape(16, &[4, 4], |s| {
                    s.latency = latency;
                    s.exact = exact;
                    s.in_turn = in_turn;
                }));
                memory.drive(false, None, None);
                memory.tick();
                let mut random = Random(latency as u64 + 1);
                let mut held = still(&memory);
                let mut moved = [0; 2];
                for address in 0..400 {
                    let word = random.word(8, 8);
                    let write = (random.below(2) > 0).then_some((address & 15, &word[..]));
                    let read = (address > 40 && random.below(2) > 0).then(|| random.below(16));
                    memory.drive(true, write, read);
                    let ports = memory.ports();
                    let now = still(&memory);
                    for k in 0..2 {
                        if held[k] == now[k] {
                            continue;
                        }
                        let accessed = ports.reads.contains(&k) || ports.writes.contains(&k);
                        assert!(accessed, "slice {k}, request {address}, latency {latency}");
                        moved[k] += 1;
                    }
                    held = now;
                    memory.tick();
                }
                assert!(moved.iter().all(|n| *n > 50), "{moved:?}");
            }
        }
    }
}

#[test]
fn spm_45_a_bank_holds_words_of_eight_bytes_in_units_of_any_size() {
    for (bits, widths) in [(4, [8, 8]), (8, [4, 4]), (16, [2, 2]), (32, [1, 1])] {
        for place in 0..4 {
            if (bits, place) == (32, 2) {
                continue;
            }
            let shape = shape(16, &widths, |s| {
                s.unit_bits = bits;
                s.plain = place == 3;
                s.mask = match place {
                    1 => MaskPlace::Field,
                    2 => MaskPlace::Hybrid,
                    _ => MaskPlace::Slice,
                };
            });
            let mut bank = SlicedBank::new(shape);
            clock_cycle!(bank);
            bank.rst_n.next = true;
            for (address, row) in TABLE_5_4.iter().enumerate() {
                bank.wen_i.next = true;
                bank.waddr_i.next = (address as u64).into();
                for (port, byte) in bank.wdata_i.iter_mut().zip(word(row.0, 8)) {
                    port.next = byte.into();
                }
                clock_cycle!(bank);
            }
            bank.wen_i.next = false;
            for (address, row) in TABLE_5_4.iter().enumerate() {
                bank.ren_i.next = true;
                bank.raddr_i.next = (address as u64).into();
                clock_cycle!(bank);
                bank.ren_i.next = false;
                assert!(!bank.rvalid_o.val());
                clock_cycle!(bank);
                assert!(bank.rvalid_o.val());
                let read: Vec<u64> = bank.rdata_o.iter().map(|b| b.val().to_u64()).collect();
                assert_eq!(
                    read,
                    word(row.0, 8),
                    "{bits} bits, place {place}, {}",
                    row.0
                );
                let mask = bank.rmask_o.iter().map(|b| b.val().any());
                let units = word(row.0, bits);
                assert!(mask.eq(units.iter().map(|u| *u != 0)), "{}", row.0);
            }
        }
    }
}

#[test]
fn spm_05_spm_27_counters_of_accesses_words_and_lanes() {
    let shape = shape(256, &[4, 4], |s| s.exact = true);
    let mut memory = Sliced::<8>::new(shape.clone());
    let mut counters = SlicedCounters::new(&shape);
    let step = |memory: &mut Sliced<8>,
                counters: &mut SlicedCounters,
                write: Option<(u64, &[u64])>,
                read: Option<u64>| {
        memory.drive(true, write, read);
        counters.rst_n.next = true;
        counters.wen_i.next = memory.wen_i.val();
        for k in 0..8 {
            let byte = memory.wdata_i[k].val();
            counters.wdata_i[2 * k].next = byte.get_bits::<4>(0);
            counters.wdata_i[2 * k + 1].next = byte.get_bits::<4>(4);
            counters.lane_wen_i[k].next = memory.lane_wen_o[k].val();
        }
        counters.mask_ren_i.next = memory.mask_ren_o.val();
        counters.mask_wen_i.next = memory.mask_wen_o.val();
        for k in 0..2 {
            counters.slice_ren_i[k].next = memory.slice_ren_o[k].val();
            counters.slice_wen_i[k].next = memory.slice_wen_o[k].val();
        }
        clock_cycle!(*counters);
        memory.tick();
    };
    for mask in 0..256u64 {
        let word: Vec<u64> = (0..8).map(|k| (mask >> k & 1) * 0x11 * (k + 1)).collect();
        step(&mut memory, &mut counters, Some((mask, &word)), None);
    }
    for mask in 0..100 {
        step(&mut memory, &mut counters, None, Some(mask));
    }
    for _ in 0..4 {
        step(&mut memory, &mut counters, None, None);
    }
    let named = |least: u32| (0..100u32).filter(|m| m.count_ones() > least).count() as u64;
    // Of 256 masks 1 is zero and 162 have one to four bits; all bits are 1024.
    let expected = [100, 256, named(0), 255, named(4), 93, 1, 162, 93, 1024, 0];
    let read = |counters: &mut SlicedCounters, index: usize| {
        counters.index_i.next = (index as u64).into();
        clock_cycle!(*counters);
        counters.count_o.val().to_u64()
    };
    for (index, expected) in expected.into_iter().enumerate() {
        assert_eq!(read(&mut counters, index), expected, "counter {index}");
    }
    counters.clear_i.next = true;
    clock_cycle!(counters);
    counters.clear_i.next = false;
    for index in 0..11 {
        assert_eq!(read(&mut counters, index), 0, "counter {index}");
    }
}

#[test]
#[should_panic(expected = "latency is 8, allowed 2..=7")]
fn spm_01_a_shape_that_cannot_be_built_is_refused() {
    Sliced::<8>::new(SlicedShape {
        latency: 8,
        ..SlicedShape::new(16, vec![4, 4])
    });
}

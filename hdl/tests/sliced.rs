//! What stands around a sliced memory: the bank of eight bytes, the counters, the limits of a shape.

use heddle_hdl::sliced::{MaskPlace, Sliced, SlicedBank, SlicedCounters, SlicedShape};
use heddle_kernel::prelude::*;

/// Units of `bits` bits of a word, unit 0 in the low bits.
fn units(word: u64, bits: usize) -> impl Iterator<Item = u64> {
    (0..64)
        .step_by(bits)
        .map(move |from| word >> from & (u64::MAX >> (64 - bits)))
}

#[proves("SPM-45")]
#[test]
fn a_bank_holds_words_of_eight_bytes_in_units_of_any_size() {
    let words = [
        0,
        0x11,
        0x88 << 56,
        0x6600_0033_0011,
        0x8866_0044_3300_1100,
        0x8877_6655_4433_2211,
    ];
    for (bits, widths) in [(4, [8, 8]), (8, [4, 4]), (16, [2, 2]), (32, [1, 1])] {
        for place in [
            None,
            Some(MaskPlace::Slice),
            Some(MaskPlace::Field),
            Some(MaskPlace::Hybrid),
        ] {
            if (bits, place) == (32, Some(MaskPlace::Hybrid)) {
                continue;
            }
            let mut shape = SlicedShape {
                unit_bits: bits,
                plain: place.is_none(),
                mask: place.unwrap_or_default(),
                ..SlicedShape::new(16, widths.to_vec())
            };
            shape.access_threshold = shape.first_units();
            let mut bank = SlicedBank::new(shape);
            clock_cycle!(bank);
            bank.rst_n.next = true;
            bank.ports_i.wen.next = true;
            for (address, word) in (0u64..).zip(words) {
                bank.ports_i.waddr.next = address.into();
                for (port, byte) in bank.wdata_i.iter_mut().zip(units(word, 8)) {
                    port.next = byte.into();
                }
                clock_cycle!(bank);
            }
            bank.ports_i.wen.next = false;
            for (address, word) in (0u64..).zip(words) {
                bank.ports_i.ren.next = true;
                bank.ports_i.raddr.next = address.into();
                clock_cycle!(bank);
                bank.ports_i.ren.next = false;
                assert!(!bank.wave_o.rvalid.val());
                clock_cycle!(bank);
                assert!(bank.wave_o.rvalid.val());
                let case = format!("{bits} bits, {place:?}, {word:x}");
                let read = bank.wave_o.rdata.iter().map(|byte| byte.val().to_u64());
                assert!(read.eq(units(word, 8)), "{case}");
                let mask = bank.wave_o.rmask.iter().map(|bit| bit.val().any());
                assert!(mask.eq(units(word, bits).map(|unit| unit != 0)), "{case}");
            }
        }
    }
}

/// One cycle of a memory with its counters.
fn step(
    (memory, counters): (&mut Sliced<8>, &mut SlicedCounters),
    write: Option<(u64, u64)>,
    read: Option<u64>,
) {
    memory.rst_n.next = true;
    memory.ports_i.wen.next = write.is_some();
    let (address, word) = write.unwrap_or_default();
    memory.ports_i.waddr.next = address.into();
    for (port, byte) in memory.wdata_i.iter_mut().zip(units(word, 8)) {
        port.next = byte.into();
    }
    memory.ports_i.ren.next = read.is_some();
    memory.ports_i.raddr.next = read.unwrap_or_default().into();
    settle(memory);
    counters.rst_n.next = true;
    counters.wen_i.next = memory.ports_i.wen.val();
    for (port, nibble) in counters.wdata_i.iter_mut().zip(units(word, 4)) {
        port.next = nibble.into();
    }
    counters.mask_i.follow(&memory.mask_o);
    counters.ports_i.follow(&memory.ports_o);
    clock_cycle!(*counters);
    clock_cycle!(*memory);
}

#[proves("SPM-05", "SPM-27")]
#[test]
fn counters_of_accesses_words_and_lanes() {
    let mut shape = SlicedShape::new(256, vec![4, 4]);
    shape.exact = true;
    let mut memory = Sliced::<8>::new(shape.clone());
    let mut counters = SlicedCounters::new(&shape);
    for mask in 0..256u64 {
        let word = (0..8).fold(0, |word, k| {
            word | ((mask >> k & 1) * 0x11 * (k + 1)) << (8 * k)
        });
        step((&mut memory, &mut counters), Some((mask, word)), None);
    }
    for mask in 0..100 {
        step((&mut memory, &mut counters), None, Some(mask));
    }
    for _ in 0..4 {
        step((&mut memory, &mut counters), None, None);
    }
    let named = |least: u32| (0..100u32).filter(|m| m.count_ones() > least).count() as u64;
    // Of 256 masks 1 is zero and 162 have one to four bits; all bits are 1024.
    let expected = [100, 256, named(0), 255, named(4), 93, 1, 162, 93, 1024, 0];
    let mut read = |clear: bool| {
        counters.clear_i.next = clear;
        clock_cycle!(counters);
        counters.clear_i.next = false;
        let counter = |index: u64| {
            counters.index_i.next = index.into();
            clock_cycle!(counters);
            counters.count_o.val().to_u64()
        };
        (0..11).map(counter).collect::<Vec<_>>()
    };
    assert_eq!(read(false), expected);
    assert_eq!(read(true), [0; 11]);
}

#[proves("SPM-01")]
#[test]
#[should_panic(expected = "latency is 8, allowed 2..=7")]
fn a_shape_that_cannot_be_built_is_refused() {
    Sliced::<8>::new(SlicedShape {
        latency: 8,
        ..SlicedShape::new(16, vec![4, 4])
    });
}

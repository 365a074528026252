//! The modules of the unit, each for itself.

use heddle_hdl::offsets::{
    EntryTable, OffsetKept, OffsetRow, OffsetSequencer, OffsetShape, OffsetWave,
};
use heddle_kernel::prelude::*;

#[test]
fn sgcr_02_a_table_keeps_values_and_mask_bits() {
    let mut u = EntryTable::<24>::new(16, 8);
    for entry in 0..16u64 {
        u.wen_i.next = true;
        u.waddr_i.next = entry.into();
        u.value_i.next = (entry * 0x01_1235).into();
        for i in 0..8 {
            u.row_i[i].next = (entry >> (i % 4) & 1).into();
            u.col_i[i].next = (!entry >> (i % 4) & 1).into();
        }
        clock_cycle!(u);
    }
    u.wen_i.next = false;
    u.ren_i.next = true;
    for entry in (0..16u64).rev() {
        u.raddr_i.next = entry.into();
        clock_cycle!(u);
        assert_eq!(u.value_o.val().to_u64(), (entry * 0x01_1235) & 0xff_ffff);
        for i in 0..8 {
            assert_eq!(u.row_o[i].val().to_u64(), entry >> (i % 4) & 1);
            assert_eq!(u.col_o[i].val().to_u64(), !entry >> (i % 4) & 1);
        }
    }
    u.ren_i.next = false;
    u.raddr_i.next = 9.into();
    clock_cycle!(u);
    assert_eq!(u.value_o.val().to_u64(), 0, "entry 0 is held");
}

fn set_bits(port: &mut [Signal<In, Bits<1>>], bits: u64) {
    for (i, bit) in port.iter_mut().enumerate() {
        bit.next = (bits >> i & 1).into();
    }
}

#[test]
fn sgcr_47_masks_of_a_row_meet_in_any_order() {
    // Row bits and column bits, held and streamed; the one-hot one may be either.
    for held in 0..16u64 {
        for streamed in 0..16u64 {
            let mut u = OffsetRow::<16>::new(4, 0);
            u.rst_n.next = true;
            u.advance_i.next = true;
            u.load_i.next = true;
            u.first_i.next = true;
            u.enabled_i.next = true;
            u.value_i.next = 40.into();
            set_bits(&mut u.row_i, held);
            set_bits(&mut u.col_i, 5);
            clock_cycle!(u);
            assert!(u.took_o.val() && !u.valid_o.val());
            u.load_i.next = false;
            u.step_i.next = true;
            u.value_i.next = 2.into();
            for (columns, meet) in [(4, true), (2, false)] {
                set_bits(&mut u.row_i, streamed);
                set_bits(&mut u.col_i, columns);
                clock_cycle!(u);
                assert!(u.valid_o.val() && u.first_o.val() && !u.last_o.val());
                assert_eq!(u.ren_o.val(), held & streamed != 0 && meet);
                assert!(!u.ren_o.val() || u.addr_o.val().to_u64() == 42);
            }
        }
    }
}

#[test]
fn a_row_takes_only_the_load_slot_marked_for_it_and_holds() {
    let mut u = OffsetRow::<16>::new(0, 0);
    u.rst_n.next = true;
    u.advance_i.next = true;
    for (first, enabled, value) in [(true, true, 7), (false, true, 8), (false, false, 9)] {
        u.load_i.next = true;
        u.first_i.next = first;
        u.enabled_i.next = enabled;
        u.value_i.next = value.into();
        clock_cycle!(u);
        assert_eq!(u.took_o.val(), first);
    }
    u.load_i.next = false;
    u.step_i.next = true;
    u.last_i.next = true;
    u.value_i.next = 0xfff0.into();
    clock_cycle!(u);
    assert!(u.ren_o.val() && u.last_o.val());
    assert_eq!(u.addr_o.val().to_u64(), 0xfff7);
    u.advance_i.next = false;
    u.step_i.next = false;
    u.value_i.next = 1.into();
    clock_cycle!(u);
    assert!(u.valid_o.val() && u.ren_o.val());
    assert_eq!(u.addr_o.val().to_u64(), 0xfff7);
}

#[test]
fn a_wave_keeps_back_what_its_row_takes_and_marks_the_slot_behind() {
    let mut u = OffsetWave::<16>::new(4);
    u.rst_n.next = true;
    // took, load, step, first: load, step, first behind.
    let cases = [
        ((false, true, false, true), (false, false, false)),
        ((true, true, false, false), (true, false, true)),
        ((false, true, false, false), (true, false, false)),
        ((true, false, true, true), (false, true, true)),
        ((true, false, true, false), (false, true, false)),
        ((true, false, false, true), (false, false, false)),
    ];
    for (i, (now, behind)) in cases.into_iter().enumerate() {
        u.took_i.next = now.0;
        u.load_i.next = now.1;
        u.step_i.next = now.2;
        u.first_i.next = now.3;
        u.mark_i.next = i % 2 == 0;
        u.value_i.next = (i as u64 + 5).into();
        set_bits(&mut u.row_i, i as u64);
        clock_cycle!(u);
        assert_eq!(
            (u.load_o.val(), u.step_o.val()),
            (behind.0, behind.1),
            "{i}"
        );
        if behind.0 || behind.1 {
            assert_eq!(u.first_o.val(), behind.2, "{i}");
            assert_eq!(u.mark_o.val(), i % 2 == 0);
            assert_eq!(u.value_o.val().to_u64(), i as u64 + 5);
            assert_eq!(u.row_o[1].val().to_u64(), i as u64 >> 1 & 1);
        }
    }
}

#[test]
fn sgcr_58_a_row_keeps_its_entries_and_takes_them_in_their_order() {
    let mut u = OffsetKept::<16>::new(5, 4);
    clock_cycle!(u);
    u.rst_n.next = true;
    for run in 1..4u64 {
        let entries = 2 + run;
        let value = |entry: u64| 1000 * run + 7 * entry;
        u.store_i.next = true;
        for entry in 0..entries {
            u.value_i.next = value(entry).into();
            u.enabled_i.next = entry != 2;
            set_bits(&mut u.row_i, entry + run);
            set_bits(&mut u.col_i, 15 - entry);
            clock_cycle!(u);
        }
        u.store_i.next = false;
        for entry in 0..entries {
            u.take_i.next = true;
            clock_cycle!(u);
            u.take_i.next = false;
            // It stays until the next one is taken.
            for _ in 0..entry {
                clock_cycle!(u);
            }
            assert_eq!(u.value_o.val().to_u64(), value(entry), "run {run}");
            assert_eq!(u.enabled_o.val(), entry != 2, "run {run}");
            for i in 0..4 {
                assert_eq!(u.row_o[i].val().to_u64(), (entry + run) >> i & 1);
                assert_eq!(u.col_o[i].val().to_u64(), (15 - entry) >> i & 1);
            }
        }
    }
}

/// Entries of bases and of offsets in the order in which they are read.
fn table_reads(rows: usize, ws: bool, t: u64, k: u64, n: u64) -> (Vec<u64>, Vec<u64>) {
    let mut u = OffsetSequencer::new(&OffsetShape::new(rows, 1));
    clock_cycle!(u);
    u.rst_n.next = true;
    u.ws_i.next = ws;
    u.t_i.next = t.into();
    u.k_i.next = k.into();
    u.n_i.next = n.into();
    u.base_ptr_i.next = 100.into();
    u.offset_ptr_i.next = 200.into();
    u.advance_i.next = true;
    u.start_i.next = true;
    clock_cycle!(u);
    u.start_i.next = false;
    let (mut bases, mut offsets) = (Vec::new(), Vec::new());
    let mut clock = 0;
    while u.valid_o.val() {
        clock += 1;
        assert!(clock < 5000, "the sequencer never ends");
        // Every third clock is a stall.
        u.advance_i.next = clock % 3 != 0;
        settle(&mut u);
        if u.base_ren_o.val() {
            bases.push(u.base_addr_o.val().to_u64() - 100);
        }
        if u.offset_ren_o.val() {
            offsets.push(u.offset_addr_o.val().to_u64() - 200);
        }
        clock_cycle!(u);
    }
    (bases, offsets)
}

#[test]
fn sgcr_09_sgcr_12_sgcr_24_each_base_is_read_once_and_each_offset_once_in_a_pass() {
    let (bases, offsets) = table_reads(2, false, 4, 9, 1);
    assert_eq!(bases, [0, 1, 2, 3]);
    let pass: Vec<u64> = (0..9).collect();
    assert_eq!(offsets, [&pass[..], &pass[..]].concat(), "9 for each tile");
    // Three tiles with a tail, two column tiles.
    let (bases, offsets) = table_reads(3, false, 7, 4, 2);
    assert_eq!(bases, [0, 1, 2, 3, 4, 5, 6]);
    let pass: Vec<u64> = (0..4).collect();
    assert_eq!(offsets, vec![pass; 6].concat());
}

#[test]
fn sgcr_54_the_tables_exchange_their_roles() {
    let (bases, offsets) = table_reads(4, true, 4, 9, 1);
    assert_eq!(bases, [[0, 1, 2, 3]; 3].concat(), "12 base reads");
    assert_eq!(offsets, [0, 1, 2, 3, 4, 5, 6, 7, 8], "9 offset reads");
    let (bases, offsets) = table_reads(2, true, 1, 3, 2);
    assert_eq!((bases, offsets), (vec![0; 4], vec![0, 1, 2, 0, 1, 2]));
}

#[test]
fn long_lists_are_counted_to_their_ends() {
    let (bases, offsets) = table_reads(256, false, 257, 3, 1);
    assert_eq!((bases.len(), offsets.len()), (257, 6));
    let (bases, offsets) = table_reads(1, true, 1, 1, 300);
    assert_eq!((bases.len(), offsets.len()), (300, 300));
}

//! What options of post-processing ask of the control half, in rust-hdl's own simulator.

use heddle_hdl::control::{DrainHead, InstructionCheck, Phase, SequencerShape, Unit};
use heddle_hdl::post::PostOptions;
use heddle_kernel::prelude::*;

const ALL: PostOptions = PostOptions {
    pooling: true,
    product: true,
    median: 9,
    activations: 3,
};

fn shape(post: PostOptions) -> SequencerShape {
    SequencerShape {
        rows: 4,
        cols: 4,
        record_rows: 3,
        loops: 2,
        offset_bits: 16,
        address_bits: 16,
        tiles: 16,
        program_words: 64,
        banked: false,
        row_offsets: 16,
        post,
    }
}

/// Is this word of a drain refused? `pool` says that it is the one of pooling.
fn is_bad(options: PostOptions, pool: bool, word: u32) -> bool {
    let mut u = InstructionCheck::new(shape(options));
    u.unit_i.next = Unit::Drain;
    u.phase_i.next = match pool {
        true => Phase::ThirdParam,
        false => Phase::Param,
    };
    for port in &mut u.is_pool_i {
        port.next = pool;
    }
    u.word_i.next = u64::from(word).into();
    settle(&mut u);
    u.bad_field_o.val()
}

#[test]
fn pet_58_pet_59_drains_ask_for_what_is_there() {
    let only = |activations, pooling| PostOptions {
        activations,
        pooling,
        ..PostOptions::NONE
    };
    for tables in 0..=8usize {
        for pooling in [false, true] {
            let options = only(tables, pooling);
            for table in 0..16 {
                let bad = is_bad(options, false, 1 | table << 11);
                assert_eq!(bad, table as usize > tables, "table {table} of {tables}");
            }
            let bad = is_bad(options, false, 1 | 1 << 15);
            assert_eq!(bad, !pooling, "windows with {options:?}");
        }
    }
}

#[test]
fn pet_59_words_of_pooling_are_checked() {
    for (product, median) in [(false, 0), (true, 0), (false, 9), (true, 32)] {
        let options = PostOptions {
            product,
            median,
            ..ALL
        };
        for reduction in 0..8 {
            for window in [1, 2, 9, 10, 32, 33, 256] {
                let expected = match reduction {
                    0..=2 => true,
                    3 => product,
                    4 => window as usize <= median,
                    _ => false,
                };
                let bad = is_bad(options, true, reduction | (window - 1) << 8);
                assert_eq!(bad, !expected, "{reduction} of {window} with {options:?}");
            }
        }
        for bit in (3..8).chain(16..32) {
            assert!(is_bad(options, true, 1 << bit), "bit {bit} is reserved");
        }
    }
}

/// A head with slots for post in all clocks; `addresses` of them.
fn head(window: u64, addresses: usize, slots: usize) -> Vec<(usize, bool, bool, Option<u64>)> {
    let mut u = DrainHead::<16>::new(2, 10, 2, 4, ALL);
    u.rst_n.next = false;
    clock_cycle!(u);
    u.rst_n.next = true;
    u.window_i[0].next = (window - 1).into();
    u.start_i.next = true;
    clock_cycle!(u);
    u.start_i.next = false;
    let mut taken = 0;
    let mut seen = Vec::new();
    for cycle in 0..slots + 60 {
        // Slots with a gap behind every third one.
        let slot = cycle < slots + slots / 3 && cycle % 4 != 3;
        u.op_valid_i.next = slot;
        u.op_tag_i.next = if slot { 0b1000u64 } else { 0 }.into();
        u.addr_valid_i.next = taken < addresses;
        u.addr_busy_i.next = taken < addresses;
        u.addr_end_i.next = taken + 1 == addresses;
        u.addr_i.next = (40 + taken as u64).into();
        settle(&mut u);
        if u.post_valid_o.val() {
            let dest = u.post_dest_o.val().to_u64();
            let (first, last) = (u.post_first_o[0].val(), u.post_last_o[0].val());
            seen.push((cycle, first, last, last.then_some(dest)));
        }
        if u.underflow_o.val() {
            seen.push((cycle, false, false, None));
        }
        taken += usize::from(u.addr_ready_o.val());
        clock_cycle!(u);
    }
    settle(&mut u);
    assert_eq!(
        u.busy_o.val(),
        taken < addresses,
        "idle behind the last one"
    );
    seen
}

#[test]
fn pet_59_a_window_takes_one_address() {
    for window in 1..=5 {
        let slots = 3 * window as usize;
        let seen = head(window, 3, slots);
        assert_eq!(seen.len(), slots);
        for (at, (_, first, last, dest)) in seen.into_iter().enumerate() {
            let place = at as u64 % window;
            assert_eq!((first, last), (place == 0, place + 1 == window));
            assert_eq!(dest, last.then_some(40 + at as u64 / window));
        }
    }
}

#[test]
fn pet_59_a_slot_behind_the_last_window_finds_no_address() {
    let seen = head(3, 2, 7);
    let (_, first, last, dest) = seen[6];
    assert_eq!((seen.len(), first, last, dest), (7, false, false, None));
}

#[test]
fn pet_59_a_window_that_is_not_complete_keeps_the_unit_busy() {
    let seen = head(3, 2, 5);
    assert_eq!(seen.len(), 5);
    assert!(seen[3].1 && !seen[4].2);
}

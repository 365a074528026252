//! The sequencer and the heads of the waves in rust-hdl's own simulator.

use heddle_hdl::control::{DrainHead, Sequencer, SequencerShape, StreamHead, WeightHead};
use heddle_hdl::post::PostOptions;
use heddle_kernel::prelude::*;

fn shape() -> SequencerShape {
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
        post: PostOptions::NONE,
    }
}

fn sequencer(words: &[u32]) -> Sequencer {
    let mut u = Sequencer::new(shape());
    u.rst_n.next = false;
    clock_cycle!(u);
    u.rst_n.next = true;
    for (at, &word) in words.iter().enumerate() {
        u.program_wen_i.next = true;
        u.program_waddr_i.next = bits(at as u64);
        u.program_wdata_i.next = bits(u64::from(word));
        clock_cycle!(u);
    }
    u.program_wen_i.next = false;
    u.host_start_i.next = true;
    clock_cycle!(u);
    u.host_start_i.next = false;
    settle(&mut u);
    u
}

/// Clocks until the program ends; gives the fault code and program word, or `None` at HALT.
fn end_of(words: &[u32]) -> Option<(u64, u64)> {
    let mut u = sequencer(words);
    for _ in 0..6000 {
        settle(&mut u);
        if u.fault_o.val() {
            return Some((u.fault_code_o.val().to_u64(), u.pc_o.val().to_u64()));
        }
        if u.halt_o.val() {
            return None;
        }
        clock_cycle!(u);
    }
    panic!("neither fault nor halt within 6000 cycles");
}

const HALT: u32 = 0x0101;
/// LOAD_WEIGHTS of 4 rows, one row block with one loop.
const LOAD: [u32; 7] = [0x0702, 4, 0x11, 64, 0, 8, 16];

#[test]
fn a_load_sets_up_its_unit_in_nine_cycles() {
    let mut program = LOAD.to_vec();
    program.push(HALT);
    let mut u = sequencer(&program);
    let mut writes = Vec::new();
    let mut started = None;
    for cycle in 0..40 {
        settle(&mut u);
        if u.cfg_valid_o[0].val() {
            writes.push((
                u.cfg_sel_o.val().to_u64(),
                u.cfg_row_o.val().to_u64(),
                u.cfg_col_o.val().to_u64(),
                u.cfg_data_o.val().to_u64(),
            ));
        }
        if u.start_o[0].val() {
            started.get_or_insert(cycle);
        }
        assert!(!u.cfg_valid_o[1].val() && !u.cfg_valid_o[2].val());
        clock_cycle!(u);
    }
    assert_eq!(
        writes,
        [(3, 1, 0, 64), (0, 1, 0, 0), (1, 1, 0, 8), (2, 1, 0, 16)]
    );
    // Fetch 0, Head 1, six words 2 to 7, Start 8; the pulse is a register.
    assert_eq!(started, Some(9));
    assert_eq!(u.param_o[0].val().to_u64(), 4);
}

#[test]
fn head_waits_for_the_unit_and_for_the_units_named() {
    for (header, busy, waits) in [
        (0x0702u32, 0usize, true),
        (0x0702, 1, false),
        (0x0702 | 1 << 17, 1, true),
        (0x0702 | 1 << 18, 2, true),
        (0x0702 | 1 << 18, 1, false),
        (HALT, 2, true),
    ] {
        let mut program = LOAD.to_vec();
        program[0] = header;
        program.push(HALT);
        let mut u = sequencer(&program);
        u.busy_i[busy].next = true;
        let mut waited = 0;
        for _ in 0..20 {
            settle(&mut u);
            waited += usize::from(u.wait_o.val() && u.issue_o.val());
            clock_cycle!(u);
        }
        assert_eq!(waited, 0, "waiting and leaving exclude each other");
        settle(&mut u);
        let held = u.wait_o.val() && u.unit_pc_o[0].val().to_u64() == 0;
        let issued_load = u.param_o[0].val().to_u64() == 4;
        assert_eq!(
            held && !issued_load,
            waits,
            "{header:x} with unit {busy} busy"
        );
    }
}

#[test]
fn faults_have_the_codes_of_the_document() {
    let with = |at: usize, word: u32| {
        let mut program = LOAD.to_vec();
        program[at] = word;
        program.push(HALT);
        end_of(&program)
    };
    assert_eq!(with(0, 0x0702), None);
    assert_eq!(with(0, 0x0700), Some((1, 0)), "opcode 0");
    assert_eq!(with(0, 0x0706), Some((1, 0)), "POOL is reserved");
    assert_eq!(with(0, 0x0302), Some((2, 0)), "no room for a record");
    assert_eq!(with(0, 0x0602), Some((2, 0)), "record ends early");
    assert_eq!(with(0, 0x0002), Some((2, 0)), "length 0");
    assert_eq!(with(0, 0x0201), Some((2, 0)), "HALT of two words");
    assert_eq!(
        with(0, 0x0702 | 1 << 19),
        Some((3, 0)),
        "reserved header bit"
    );
    assert_eq!(with(1, 0), Some((3, 0)), "no rows");
    assert_eq!(with(1, 5), Some((3, 0)), "more rows than the array");
    assert_eq!(with(1, 4 | 2 << 12), Some((3, 0)), "tile level is no loop");
    assert_eq!(with(1, 4 | 1 << 9), Some((3, 0)), "reserved parameter bit");
    assert_eq!(with(2, 0x13), Some((3, 0)), "row beyond the record");
    assert_eq!(with(2, 0x31), Some((3, 0)), "more loops than the record");
    assert_eq!(with(3, 0x1_0000), Some((3, 0)), "base beyond the address");
    assert_eq!(with(5, 0x1_0000), Some((3, 0)), "step beyond the offset");
    // 64 words of program, the last instruction reaches beyond.
    let mut program = vec![HALT; 64];
    program[..7].copy_from_slice(&LOAD);
    program[7] = 0x0701;
    assert_eq!(
        end_of(&program),
        Some((2, 7)),
        "the second instruction is named"
    );
    let mut program: Vec<u32> = LOAD.iter().copied().cycle().take(63).collect();
    program.push(0x0702);
    assert_eq!(end_of(&program), Some((7, 63)), "words behind the memory");
}

#[test]
fn a_wait_without_progress_ends_as_stuck() {
    let mut u = sequencer(&[HALT]);
    u.busy_i[1].next = true;
    for cycle in 0..5000u64 {
        settle(&mut u);
        if u.fault_o.val() {
            assert_eq!(u.fault_code_o.val().to_u64(), 6);
            assert_eq!(
                cycle,
                1 + 4095,
                "FETCH, then the last of 4096 cycles in HEAD"
            );
            return;
        }
        clock_cycle!(u);
    }
    panic!("a program that waits forever was not stopped");
}

#[test]
fn weights_wait_for_the_swap_to_cross_the_columns() {
    let mut u = WeightHead::<16>::new(1, 10, 3, 4);
    u.rst_n.next = true;
    u.rows_i.next = bits(4);
    u.addr_valid_i.next = true;
    u.final_i[0].next = true;
    settle(&mut u);
    assert!(u.addr_ready_o.val(), "the first word is taken at once");
    clock_cycle!(u);
    assert!(u.full_o.val() && !u.wt_o.valid.val() && !u.addr_ready_o.val());
    clock_cycle!(u);
    assert!(!u.wt_o.valid.val());
    clock_cycle!(u);
    assert!(u.wt_o.valid.val(), "on the wave three cycles later");
    clock_cycle!(u);
    assert!(!u.wt_o.valid.val(), "a complete tile blocks the next");
    // Swap in cycle 0: the next word is taken in cycle 4 = cols at the earliest.
    u.swap_i.next = true;
    settle(&mut u);
    let mut taken = None;
    for cycle in 0..10 {
        if u.addr_ready_o.val() {
            taken.get_or_insert(cycle);
        }
        clock_cycle!(u);
        u.swap_i.next = false;
        settle(&mut u);
    }
    assert_eq!(taken, Some(4));
    u.addr_i.next = bits(1024);
    settle(&mut u);
    assert!(u.error_o.val(), "the partition has 1024 bytes");
}

#[test]
fn pet_54_copies_come_in_each_clock_and_are_on_their_way_until_the_last_row_has_written() {
    let mut u = WeightHead::<16>::new(1, 10, 3, 4);
    u.rst_n.next = true;
    u.rows_i.next = bits(3);
    u.copy_i.next = true;
    u.distance_i.next = bits(100);
    u.addr_valid_i.next = true;
    u.final_i[0].next = true;
    let mut destinations = Vec::new();
    for cycle in 0..16u64 {
        // Three addresses, one of each in a clock; a copy makes no tile.
        u.addr_valid_i.next = cycle < 3;
        u.addr_i.next = bits(8 * cycle);
        settle(&mut u);
        assert_eq!(u.addr_ready_o.val(), cycle < 3);
        assert_eq!(u.copying_o.val(), (1..=2 + 3 + 5).contains(&cycle));
        assert_eq!(u.wt_o.valid.val(), (3..6).contains(&cycle));
        assert_eq!(u.wt_o.copy.val(), u.wt_o.valid.val());
        assert!(!u.full_o.val() && !u.error_o.val());
        if (6..9).contains(&cycle) {
            destinations.push(u.wt_o.dest.val().to_u64());
        }
        clock_cycle!(u);
    }
    assert_eq!(destinations, [100, 101, 102]);
    // 128 words: the copy of word 28 lies beyond, which comes to light in the next cycle.
    u.addr_valid_i.next = true;
    u.addr_i.next = bits(8 * 28);
    settle(&mut u);
    assert!(u.addr_ready_o.val() && !u.error_o.val());
    clock_cycle!(u);
    u.addr_valid_i.next = false;
    settle(&mut u);
    assert!(u.error_o.val());
}

const COPY: [u32; 5] = [0x0505, 3, 0xfff8, 0x01, 64];
const SYNC: u32 = 0x0107;

#[test]
fn pet_54_a_copy_sets_up_the_weight_unit_and_a_sync_starts_nothing() {
    let mut program = vec![SYNC, SYNC];
    program.extend(COPY);
    program.extend([SYNC, HALT]);
    let mut u = sequencer(&program);
    let (mut issued, mut started) = (Vec::new(), Vec::new());
    for cycle in 0..40 {
        settle(&mut u);
        if u.issue_o.val() {
            issued.push(cycle);
        }
        if u.start_o[0].val() {
            started.push(cycle);
        }
        assert!(!u.start_o[1].val() && !u.start_o[2].val());
        clock_cycle!(u);
    }
    // A SYNC takes Fetch and Head, the copy of five words 5 + 2 cycles.
    assert_eq!(issued, [1, 3, 5, 12, 14]);
    assert_eq!(started, [11]);
    assert!(u.copy_o.val());
    assert_eq!(u.second_param_o[0].val().to_u64(), 0xfff8);
    assert_eq!(u.unit_pc_o[0].val().to_u64(), 2);
}

#[test]
fn pet_54_copies_and_drains_exclude_each_other_and_a_sync_waits_for_the_units_named() {
    let drain = [0x0504, 2, 0, 0, 0];
    let mut behind = COPY.to_vec();
    behind.extend(drain);
    let mut load = LOAD.to_vec();
    load.extend(drain);
    let cases: [(&[u32], usize, Option<u64>); 8] = [
        (&COPY, 0, Some(0)),
        (&COPY, 1, None),
        (&COPY, 2, Some(0)),
        // The drain behind a copy waits for it, that behind a load does not.
        (&behind, 0, Some(5)),
        (&load, 0, None),
        (&[SYNC | 1 << 16], 0, Some(0)),
        (&[SYNC | 7 << 16], 2, Some(0)),
        (&[SYNC | 3 << 16], 2, None),
    ];
    for (words, busy, waits) in cases {
        let mut program = words.to_vec();
        program.push(SYNC);
        let mut u = sequencer(&program);
        let mut waited = None;
        for _ in 0..18 {
            // The unit gets busy with its own instruction, if there is one of it in front.
            let at = u.pc_o.val().to_u64();
            u.busy_i[busy].next = words.len() < 6 || at > 0;
            settle(&mut u);
            if u.wait_o.val() {
                waited = Some(u.pc_o.val().to_u64());
            }
            clock_cycle!(u);
        }
        assert_eq!(waited, waits, "{words:x?} with unit {busy} busy");
    }
    assert_eq!(
        end_of(&[0x0207, 0, HALT]),
        Some((2, 0)),
        "SYNC of two words"
    );
    assert_eq!(end_of(&[SYNC | 1 << 19]), Some((3, 0)), "reserved bit");
    for (at, word, code) in [
        (0, 0x0405, 2),
        (0, 0x0305, 2),
        (1, 0, 3),
        (1, 5, 3),
        (1, 1 << 12, 3),
        (2, 4, 3),
        (2, 1 << 16, 3),
        (3, 8, 3),
    ] {
        let mut program = COPY.to_vec();
        program[at] = word;
        program.push(HALT);
        assert_eq!(end_of(&program), Some((code, 0)), "word {at} is {word:x}");
    }
}

fn stream() -> StreamHead<16> {
    let mut u = StreamHead::<16>::new(2, 10, 4, 6, 4);
    u.rst_n.next = false;
    clock_cycle!(u);
    u.rst_n.next = true;
    u.rows_i.next = bits(4);
    u.first_i.next = true;
    u.last_i.next = true;
    u.start_i.next = true;
    clock_cycle!(u);
    u.start_i.next = false;
    u.row_i.next = bits(1);
    u.addr_valid_i.next = true;
    settle(&mut u);
    u
}

#[test]
fn a_tile_waits_for_weights_and_the_next_swap_rides_on_its_last_vector() {
    let mut u = stream();
    assert!(u.stall_o.val() && !u.addr_ready_o.val());
    u.full_i.next = true;
    settle(&mut u);
    assert!(u.swap_o.val(), "an empty slot swaps");
    clock_cycle!(u);
    assert!(u.op_o.swap.val() && !u.op_o.valid.val());
    assert!(!u.swap_o.val(), "one swap for one tile");
    assert!(u.addr_ready_o.val());
    clock_cycle!(u);
    // First vector on the wave: fresh, first K tile, not the last K tile.
    assert!(u.op_o.valid.val() && u.op_o.fresh.val());
    assert_eq!(u.op_o.tag.val().to_u64(), 0b0000_0100);
    u.final_i[0].next = true;
    settle(&mut u);
    assert!(u.vector_o.val() && u.swap_o.val(), "the last vector swaps");
    clock_cycle!(u);
    assert!(u.op_o.swap.val() && u.op_o.valid.val() && !u.op_o.fresh.val());
    assert_eq!(u.op_o.tag.val().to_u64(), 0b0001_0100);
    // One vector per tile, last K tile: no stall since the swap has been sent.
    u.final_i[1].next = true;
    settle(&mut u);
    assert!(u.addr_ready_o.val() && !u.stall_o.val());
    clock_cycle!(u);
    assert_eq!(u.op_o.tag.val().to_u64(), 0b0001_1000, "to post, not first");
}

#[test]
fn an_address_of_the_prologue_or_the_epilogue_is_no_vector_of_a_tile() {
    let mut u = stream();
    u.full_i.next = true;
    clock_cycle!(u);
    for (row, is_vector) in [(0, false), (1, true), (2, false)] {
        u.row_i.next = bits(row);
        settle(&mut u);
        assert!(u.addr_ready_o.val(), "row {row} is taken");
        assert_eq!(u.vector_o.val(), is_vector, "row {row}");
    }
}

#[test]
fn sgcr_54_every_k_tile_takes_the_next_entry_and_there_is_none_beyond_the_table() {
    let mut u = stream();
    u.table_i.next = true;
    u.entry_i.next = bits(14);
    u.start_i.next = true;
    clock_cycle!(u);
    u.start_i.next = false;
    u.full_i.next = true;
    clock_cycle!(u);
    // Two vectors a tile; tables of 16 entries. Behind the last K tile the next column tile begins anew.
    let slots = [
        (0, 14, false),
        (1, 14, false),
        (2, 15, true),
        (3, 15, true),
        (4, 14, false),
        (5, 14, false),
        (6, 15, false),
        (7, 15, false),
    ];
    for (vector, entry, last) in slots {
        u.final_i[0].next = vector % 2 == 1;
        u.final_i[1].next = last;
        settle(&mut u);
        assert!(u.vector_o.val() && !u.error_o.val(), "vector {vector}");
        assert_eq!(u.last_tile_o.val(), last, "vector {vector}");
        clock_cycle!(u);
        assert!(u.op_o.valid.val() && u.op_o.table.val());
        assert_eq!(u.op_o.entry.val().to_u64(), entry, "vector {vector}");
    }
    settle(&mut u);
    assert!(u.error_o.val() && !u.addr_ready_o.val(), "entry 16 of 16");
    u.table_i.next = false;
    settle(&mut u);
    assert!(!u.error_o.val(), "entries are not used without the flag");
}

#[test]
fn a_product_with_row_tables_has_a_third_parameter_word() {
    let program = [0x0603, 4 | 1 << 15, 7, 0x2a00_0005, 1, 0, HALT];
    let mut u = sequencer(&program);
    for _ in 0..12 {
        clock_cycle!(u);
    }
    settle(&mut u);
    assert_eq!(u.second_param_o[1].val().to_u64(), 7);
    assert_eq!(u.table_o.val().to_u64(), 0x2a00_0005);
    assert_eq!(end_of(&program), None);
    assert_eq!(end_of(&[0x0503, 4, 7, 1, 0, HALT]), None);
    let reserved = [0x0603, 4 | 1 << 15, 7, 0x2a02_0005, 1, 0, HALT];
    assert_eq!(end_of(&reserved), Some((3, 0)), "bit 17");
    let short = [0x0403, 4 | 1 << 15, 7, 0x2a00_0005, HALT];
    assert_eq!(end_of(&short), Some((2, 0)), "no record");
}

#[test]
fn a_drain_that_is_placed_has_a_third_parameter_word() {
    let program = [0x0604, 2 | 1 << 10, 0, 2, 0, 0, HALT];
    let mut u = sequencer(&program);
    for _ in 0..12 {
        clock_cycle!(u);
    }
    settle(&mut u);
    assert_eq!(u.place_o.val().to_u64(), 2);
    assert_eq!(end_of(&program), None);
    // Without the word both fields are 0 again.
    let again = [0x0604, 2 | 1 << 10, 0, 2, 0, 0, 0x0504, 2, 0, 0, 0, HALT];
    let mut u = sequencer(&again);
    for _ in 0..20 {
        clock_cycle!(u);
    }
    settle(&mut u);
    assert_eq!(u.place_o.val().to_u64(), 0);
    for (word, name) in [(3, "columns 3 and 4"), (1 << 16, "turn"), (1 << 8, "bit 8")] {
        let program = [0x0604, 2 | 1 << 10, 0, word, 0, 0, HALT];
        assert_eq!(end_of(&program), Some((3, 0)), "{name}");
    }
    let short = [0x0404, 2 | 1 << 10, 0, 0, HALT];
    assert_eq!(end_of(&short), Some((2, 0)), "no record");
}

#[test]
fn words_of_weights_may_be_read_backwards() {
    assert_eq!(end_of(&[0x0402, 4 | 0x3f << 15, 1, 0, HALT]), None);
    let reserved = [0x0402, 4 | 1 << 21, 1, 0, HALT];
    assert_eq!(end_of(&reserved), Some((3, 0)), "bit 21");
}

#[test]
fn addresses_are_checked_against_the_memory_of_their_row() {
    let mut u = stream();
    for (row, limit) in [(0u64, 16u64), (1, 1024), (2, 64)] {
        u.row_i.next = bits(row);
        u.addr_i.next = bits(limit - 1);
        settle(&mut u);
        assert!(!u.error_o.val(), "row {row}, address {}", limit - 1);
        u.addr_i.next = bits(limit);
        settle(&mut u);
        assert!(
            u.error_o.val() && !u.addr_ready_o.val(),
            "row {row}, address {limit}"
        );
    }
}

#[test]
fn a_slot_meets_its_result_address_after_six_cycles_and_its_destination_after_eight() {
    let mut u = DrainHead::<16>::new(2, 10, 2, 4, PostOptions::NONE);
    u.rst_n.next = false;
    clock_cycle!(u);
    u.rst_n.next = true;
    u.addr_valid_i.next = true;
    u.addr_i.next = bits(40);
    u.addr_end_i.next = true;
    u.op_valid_i.next = true;
    u.op_tag_i.next = bits(0b0011_1100);
    clock_cycle!(u);
    u.op_valid_i.next = false;
    u.op_tag_i.next = bits(0);
    let mut seen = Vec::new();
    for cycle in 1..40 {
        settle(&mut u);
        if u.res_valid_o.val() {
            assert!(u.res_bank_o.val() && !u.res_add_o.val() && u.res_sum_o.val());
            assert!(!u.res_write_o.val());
            seen.push(("result", cycle));
        }
        if u.addr_ready_o.val() {
            seen.push(("take", cycle));
            assert!(!u.underflow_o.val());
        }
        if u.post_valid_o.val() {
            assert!(u.post_flush_o.val() && u.post_dest_o.val() == bits(40));
            seen.push(("post", cycle));
        }
        if u.busy_o.val() {
            seen.retain(|event| event.0 != "busy");
            seen.push(("busy", cycle));
        }
        clock_cycle!(u);
    }
    // Taken in 7; busy until 7 + cols + 15.
    assert_eq!(
        seen,
        [("result", 6), ("take", 7), ("post", 8), ("busy", 26)]
    );
}

#[test]
fn a_missing_destination_is_an_error() {
    let mut u = DrainHead::<16>::new(2, 10, 2, 4, PostOptions::NONE);
    u.rst_n.next = false;
    clock_cycle!(u);
    u.rst_n.next = true;
    u.op_valid_i.next = true;
    u.op_tag_i.next = bits(0b1000);
    for cycle in 0..7 {
        settle(&mut u);
        assert!(!u.underflow_o.val(), "cycle {cycle}");
        clock_cycle!(u);
    }
    settle(&mut u);
    assert!(u.underflow_o.val() && !u.addr_ready_o.val());
}

#[test]
fn a_tile_of_more_vectors_than_a_results_bank_is_an_error() {
    let mut u = StreamHead::<16>::new(1, 10, 4, 2, 4);
    u.rst_n.next = false;
    clock_cycle!(u);
    u.rst_n.next = true;
    u.start_i.next = true;
    clock_cycle!(u);
    u.start_i.next = false;
    u.full_i.next = true;
    clock_cycle!(u);
    u.row_i.next = bits(1);
    u.addr_valid_i.next = true;
    for vector in 0..4 {
        settle(&mut u);
        assert!(u.vector_o.val() && !u.error_o.val(), "vector {vector}");
        clock_cycle!(u);
    }
    settle(&mut u);
    assert!(
        !u.vector_o.val() && u.error_o.val(),
        "a bank has four words"
    );
}

//! Faults planted in the units, one each, all side by side: the random runs find every one.

use super::random::traffic;
use super::sides::design;
use super::variants::VARIANTS;
use crate::beside::faults::{Fault, check_faults};

/// Runs of each unit, with each seed.
const RUNS: usize = 20;

const FAULTS: [Fault; 49] = [
    // The order of the slots.
    (
        "every",
        "sequencer",
        "used = !loading_q | more_held",
        "used = 1'b1",
    ),
    (
        "every",
        "sequencer",
        "more_cols = !cols_left_q[16]",
        "more_cols = 1'b0",
    ),
    (
        "every_all",
        "sequencer",
        "cols_less = 17'd3",
        "cols_less = 17'd2",
    ),
    (
        "every",
        "sequencer",
        "rows_left_q <= 9'd2",
        "rows_left_q <= 9'd1",
    ),
    (
        "every",
        "sequencer",
        "first_q & (!ws_i | held_first)",
        "first_q",
    ),
    (
        "every_all",
        "head",
        "if (origin_i)",
        "if (origin_i & !keep_i)",
    ),
    (
        "every",
        "sequencer",
        "step_entry_q <= step_ptr",
        "step_entry_q <= 16'd0",
    ),
    // The counters follow the registers between runs only, and begin again behind a pass only.
    ("every", "sequencer", "idle | step_last", "step_last"),
    (
        "every",
        "sequencer",
        "held_rewinds & !loading_q",
        "held_rewinds",
    ),
    (
        "every_all",
        "sequencer",
        "cols_restart = idle | ",
        "cols_restart = ",
    ),
    // Entries on their way to the rows.
    ("every", "entry", "shift_i[1] ?", "1'b0 ?"),
    ("every_all", "entry", "if (!masks_i)", "if (1'b0)"),
    (
        "every",
        "entry",
        "is_offset = tag_q[7]",
        "is_offset = tag_q[0]",
    ),
    ("every", "head", "valid_i & keep_i", "valid_i"),
    (
        "every_all",
        "row_a",
        "enabled_q <= enabled_i",
        "enabled_q <= 1'b1",
    ),
    (
        "every",
        "row_a",
        "row_meets & col_meets",
        "row_meets | col_meets",
    ),
    (
        "every",
        "row_a",
        "held_q + value_i",
        "{held_q[15:1], 1'b0} + value_i",
    ),
    (
        "every",
        "row_a",
        "last_q <= step_i & last_i",
        "last_q <= step_i",
    ),
    ("every", "wave", "passes = step_i |", "passes = 1'b0 |"),
    ("every_all", "rows", "step[3] & mark[3]", "step[3]"),
    // Words and passes.
    ("every", "pass", "if (b_begins)", "if (b_begins & ws_i)"),
    (
        "every_all",
        "pass",
        "sum_first_q <= !ws_i | held_first",
        "sum_first_q <= 1'b1",
    ),
    ("every", "pass", "held_q + 16'd4", "held_q + 16'd3"),
    // Waiting.
    ("every", "r4", "ready_i | !head_valid_o", "1'b1"),
    ("every_all", "r4", "ready_i | !row_row_valid_o[0]", "1'b1"),
    // Registers, writes, starts.
    (
        "every",
        "registers",
        "write = write_i & !blocked_i",
        "write = write_i",
    ),
    ("every", "registers", "blocked_i | !known", "!known"),
    (
        "every_all",
        "registers",
        "end_q[33:17] > 17'd16",
        "end_q[33:17] > 17'd15",
    ),
    ("every", "registers", "index_i[2] ?", "!index_i[2] ?"),
    ("every", "registers", "|data_i[31:2]", "|data_i[31:3]"),
    ("every", "r4", "start_i & !busy_q", "start_i"),
    ("every_all", "r4", "refuse | start)", "refuse)"),
    // The expander.
    (
        "every",
        "expander",
        "added = addend_q[31:16]",
        "added = addend_q[15:0]",
    ),
    (
        "every",
        "expander",
        "row_o[i] = read_row_i[i]",
        "row_o[i] = row_i[i]",
    ),
    ("every_all", "expander", "(writing & !in_table)", "1'b0"),
    // The index stepped before a read: one off at its begin, or a read at what it was.
    ("before", "sequencer", "<= held_ptr - 16'd1", "<= held_ptr"),
    (
        "before_all",
        "sequencer",
        "<= step_ptr - 16'd1",
        "<= step_ptr",
    ),
    (
        "before",
        "sequencer",
        "held_stepped = held_entry_q + 16'd1",
        "held_stepped = held_entry_q",
    ),
    (
        "before_all",
        "sequencer",
        "base_addr_o = step_stepped",
        "base_addr_o = step_entry_q",
    ),
    // Bases of all tiles before the first step, and the rows that keep them.
    ("ahead", "sequencer", "turn & !fetched_q", "1'b0"),
    (
        "ahead_all",
        "sequencer",
        "turn = active_q & switching",
        "turn = switching",
    ),
    (
        "ahead",
        "sequencer",
        "(fetched_q | (!ws_i & first_q & held_left_q[16]))",
        "(fetched_q | (!ws_i & first_q))",
    ),
    (
        "ahead_all",
        "sequencer",
        "held_less = 17'd4",
        "held_less = 17'd5",
    ),
    (
        "ahead_all",
        "sequencer",
        "first_q & !switching, loading_q",
        "first_q, loading_q",
    ),
    (
        "ahead_all",
        "sequencer",
        "fetched_q <= !idle & !(ws_i & switching)",
        "fetched_q <= !idle",
    ),
    ("ahead_all", "pass", "& !(load & tag_i[2])", ""),
    (
        "ahead",
        "kept",
        "tile_q <= place + 16'd1",
        "tile_q <= place",
    ),
    (
        "ahead_all",
        "kept",
        "(store_i == stored_q) ? tile_q",
        "(store_i | !stored_q) ? tile_q",
    ),
    (
        "ahead_wide",
        "row_a",
        "advance_i & load_i & last_i",
        "advance_i & load_i",
    ),
];

#[test]
fn faults_are_noticed() {
    check_faults(&VARIANTS, "offsets_", &FAULTS, 1, design, |design, seed| {
        traffic(design, seed, RUNS).failures()
    });
}

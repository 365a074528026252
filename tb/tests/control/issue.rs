//! The issue units of the three waves, each alone, clock by clock as their headers say. On a machine of 4 x 4 with partitions of 4096
//! bytes, 64 sums in a results bank and 32 entries of a row table.

use heddle_hdl::control::{ControlShape, DrainIssue, StreamIssue, WeightIssue};
use heddle_tb::verilate::Sources;
use std::sync::LazyLock;

use crate::machines;
use crate::rtl::{Dut, OrPanic, emitted};

static WEIGHTS: LazyLock<Sources> = LazyLock::new(|| emitted(WeightIssue::<16>::new(shape())));
static STREAM: LazyLock<Sources> = LazyLock::new(|| emitted(StreamIssue::<16>::new(shape())));
static DRAIN: LazyLock<Sources> = LazyLock::new(|| emitted(DrainIssue::<16>::new(shape())));

fn shape() -> ControlShape {
    ControlShape::of(&machines::tiny())
}

/// Waves, a line each: a port and its value in each clock, in hexadecimal. `.` is the value before, `x` is not looked at; the last value
/// stays. Inputs are driven, outputs compared.
#[track_caller]
fn check(unit: &Sources, waves: &str) {
    let lines = waves.lines().map(str::trim).filter(|line| !line.is_empty());
    let waves: Vec<(&str, Vec<Option<u64>>)> = lines
        .map(|line| {
            let (port, values) = line.split_once(' ').expect("a port and values");
            let mut last = None;
            let value = |text: &str| {
                last = match text {
                    "." => last,
                    "x" => None,
                    number => Some(u64::from_str_radix(number, 16).expect("a number")),
                };
                last
            };
            (port, values.split_whitespace().map(value).collect())
        })
        .collect();
    let clocks = waves
        .iter()
        .map(|(_, values)| values.len())
        .max()
        .unwrap_or(0);
    let mut dut = Dut::new(unit, 1);
    let mut compared = 0;
    for clock in 0..clocks {
        let now = |values: &[Option<u64>]| values.get(clock).or(values.last()).copied().flatten();
        for (port, values) in waves.iter().filter(|(port, _)| port.ends_with("_i")) {
            dut.set(port, now(values).unwrap_or(0));
        }
        dut.settle();
        for (port, values) in waves.iter().filter(|(port, _)| port.ends_with("_o")) {
            if let Some(value) = now(values) {
                dut.check(port, value).or_panic();
                compared += 1;
            }
        }
        dut.clock();
    }
    assert!(compared > clocks, "{compared} values in {clocks} clocks");
}

/// Two words are a tile; the next one begins when the swap has crossed the four columns.
#[test]
fn words_of_a_tile_are_on_the_wave_three_clocks_later_and_the_next_tile_waits_for_the_swap() {
    check(
        &WEIGHTS,
        "clear_i      0
         rows_i       3
         level_i      0
         streamed_i   0
         stall_i      0
         flip_i       0
         copy_i       0
         distance_i   0
         row_i        0
         addr_valid_i 1
         addr_i       100 108 110 .   .   .   .   .   .   .   118 0
         final_i      0   1   0   .   .   .   .   .   .   .   1   0
         swap_i       0   .   .   .   .   1   0
         addr_ready_o 1   1   0   .   .   .   .   .   .   1   1   0   0
         full_o       0   .   1   .   .   .   0   .   .   .   .   1   1
         wt_valid_o   0   .   .   1   1   0   .   .   .   .   .   .   1
         wt_addr_o    x   .   .   100 108 x   .   .   .   .   .   .   110
         wt_rows_o    x   .   .   3   3   x   .   .   .   .   .   .   3
         wt_copy_o    x   .   .   0   0   x   .   .   .   .   .   .   0
         copying_o    0
         error_o      0
         lost_o       0",
    );
}

/// An address outside is an error; bits that are inverted turn the order of words.
#[test]
fn weight_addresses_outside_are_errors_and_flipped_ones_are_not() {
    check(
        &WEIGHTS,
        "clear_i      0
         rows_i       4
         level_i      0
         streamed_i   0
         stall_i      0
         flip_i       0    .   3   .   0
         copy_i       0
         distance_i   0
         row_i        0
         addr_valid_i 1    .   .   .   0
         addr_i       1000 ff8 100 118
         final_i      0
         swap_i       0
         addr_ready_o 0    1   1   1   0
         error_o      1    0   .   .   .
         wt_valid_o   0    .   .   .   1   1   1  0
         wt_addr_o    x    .   .   .   ff8 118 100 x",
    );
}

/// Words in every clock, also while the shadow weights are full; the copy of a word six clocks behind it.
#[test]
fn words_to_be_copied_come_in_every_clock_and_fill_no_tile() {
    check(
        &WEIGHTS,
        "clear_i      0
         rows_i       4
         level_i      0
         streamed_i   0
         stall_i      0
         flip_i       0
         copy_i       1
         distance_i   3
         row_i        0
         addr_valid_i 1  1  0
         addr_i       20 28 0
         final_i      1
         swap_i       0
         addr_ready_o 1  1  0
         full_o       0
         wt_valid_o   0  .  .  1  1  0
         wt_copy_o    x  .  .  1  1  x
         wt_addr_o    x  .  .  20 28 x
         wt_dest_o    x  .  .  .  .  .  .  .  .  7  8  x
         copying_o    0  1  .  .  .  .  .  .  .  .  .  .  .  .  0  0
         error_o      0",
    );
}

/// Streamed words begin with a vector that waits and come in every clock; a tile is ready behind its first word, and lost if no swap takes it.
#[test]
fn streamed_words_begin_with_the_vector_that_waits() {
    check(
        &WEIGHTS,
        "clear_i      0
         rows_i       4
         level_i      0
         streamed_i   1
         stall_i      0  .  1  0
         flip_i       0
         copy_i       0
         distance_i   0
         row_i        0
         addr_valid_i 1  .  .  .  .  .  0
         addr_i       80 .  .  88 90 98 0
         final_i      0  .  .  1  0  1  0
         swap_i       0  .  .  1  0
         addr_ready_o 0  .  1  1  1  1  0
         full_o       0  .  .  1  0  1  1
         lost_o       0  .  .  0  0  1  0
         wt_valid_o   0  .  .  .  .  1  1  1  1  0
         wt_addr_o    x  .  .  .  .  80 88 90 98 x",
    );
}

/// The first vector waits for its weights. The next tile swaps with the last vector and waits for nothing.
#[test]
fn the_first_vector_of_a_tile_waits_for_its_weights() {
    check(
        &STREAM,
        "clear_i      0
         start_i      1  0
         rows_i       3
         first_i      1
         last_i       1
         bank_i       0
         level_i      0
         thr_i        7f
         table_i      0
         entry_i      0
         addr_valid_i 0  1  .  .  .  .  .  0
         addr_i       0  40 .  .  41 42 43 0
         row_i        1
         final_i      1e .  .  .  1f 1e 1f 0
         full_i       0  .  1  0  1  0
         addr_ready_o 0  .  .  1  1  1  1  0
         vector_o     0  .  .  1  1  1  1  0
         stall_o      0  1  1  0  0  0  0  0
         swap_o       0  .  1  0  1  0
         op_valid_o   0  .  .  .  1  1  1  1  0
         op_addr_o    x  .  .  .  40 41 42 43 x
         op_rows_o    x  .  .  .  3  3  3  3  x
         op_thr_o     x  .  .  .  7f .  .  .  x
         op_fresh_o   x  .  .  .  1  0  0  0  x
         op_tag_o     x  .  .  .  c  1c c  1c 0
         op_swap_o    0  .  .  1  0  1  0
         error_o      0",
    );
}

/// A column tile and a stored sum take a slot each and need no weights. Beyond the tiles (16), sums (64) and bytes there is nothing.
#[test]
fn prologues_and_epilogues_wait_for_no_weights() {
    check(
        &STREAM,
        "clear_i      0
         start_i      1  0
         rows_i       4
         first_i      0
         last_i       0
         bank_i       1
         level_i      0
         thr_i        0
         table_i      0
         entry_i      0
         addr_valid_i 0  1  .  .  .  .  0
         addr_i       0  f  10 3f 40 1000
         row_i        0  .  .  2  .  1
         final_i      1f
         full_i       0
         addr_ready_o 0  1  0  1  0  0
         vector_o     0
         error_o      0  0  1  0  1  1  0
         op_valid_o   0
         op_tag_o     0  .  21 0  2a 0",
    );
}

/// Each K tile has an entry of the row tables; the product begins with the one that it names.
#[test]
fn each_k_tile_has_an_entry_of_its_own() {
    check(
        &STREAM,
        "clear_i      0
         start_i      1  0
         rows_i       4
         first_i      1
         last_i       0
         bank_i       0
         level_i      0
         thr_i        0
         table_i      1
         entry_i      1e
         addr_valid_i 0  0  1  .  .  0
         addr_i       0
         row_i        1
         final_i      1
         full_i       0  1
         addr_ready_o 0  .  1  1  0  0
         error_o      0  .  .  .  1  0
         op_valid_o   0  .  .  1  1  0
         op_table_o   x  .  .  1  1  x
         op_entry_o   x  .  .  1e 1f x
         op_tag_o     x  .  .  14 10 0",
    );
}

/// As many vectors as a results bank has sums, and no one more.
#[test]
fn a_tile_has_no_more_vectors_than_a_results_bank_has_sums() {
    let mut dut = Dut::new(&STREAM, 1);
    for port in [
        "clear_i", "table_i", "level_i", "addr_i", "bank_i", "entry_i", "first_i", "last_i",
    ] {
        dut.set(port, 0u64);
    }
    dut.set("full_i", true);
    dut.set("row_i", 1u64);
    dut.set("final_i", 0u64);
    dut.set("addr_valid_i", false);
    dut.set("start_i", true);
    dut.clock();
    dut.set("start_i", false);
    dut.clock();
    dut.set("addr_valid_i", true);
    let mut vectors = 0;
    while dut.get("error_o") == 0 {
        dut.settle();
        vectors += dut.get("vector_o");
        assert!(vectors <= 64, "a vector beyond the bank");
        dut.clock();
        dut.settle();
    }
    assert_eq!(vectors, 64);
}

/// Two results, the last one the end of the drain: results wave, drain address, post wave, and how long the unit is busy, two cycles
/// longer with left shifts.
#[test]
fn a_slot_for_post_meets_its_drain_address_ten_clocks_later() {
    check(
        &DRAIN,
        "clear_i      0
         start_i      1   0
         columns_i    4
         skip_i       1
         tile_i       5
         advance_i    0
         level_i      0
         op_valid_i   0   1   1   0
         op_addr_i    0
         op_tag_i     0   c   1c  0
         addr_valid_i 1   .   .   .   .   .   .   .   .   .   .   .   .   0
         addr_i       200 .   .   .   .   .   .   .   .   .   .   .   201 0
         addr_final_i 0
         addr_end_i   0   .   .   .   .   .   .   .   .   .   .   .   1   0
         addr_busy_i  1   .   .   .   .   .   .   .   .   .   .   .   1   0
         res_valid_o  0   .   .   .   .   .   .   .   .   1   1   0
         res_addr_o   x   .   .   .   .   .   .   .   .   0   1   x
         res_add_o    x   .   .   .   .   .   .   .   .   0   0   x
         res_write_o  x   .   .   .   .   .   .   .   .   0   0   x
         res_sum_en_o x   .   .   .   .   .   .   .   .   1   1   x
         addr_ready_o 0   .   .   .   .   .   .   .   .   .   .   1   1   0
         post_load_o  0   1   0
         post_tile_o  x   5   .   .   .   .   .   .   .   .   .   .   .   .
         post_valid_o 0   .   .   .   .   .   .   .   .   .   .   .   1   1   0
         post_dest_o  x   .   .   .   .   .   .   .   .   .   .   .   200 201 x
         post_flush_o x   .   .   .   .   .   .   .   .   .   .   .   0   1   x
         post_skip_o  1
         post_cols_o  4
         busy_o       1   .   .   .   .   .   .   .   .   .   .   .   .   .   .   .   .   .   .   .   .   .   .   .   .   .   .   .   .   .   .   0 0
         underflow_o  0
         dest_error_o 0",
    );
}

/// Sums that stay, sums that are added to, a stored sum for post without an address, and an address outside.
#[test]
fn stored_sums_take_no_drain_address_and_a_result_without_one_is_an_error() {
    check(
        &DRAIN,
        "clear_i      0
         start_i      0
         columns_i    4
         skip_i       0
         tile_i       0
         advance_i    0
         level_i      0
         op_valid_i   1   1   1   0
         op_addr_i    0   .   .   2a  0
         op_tag_i     24  34  0   a   0
         addr_valid_i 0   .   .   .   .   .   .   .   .   .   .   .   .   .   1
         addr_i       1000
         addr_final_i 0
         addr_end_i   0
         addr_busy_i  0
         res_valid_o  0   .   .   .   .   .   .   .   1   1   1   1   0
         res_bank_o   x   .   .   .   .   .   .   .   1   1   0   0   x
         res_addr_o   x   .   .   .   .   .   .   .   0   1   0   2a  x
         res_add_o    x   .   .   .   .   .   .   .   0   0   1   1   x
         res_write_o  x   .   .   .   .   .   .   .   1   1   1   0   x
         res_sum_en_o x   .   .   .   .   .   .   .   1   1   1   0   x
         addr_ready_o 0
         post_valid_o 0
         underflow_o  0   .   .   .   .   .   .   .   .   .   .   .   .   1   0
         dest_error_o 0   .   .   .   .   .   .   .   .   .   .   .   .   .   1
         busy_o       0",
    );
}

/// The column tile goes on behind the last address of one, but not behind the end.
#[test]
fn the_scaling_of_the_next_column_tile_follows_the_last_result_of_this_one() {
    check(
        &DRAIN,
        "clear_i      0
         start_i      1   0
         columns_i    4
         skip_i       0
         tile_i       3
         advance_i    1
         level_i      0
         op_valid_i   0   1   1   0
         op_addr_i    0
         op_tag_i     0   c   1c  0
         addr_valid_i 1   .   .   .   .   .   .   .   .   .   .   .   .   0
         addr_i       200
         addr_final_i 1
         addr_end_i   0   .   .   .   .   .   .   .   .   .   .   .   1   0
         addr_busy_i  0
         addr_ready_o 0   .   .   .   .   .   .   .   .   .   .   1   1   0
         post_load_o  0   1   0   .   .   .   .   .   .   .   .   .   1   0   0
         post_tile_o  x   3   .   .   .   .   .   .   .   .   .   .   4   4   4
         dest_error_o 0",
    );
}

//! Faults in the text of the machine that the programs must find.

use heddle_arch::params::Params;

use super::faults::run_faults;
use super::programs::run_programs;
use crate::machines::{self, Machine};
use crate::rtl::{self, Checked, Coverage, Mutant};

/// Plants faults in the text of the tiny machine; random programs must find each.
#[track_caller]
fn check_mutants(mutants: &[Mutant], run: impl Fn(&Machine, u64) -> Checked<Coverage>) {
    check_mutants_of(machines::tiny(), mutants, run);
}

/// The same for another machine.
#[track_caller]
fn check_mutants_of(
    params: Params,
    mutants: &[Mutant],
    run: impl Fn(&Machine, u64) -> Checked<Coverage>,
) {
    rtl::check_mutants(&machines::verilog(&params), mutants, |sources, seed| {
        run(&Machine::from_verilog(params.clone(), sources), seed)
    });
}

/// A vector's result is not forwarded to the epilogue right behind it.
const NO_FORWARDING: Mutant = (
    "heddle_result_column",
    "last_store & (slot_addr == last_addr)",
    "last_store & (slot_addr != last_addr)",
);

#[test]
fn random_programs_find_a_fault() {
    check_mutants(&[NO_FORWARDING], |machine, seed| {
        run_programs(machine, seed, 20)
    });
}

#[test]
fn random_programs_find_every_fault_slow() {
    let mutants = [
        // The swap flag is lost, every K tile starts from the bias, a kept word is reused, the
        // swap does not ride on the last vector.
        (
            "heddle_stream_head",
            "op_swap_q <= swap &",
            "op_swap_q <= op_swap_q & swap &",
        ),
        (
            "heddle_stream_head",
            "is_tensor & first_q",
            "is_tensor & (first_q | first_i)",
        ),
        (
            "heddle_stream_head",
            "op_fresh_q <= fresh_q",
            "op_fresh_q <= 1'b0",
        ),
        ("heddle_stream_head", "(vector & tile_end) |", ""),
        // A word more is taken before a swap has crossed the columns.
        (
            "heddle_weight_head",
            "!full_q & (travel_q == 9'd0)",
            "!full_q",
        ),
        // The last word of a drain stays in the gatherers; HALT does not wait for the waves.
        (
            "heddle_drain_head",
            "post_flush_q <= addr_end_i",
            "post_flush_q <= 1'b0",
        ),
        (
            "heddle_sequencer",
            "quiet_q <= quiet_q - 10'd1",
            "quiet_q <= 10'd0",
        ),
    ];
    check_mutants(&mutants, |machine, seed| run_programs(machine, seed, 50));
    let mutants = [
        // After an error: the host meets results on their way, bytes of the stopped drain come
        // back, a program without DRAIN is blamed on an earlier one.
        (
            "heddle_sequencer",
            "state_q <= StateStop;",
            "state_q <= StateIdle;",
        ),
        (
            "heddle_gatherer",
            "open_q & !leaves & !drop_i",
            "open_q & !leaves",
        ),
        (
            "heddle_unit_registers",
            "if (clear_i) unit_pc_q[16*i+:16] <= 16'd0;",
            "",
        ),
    ];
    check_mutants(&mutants, |machine, seed| run_faults(machine, seed, 60));
}

#[test]
fn random_programs_find_every_fault_of_the_row_tables_slow() {
    let mutants = [
        // Every K tile takes the first entry; vectors of the last K tile count as the others.
        (
            "heddle_stream_head",
            "entry_q <= entry_q + 9'd1",
            "entry_q <= entry_q",
        ),
        (
            "heddle_control",
            "stream_head_table_i & stream_head_last_tile_o",
            "1'b0",
        ),
    ];
    check_mutants(&mutants, |machine, seed| run_programs(machine, seed, 30));
    let mutants = [
        // Sums beyond the memory and entries beyond the table go unnoticed.
        ("heddle_control", "| end_fault_i", ""),
        ("heddle_stream_head", "& has_entry", ""),
    ];
    check_mutants(&mutants, |machine, seed| run_faults(machine, seed, 60));
}

/// What belongs to products of several column tiles and to streamed weights: the second column tile does not begin from its bias or with
/// the first entry, operands or prologue stay, repetitions count wrongly, the scale stays or changes too early, a word that goes on
/// is dropped, streamed words begin before a vector waits or stop between tiles, a word behind the last tile counts as one.
const REPEAT_FAULTS: [Mutant; 11] = [
    (
        "heddle_stream_head",
        "first_q <= first_i;",
        "first_q <= first_q & first_i;",
    ),
    (
        "heddle_stream_head",
        "entry_q <= {1'b0, entry_i};",
        "entry_q <= entry_q + 9'd1;",
    ),
    (
        "heddle_traversal_engine_m3_n5_w16_a16_s1_y1",
        "+ increment_i[16*i+:16]",
        "",
    ),
    (
        "heddle_traversal_engine_m3_n5_w16_a16_s1_y1",
        "times_q != 8'd0",
        "times_q > 8'd1",
    ),
    ("heddle_drain_head", "start_i | advance", "start_i"),
    ("heddle_drain_head", "& advance_i & tile_end", "& advance_i"),
    ("heddle_post_lane", "load_i & !valid_i", "load_i"),
    (
        "heddle_requantise",
        "multiplier_q[61:31]",
        "multiplier_q[30:0]",
    ),
    ("heddle_weight_head", "free & stall_i", "free"),
    ("heddle_weight_head", "begun_q | (free", "(free"),
    ("heddle_weight_head", "& (row_i == 3'd0)", ""),
];

#[test]
fn random_programs_find_every_fault_of_repeated_products_and_streamed_weights() {
    check_mutants(&REPEAT_FAULTS, |machine, seed| {
        run_programs(machine, seed, 50)
    });
}

/// Windows that are counted wrongly, a word of an instruction in the wrong register, entries that do not arrive.
const OPTION_FAULTS: [Mutant; 8] = [
    (
        "heddle_drain_head",
        "is_last = left_q == 8'd0",
        "is_last = left_q <= 8'd1",
    ),
    ("heddle_drain_head", "if (start_i) begins_q <= 1'b1;", ""),
    (
        "heddle_drain_head",
        "post_valid_q <= pass",
        "post_valid_q <= take",
    ),
    (
        "heddle_sequencer",
        "is_pool_q <= is_unit[2] & !registers_param_o[74];",
        "is_pool_q <= 1'b0;",
    ),
    ("heddle_unit_registers", "& !is_pool_i", ""),
    (
        "heddle_instruction_check",
        "word_i[14:11] > 4'd3",
        "word_i[14:11] > 4'd4",
    ),
    (
        "heddle_instruction_check",
        "word_i[15:8] >= 8'd9",
        "word_i[15:8] > 8'd9",
    ),
    (
        "heddle_host_port",
        "host_addr_i[14:11] < 4'd3",
        "host_addr_i[14:11] < 4'd2",
    ),
];

#[test]
fn pet_58_pet_59_random_programs_find_every_fault_of_the_options() {
    check_mutants_of(machines::pooling(), &OPTION_FAULTS, |machine, seed| {
        run_programs(machine, seed, 20)?;
        run_faults(machine, seed, 40)
    });
}

/// Drains may write to the input bank, weights may be read from there; the drain may not write below it either.
const INPUT_FAULTS: [Mutant; 3] = [
    ("heddle_drain_head", "(addr_i[15:3] < 13'h180)", "1'b1"),
    ("heddle_weight_head", "< 13'h180)", "< 13'h200)"),
    (
        "heddle_drain_head",
        "(addr_i[15:3] < 13'h180)",
        "(addr_i[15:3] < 13'h17f)",
    ),
];

#[test]
fn pet_61_random_programs_find_every_fault_of_an_input_bank() {
    check_mutants_of(machines::buffered(), &INPUT_FAULTS, |machine, seed| {
        let coverage = run_faults(machine, seed, 40)?;
        run_programs(machine, seed, 20)?;
        Ok(coverage)
    });
}

/// Fetch does not wait for the first word, program writes pass the codec; operands, sums with offsets and weights may lie in the program.
const PROGRAM_FAULTS: [Mutant; 5] = [
    (
        "heddle_host_port",
        "codes = (region == 2'd3) & !host_addr_i[29]",
        "codes = !host_addr_i[29]",
    ),
    ("heddle_stream_head", "13'h300)", "13'h400)"),
    ("heddle_row_offset", "13'h300", "13'h400"),
    ("heddle_sequencer", "if (awaits) state_q <= StateFetch;", ""),
    ("heddle_weight_head", "< 13'h200)", "< 13'h400)"),
];

#[test]
fn pet_60_random_programs_find_every_fault_of_a_program_in_banks() {
    check_mutants_of(machines::banked(), &PROGRAM_FAULTS, |machine, seed| {
        let coverage = run_faults(machine, seed, 40)?;
        run_programs(machine, seed, 20)?;
        Ok(coverage)
    });
}

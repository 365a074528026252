//! Faults planted in the emitted text: the random tests find each of them.

use super::NARROW;
use super::bench::Unit;
use super::fuzz::fuzz;
use super::random::random_records;
use crate::rtl::{Mutant, check_mutants};

/// Plants the faults one after another in the narrow unit.
#[track_caller]
fn check(mutants: &[Mutant]) {
    check_mutants(&NARROW.sources, mutants, |sources, seed| {
        let unit = Unit {
            sources: sources.clone(),
            ..NARROW.clone()
        };
        random_records(&unit, seed, 1500)?;
        fuzz(&unit, seed, 20_000)
    });
}

const UNIT: &str = "heddle_traversal_m4";
const DECODER: &str = "heddle_traversal_decoder";
const PHASE: &str = "heddle_traversal_phase";
const VERDICT: &str = "heddle_traversal_verdict";
const CHECK: &str = "heddle_traversal_record_check";
const ENDLESS: &str = "heddle_traversal_endless";
const ENGINE: &str = "heddle_traversal_engine";
const GROUP: &str = "heddle_traversal_group";
const ORDER: &str = "heddle_traversal_order";
const COUNTERS: &str = "heddle_traversal_counters";

#[test]
fn faults_in_the_unit_are_noticed() {
    check(&[
        (UNIT, "decoder_window_o | window_q", "1'b0"),
        (
            UNIT,
            "engine_addr_o > window_last_q",
            "engine_addr_o >= window_last_q",
        ),
        (UNIT, "(on_demand_q & !demand_i)", "1'b0"),
        (UNIT, "pause_i | (", "1'b0 | ("),
        (UNIT, "decoder_start_o & !error_q", "decoder_start_o"),
        (UNIT, "error_q <= !clear_i", "error_q <= 1'b1"),
        (UNIT, "if (!error_q) begin", "if (1'b1) begin"),
        (UNIT, "valid_q | astray_q", "valid_q"),
    ]);
}

#[test]
fn faults_in_the_decoder_are_noticed() {
    check(&[
        (DECODER, "free = cfg_ready_i &", "free = 1'b1 &"),
        (DECODER, "(free | !disturbs)", "1'b1"),
        (DECODER, "clearing_q & free", "clearing_q"),
        (
            DECODER,
            "offset_only_o = run_flags_q[0]",
            "offset_only_o = flags_q[0]",
        ),
        (
            DECODER,
            "on_demand_o = run_flags_q[1]",
            "on_demand_o = flags_q[1]",
        ),
        (
            VERDICT,
            "verdict_o = wrong_q[1] | endless_i",
            "verdict_o = wrong_q[1]",
        ),
        (
            VERDICT,
            "position_o = wrong_position_q[23:16]",
            "position_o = wrong_position_q[15:8]",
        ),
        (
            DECODER,
            "if (last_word | clear_i) position_q",
            "if (last_word) position_q",
        ),
        (
            PHASE,
            "if (whole) next_phase = DecodePhaseInitial",
            "next_phase = DecodePhaseInitial",
        ),
    ]);
}

#[test]
fn faults_in_the_checks_are_noticed() {
    check(&[
        (CHECK, "(row_rank < rank_q)", "1'b0"),
        (CHECK, "was_seen | seen_q[2]", "was_seen"),
        (CHECK, "many_q | (tensor_q &", "many_q | (1'b0 &"),
        (CHECK, "last_word & attached_q & !tensor_q", "1'b0"),
        (
            CHECK,
            "3'd4) & (setup_q != 2'd3)",
            "3'd4) & (setup_q == 2'd0)",
        ),
        (
            DECODER,
            "window_last_q < window_first_q",
            "window_last_q <= window_first_q",
        ),
        (
            ENDLESS,
            "distance_before_q[7:0] & below_q",
            "distance_before_q[7:0] & step_q",
        ),
        (
            ENDLESS,
            "!distance_before_q[8] & distance_before_q[0]",
            "1'b0",
        ),
    ]);
}

#[test]
fn faults_in_counting_are_noticed() {
    check(&[
        (ORDER, "!follows & !in_middle", "!follows"),
        (ORDER, "candidate[1] & !pick[1]", "candidate[1]"),
        (
            ORDER,
            "(load_i | follows | aside) & !stop_i",
            "(load_i | follows | aside)",
        ),
        (COUNTERS, "load_initial_i[8*i+:8]", "initial_i[8*i+:8]"),
        (COUNTERS, "distance_q[9*i+:8] == 8'd0", "!distance_q[9*i+8]"),
        (
            ENGINE,
            "{minuend < end_value, difference[7:0]}",
            "difference",
        ),
        (
            ENGINE,
            "{1'b0, old_initial_o} + {1'b0, old_step_o}",
            "{1'b0, old_initial_o}",
        ),
        (GROUP, "equal | equal_i[0]", "equal"),
        (ENDLESS, "written_q & !clear_i", "written_q"),
    ]);
}

//! Faults planted in the emitted text: the random tests find each of them.

use super::bench::Unit;
use super::fuzz::fuzz;
use super::random::random_records;
use super::{NARROW, ONE_SET};
use crate::rtl::{check_mutants, faults};

/// Plants the faults one after another in the narrow unit.
#[track_caller]
fn check(mutants: &'static str) {
    check_mutants(&NARROW.sources, &faults(mutants), |sources, seed| {
        let unit = Unit {
            sources: sources.clone(),
            ..NARROW.clone()
        };
        random_records(&unit, seed, 1500)?;
        fuzz(&unit, seed, 20_000)
    });
}

#[test]
fn faults_in_the_unit_are_noticed() {
    check(
        r"
        heddle_traversal_m4: decoder_window | window_q => 1'b0
        heddle_traversal_m4: engine_addr > window_last_q => engine_addr >= window_last_q
        heddle_traversal_m4: (on_demand_q & !demand_i) => 1'b0
        heddle_traversal_m4: pause_i | ( => 1'b0 | (
        heddle_traversal_m4: decoder_start & !error_q => decoder_start
        heddle_traversal_m4: error_q <= !clear_i => error_q <= 1'b1
        heddle_traversal_m4: if (!error_q) begin => if (1'b1) begin
        heddle_traversal_m4: valid_q | astray_q => valid_q",
    );
}

#[test]
fn faults_in_the_decoder_are_noticed() {
    check(
        r"
        heddle_traversal_decoder: free = cfg_ready_i & => free = 1'b1 &
        heddle_traversal_decoder: (free | !disturbs) => 1'b1
        heddle_traversal_decoder: clearing_q & free => clearing_q
        heddle_traversal_decoder: offset_only_o = run_flags_q[0] => offset_only_o = flags_q[0]
        heddle_traversal_decoder: on_demand_o = run_flags_q[1] => on_demand_o = flags_q[1]
        heddle_traversal_verdict: verdict_o = wrong_q[1] | endless_i => verdict_o = wrong_q[1]
        heddle_traversal_verdict: position_o = wrong_position_q[23:16] => position_o = wrong_position_q[15:8]
        heddle_traversal_decoder: if (last_word | clear_i) position_q => if (last_word) position_q
        heddle_traversal_phase: if (whole) next_phase = DecodePhaseInitial => next_phase = DecodePhaseInitial",
    );
}

#[test]
fn faults_in_the_checks_are_noticed() {
    check(
        r"
        heddle_traversal_record_check: (row_rank < rank_q) => 1'b0
        heddle_traversal_record_check: was_seen | seen_q[2] => was_seen
        heddle_traversal_record_check: many_q | (tensor_q & => many_q | (1'b0 &
        heddle_traversal_record_check: last_word & attached_q & !tensor_q => 1'b0
        heddle_traversal_record_check: 3'd4) & (setup_q != 2'd3) => 3'd4) & (setup_q == 2'd0)
        heddle_traversal_decoder: window_last_q < window_first_q => window_last_q <= window_first_q
        heddle_traversal_endless: distance_before_q[7:0] & below_q => distance_before_q[7:0] & step_q
        heddle_traversal_endless: !distance_before_q[8] & distance_before_q[0] => 1'b0",
    );
}

#[test]
fn faults_in_counting_are_noticed() {
    check(
        r"
        heddle_traversal_order: !follows & !in_middle => !follows
        heddle_traversal_order: candidate & ~pick => candidate
        heddle_traversal_order: (load_i | follows | aside) & !stop_i => (load_i | follows | aside)
        heddle_traversal_counters: load_initial_i[8*i+:8] => initial_i[8*i+:8]
        heddle_traversal_counters: distance_q[9*i+:8] == 8'd0 => !distance_q[9*i+8]
        heddle_traversal_engine: {minuend < end_value, difference[7:0]} => difference
        heddle_traversal_engine: {1'b0, old_initial_out} + {1'b0, old_step_out} => {1'b0, old_initial_out}
        heddle_traversal_group: equal | equal_i[0] => equal
        heddle_traversal_endless: written_q & !clear_i => written_q",
    );
}

/// What a clear must forget.
#[test]
fn faults_of_a_clear_are_noticed() {
    let mutants = r"
        heddle_traversal_record_check: if (clear_i | !last_word) setup_q => if (!last_word) setup_q
        heddle_traversal_verdict: wrong_q[1] <= wrong_q[0] & goes_on => wrong_q[1] <= wrong_q[0] & !wrong_q[1] & !endless_i
        heddle_traversal_core: valid_q[1] <= valid_q[0] & !stop_i => valid_q[1] <= valid_q[0]";
    check_mutants(&ONE_SET.sources, &faults(mutants), |sources, seed| {
        let unit = Unit {
            sources: sources.clone(),
            ..ONE_SET.clone()
        };
        fuzz(&unit, seed, 30_000)
    });
}

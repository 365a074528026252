//! Faults of what joins the cluster to the machine.

use super::faults::run_faulty;
use super::{Machine, SMALL, TALL, random_layers};
use crate::machines;
use crate::rtl::{self, Checked, Coverage, faults};

/// Layers, then programs with a fault, until one of them finds something.
fn any(machine: &Machine) -> Checked {
    random_layers(machine, 1, 12)?;
    (1..=60).try_for_each(|seed| run_faulty(machine, seed, &mut Coverage::default()))
}

#[track_caller]
fn check(machine: &Machine, mutants: &'static str) {
    let params = &machine.params;
    let sources = machines::verilog(params);
    rtl::check_mutants(&sources, &faults(mutants), |sources, _| {
        any(&Machine::from_verilog(params.clone(), sources))
    });
}

#[test]
fn faults_of_the_engine_are_noticed() {
    let mutants = r"
        // Zeros are those of another row; a slot is taken a clock early or comes without its mark.
        heddle_sparse_slot_queue: !nz_i[1] => !nz_i[0]
        heddle_sparse_slot_queue: sent_q <= {sent_q[11:0], sends_i} => sent_q <= {sent_q[11:1], sends_i, sends_i}
        heddle_sparse_slot_queue: queue_busy | queue_waits => 1'b0
        // Columns take each other's sums, or none.
        heddle_sparse_sum_skew: takes_q <= {takes_q[2:0], leaves_i} => takes_q <= {takes_q[2:1], leaves_i, leaves_i}
        heddle_sparse_sum_skew: sum_i[95:64], sum_q[95:32] => sum_i[63:32], sum_q[95:32]
        // Commands overtake their queue, or the cluster is idle while some are there.
        heddle_sparse_engine: if (order_command_i & !takes) held_q => if (order_command_i) held_q
        heddle_sparse_engine: busy_q <= !cluster_idle | commands_busy | slots_busy => busy_q <= !cluster_idle
        heddle_sparse_engine: .bias_tile_i   (bias_tile_i[7:0]) => .bias_tile_i   (8'd0)
        // Slots come without room, wait for weights, count as vectors, are products; the next tile begins early.
        heddle_stream_issue: sends = addr_valid_i & in_range & takes_slot_i => sends = addr_valid_i & in_range
        heddle_stream_issue: accept = sends; =>
        heddle_stream_issue: vector = 1'b0; =>
        heddle_stream_issue: op_tag_q <= 8'd128 => op_tag_q <= 8'd0
        // Sums leave without a place, those that meet a result are lost.
        heddle_drain_issue: wants = leaves_i || to_post_q[2] => wants = to_post_q[2]
        heddle_control: drain_issue_meets ? 5'd18 : cluster_error_i => cluster_error_i
        // HALT does not wait for the cluster, a command not for its room, a stop does not come from it.
        heddle_sequencer: | (is_halt_q & cluster_busy_i) =>
        heddle_sequencer: (is_command_q & !takes_command_i) | =>
        heddle_status: ((|cluster_error_q) & running_i) | =>
        heddle_status: {4'd0, cluster_busy_i, => {4'd0, 1'b0,
        heddle_control: cluster_event_i || => 1'b0 ||
        heddle_instruction_check: (header_length > 8'd15) => 1'b0
        heddle_host_port: cluster_counter_o = host_addr_i[6:3]; => cluster_counter_o = 4'd0;";
    check(&SMALL, mutants);
}

#[test]
fn faults_of_slots_of_two_words_are_noticed() {
    let mutants = r"
        heddle_sparse_slot_queue: {at[543:536], at[503:496] => {at[503:496], at[543:536]";
    check(&TALL, mutants);
}

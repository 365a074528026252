//! Faults in the text of a machine that programs in lockstep must find.

use heddle_arch::params::Params;

use super::garbage;
use super::programs::run_programs;
use crate::machines::{self, Machine};
use crate::rtl::{self, Checked, Coverage, faults};

#[track_caller]
fn check(params: &Params, mutants: &'static str, run: impl Fn(&Machine) -> Checked<Coverage>) {
    rtl::check_mutants(&machines::probed(params), &faults(mutants), |sources, _| {
        run(&Machine::from_verilog(params.clone(), sources))
    });
}

/// Legal programs, then garbage, until one of them finds something.
fn any(machine: &Machine, programs: u32, words: u32) -> Checked<Coverage> {
    run_programs(machine, 1, programs)?;
    garbage::run_all(machine, 1, words)
}

/// A run ends alike without these words, or with them in another clock: only the words as they arrive tell.
#[test]
fn a_word_that_is_a_clock_late_is_found() {
    let params = machines::pooling();
    let sources = machines::probed(&params);
    let late = "reg late_q; always @(posedge clk) late_q <= valid_i & flush_i;";
    let declaration = "reg complete_q;";
    let module = "heddle_pack_issue";
    let both = format!("{declaration} {late}");
    let sources = rtl::mutated(&sources, module, declaration, &both);
    let now = "complete_q <= valid_i & flush_i;";
    let sources = rtl::mutated(&sources, module, now, "complete_q <= late_q;");
    let machine = Machine::from_verilog(params, &sources);
    let message = run_programs(&machine, 1, 20).expect_err("a late word goes unnoticed");
    assert!(message.contains("gets nothing"), "{message}");
}

#[test]
fn legal_programs_find_every_fault() {
    let mutants = r"
        // A vector's result is not forwarded to the epilogue right after it; the host reaches memories during a run.
        heddle_result_column: (slot_addr == last_addr) => (slot_addr != last_addr)
        heddle_host_port: (is_register | !running_i) => 1'b1
        // The swap flag is lost, every K tile starts from the bias, a kept word is reused, the swap does not ride on
        // the last vector.
        heddle_stream_issue: op_swap_q <= swap & => op_swap_q <= op_swap_q & swap &
        heddle_stream_issue: vector & first_q => vector & (first_q | first_i)
        heddle_stream_issue: op_fresh_q <= fresh_q => op_fresh_q <= 1'b0
        heddle_stream_issue: (vector & tile_end) | =>
        // A word more is taken before a swap has crossed the columns.
        heddle_weight_issue: !full_q & (travel_q == 9'd0) => !full_q
        // The last word of a drain stays in the byte packers; HALT does not wait for the waves.
        heddle_drain_issue: post_flush_q <= addr_end_i => post_flush_q <= 1'b0
        heddle_sequencer: quiet_q <= quiet_q - 10'd1 => quiet_q <= 10'd0
        // Every K tile takes the first entry; vectors of the last K tile count as the others.
        heddle_stream_issue: entry_q <= entry_q + 9'd1 => entry_q <= entry_q
        heddle_control: stream_issue_table & stream_issue_last_tile_out => 1'b0
        // Products of several column tiles and streamed weights: the second column tile does not begin from its bias or
        // with the first entry, operands or prologue stay, repetitions count wrongly, the scale stays or changes too early,
        // a word that goes on is dropped, streamed words begin before a vector waits or stop between tiles, a word behind
        // the last tile counts as one.
        heddle_stream_issue: first_q <= first_i; => first_q <= first_q & first_i;
        heddle_stream_issue: entry_q <= {1'b0, entry_i}; => entry_q <= entry_q + 9'd1;
        heddle_traversal_engine_m3_n5_: + increment_i[16*i+:16] =>
        heddle_traversal_engine_m3_n5_: times_q != 8'd0 => times_q > 8'd1
        heddle_drain_issue: start_i | advance => start_i
        heddle_drain_issue: & advance_i & tile_end => & advance_i
        heddle_post_c: load_i & !valid_i => load_i
        heddle_requantise: multiplier_q[61:31] => multiplier_q[30:0]
        heddle_weight_issue: free & stall_i => free
        heddle_weight_issue: begun_q | (free => (free
        heddle_weight_issue: & (row_i == 3'd0) =>";
    check(&machines::tiny(), mutants, |machine| {
        run_programs(machine, 1, 100)
    });
}

#[test]
fn garbage_finds_every_fault() {
    let mutants = r"
        // The machine hangs instead of giving up.
        heddle_sequencer: (stuck_q == 12'hffe) => 1'b0
        // The host meets results on their way; a drain address beyond the memory goes unnoticed; a stopped drain
        // leaves bytes behind.
        heddle_sequencer: state_q <= StateStop; => state_q <= StateIdle;
        heddle_drain_issue: assign dest_error_o = addr_valid_i & !in_range; => assign dest_error_o = 1'b0;
        heddle_pack_issue: open_q & !leaves & !drop_i => open_q & !leaves
        // Sums beyond the memory and entries beyond the table go unnoticed.
        heddle_control: | end_fault_i =>
        heddle_stream_issue: & has_entry =>";
    check(&machines::tiny(), mutants, |machine| {
        garbage::run_all(machine, 1, 600)
    });
}

/// Windows that are counted wrongly, a word of an instruction in the wrong register, entries that do not arrive.
#[proves("PET-58", "PET-59")]
#[test]
fn programs_find_every_fault_of_the_options() {
    let mutants = r"
        heddle_drain_issue: is_last = left_q == 8'd0 => is_last = left_q <= 8'd1
        heddle_drain_issue: if (start_i) begins_q <= 1'b1; =>
        heddle_drain_issue: post_valid_q <= pass => post_valid_q <= take
        heddle_sequencer: is_pool_q <= is_unit[2] & !drain_placed; => is_pool_q <= 1'b0;
        heddle_unit_registers: & !is_pool_i =>
        heddle_instruction_check: drain_activation > 4'd3 => drain_activation > 4'd4
        heddle_instruction_check: drain_pool_window >= 8'd9 => drain_pool_window > 8'd9
        heddle_host_port: host_addr_i[14:11] < 4'd3 => host_addr_i[14:11] < 4'd2
        heddle_stream_issue: vector & first_q & raised_i => vector & raised_i
        heddle_stream_issue: first_q & raised_i => first_q & raised_i & !to_post
        heddle_drain_issue: slot_tag[6] => 1'b0
        heddle_control: post_dual_o = drain_dual => post_dual_o = drain_single
        heddle_instruction_check: word_i[31:27] != 5'd0 => 1'b0
        heddle_stream_issue: if (to_post) accept = => if (is_tensor) accept =
        heddle_stream_issue: & to_post) pace_q <= 2'd1 => & is_epilogue) pace_q <= 2'd1";
    check(&machines::pooling(), mutants, |machine| {
        any(machine, 60, 600)
    });
}

/// Prime does not wait for the first word, program writes pass the codec; operands, sums with offsets, weights and
/// results may lie in the program, weights and results in the input; results may not lie below it.
#[proves("PET-60", "PET-61")]
#[test]
fn programs_find_every_fault_of_input_and_program_banks() {
    let mutants = r"
        heddle_host_port: codes = (region == 2'd3) & !host_addr_i[29] => codes = !host_addr_i[29]
        heddle_stream_issue: 13'h300) => 13'h400)
        heddle_row_offset: 13'h300 => 13'h400
        heddle_sequencer: if (awaits) state_q <= StatePrime; =>
        heddle_weight_issue: < 13'h200) => < 13'h300)
        heddle_weight_issue: < 13'h200) => < 13'h400)
        heddle_drain_issue: (addr_i[15:3] < 13'h200) => 1'b1
        heddle_drain_issue: (addr_i[15:3] < 13'h200) => (addr_i[15:3] < 13'h1ff)";
    check(&machines::banked(), mutants, |machine| {
        any(machine, 60, 4000)
    });
}

#[proves("PET-57")]
#[test]
fn legal_programs_find_every_fault_of_sums_at_the_top() {
    let mutants = r"
        // A tile begins a clock too early.
        heddle_sums_issue: tile_left_q <= 9'd7 => tile_left_q <= 9'd6
        // An epilogue does not wait.
        heddle_sums_issue: slot_wait_o = slot_wait_q => slot_wait_o = 1'b0
        // Tiles that store nothing make others wait.
        heddle_stream_issue: vector & !(last_i & last_tile) => vector
        // The stored sum is added to the bias as well.
        heddle_stream_issue: is_tensor & !first_q) => is_tensor)
        // The sums of an epilogue are not taken.
        heddle_drain_issue: res_sum_en_q <= slot; => res_sum_en_q <= slot_vector;";
    let params = machines::with_sums_at_top(machines::tall());
    check(&params, mutants, |machine| run_programs(machine, 1, 60));
}

#[test]
fn legal_programs_find_every_fault_of_words_backwards_and_placed_drains() {
    let mutants = r"
        heddle_weight_issue: {8'd0, flip_i, 3'd0} => 16'd0
        heddle_drain_rotate_r3_s2: if (rotate_i) => if (!rotate_i)
        heddle_post_lane: skip_i - 8'd1 => skip_i";
    check(&machines::wide(), mutants, |machine| {
        run_programs(machine, 1, 60)
    });
}

/// A unit takes the rows and loops of any record, or levels of another unit; a row without loops never ends; a loop
/// that does not exist is never in its last iteration.
#[test]
fn programs_find_every_fault_of_units_of_different_sizes() {
    let mutants = r"
        heddle_instruction_check: bad_field_o = bad_row | => bad_field_o =
        heddle_instruction_check: 4'd1: bad_row = row_loops > 4'd0 => 4'd1: bad_row = row_loops > 4'd1
        heddle_instruction_check: (unit_i == UnitStream) ? load => (unit_i == UnitWeights) ? load
        heddle_traversal_core_m3_n3_w24_: row_wrap[0] = 1'b1; => row_wrap[0] = 1'b0;
        heddle_traversal_core_m3_n2_w24_: row_final[1] = 1'b1; => row_final[1] = 1'b0;";
    check(&machines::wide(), mutants, |machine| any(machine, 60, 600));
}

//! Faults in the text of a machine that programs in lockstep must find.

use heddle_arch::params::Params;

use super::garbage;
use super::programs::run_programs;
use super::shapes;
use crate::machines::Machine;
use crate::rtl::{self, Checked, Coverage, Mutant};

#[track_caller]
fn check(params: &Params, mutants: &[Mutant], run: impl Fn(&Machine) -> Checked<Coverage>) {
    rtl::check_mutants(&shapes::probed(params), mutants, |sources, _| {
        run(&Machine::from_verilog(params.clone(), sources))
    });
}

/// A run ends alike without these words, or with them in another clock: only the words as they arrive tell.
#[test]
fn a_word_that_is_a_clock_late_is_found() {
    let params = shapes::options();
    let sources = shapes::probed(&params);
    let late = "reg late_q; always @(posedge clk) late_q <= valid_i & flush_i;";
    let declaration = "reg complete_q;";
    let module = "heddle_gatherer";
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
    let mutants = [
        // The host reaches memories during a run.
        (
            "heddle_host_port",
            "((region == 2'd0) | !running_i)",
            "1'b1",
        ),
        // The last word of a drain stays behind; a kept word is used in the next instruction; an epilogue
        // slot misses the sum stored right in front of it; weights are loaded while the swap still travels.
        (
            "heddle_drain_head",
            "post_flush_q <= addr_end_i",
            "post_flush_q <= 1'b0",
        ),
        (
            "heddle_stream_head",
            "op_fresh_q <= fresh_q",
            "op_fresh_q <= 1'b0",
        ),
        (
            "heddle_result_column",
            "last_store & (slot_addr == last_addr)",
            "last_store & (slot_addr != last_addr)",
        ),
        (
            "heddle_weight_head",
            "if (swap_i) travel_q <= 9'd1",
            "if (swap_i) travel_q <= 9'd0",
        ),
    ];
    check(&shapes::options(), &mutants, |machine| {
        run_programs(machine, 1, 60)
    });
}

#[test]
fn garbage_finds_every_fault() {
    let mutants = [
        // The machine hangs instead of giving up.
        ("heddle_sequencer", "(stuck_q == 12'hfff)", "1'b0"),
        // The host meets results on their way; a drain address beyond the memory goes unnoticed; a stopped drain
        // leaves bytes behind; the wrong instruction is blamed.
        (
            "heddle_sequencer",
            "state_q <= StateStop;",
            "state_q <= StateIdle;",
        ),
        (
            "heddle_drain_head",
            "assign dest_error_o = addr_valid_i & !in_range;",
            "assign dest_error_o = 1'b0;",
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
    check(&shapes::options(), &mutants, |machine| {
        garbage::run_all(machine, 1, 600)
    });
}

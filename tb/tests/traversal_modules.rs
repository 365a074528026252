//! Agreement of the traversal modules with their Verilog: rust-hdl's simulator against Verilator.
//!
//! As in `modules.rs`, stimulus is random and not always legal.

use heddle_tb::agreement::{Agreement, Circuit, Stimulus};
use heddle_tb::{designs, linked_model};

#[track_caller]
fn agreement<'a, C: Circuit>(design: &str, circuit: C) -> Agreement<'a, C> {
    let model = linked_model(design).unwrap_or_else(|error| panic!("{error}"));
    Agreement::new(design, circuit, model)
}

/// Sets an input to a number below `count`.
fn set_below(s: &mut Stimulus, name: &str, count: u64) {
    let value = s.below(count);
    s.set(name, 0, value);
}

/// Sets an input to 1 as often as said, else to 0.
fn set_often(s: &mut Stimulus, name: &str, probability: f64) {
    let value = s.chance(probability);
    s.set(name, 0, value.into());
}

/// Writes registers mostly while they may be written, starts, stops and pauses.
fn drive_engine(s: &mut Stimulus, rows: u64, loops: u64) {
    let ready = s.get("cfg_ready_o", 0) == 1;
    set_often(s, "cfg_clear_i", if ready { 0.01 } else { 0.0 });
    set_often(s, "stop_i", 0.003);
    set_often(s, "cfg_valid_i", if ready { 0.8 } else { 0.02 });
    set_below(s, "cfg_row_i", rows);
    set_below(s, "cfg_col_i", loops);
    set_below(s, "cfg_kind_i", 3);
    set_below(s, "cfg_loop_i", loops);
    // The end test of a row stays the same.
    let row = s.get("cfg_row_i", 0);
    s.set("cfg_equal_i", 0, (row == 1).into());
    s.set("cfg_trips_i", 0, (row == 2).into());
    if s.chance(0.9) {
        // Steps and ends of a few iterations.
        set_below(s, "cfg_data_i", 6);
    }
    set_often(s, "start_i", 0.05);
    set_often(s, "pause_i", 0.1);
}

#[test]
fn traversal_agrees() {
    agreement("traversal", designs::traversal())
        .seed(21)
        .cycles(6000)
        .drive(|s| drive_engine(s, 3, 4))
        .event("address", |s| s.is("valid_o") && s.is("ready_i"))
        .event("stall", |s| s.is("valid_o") && !s.is("ready_i"))
        .event("end of row", |s| s.is("valid_o") && s.is("last_o"))
        .event("end", |s| s.is("valid_o") && s.is("end_o"))
        .event("row 2", |s| s.is("valid_o") && s.get("row_o", 0) == 2)
        .event("wrap", |s| s.is("final_o") && !s.is("last_o"))
        .event("stop", |s| s.is("stop_i") && s.is("valid_o"))
        .check();
}

#[test]
fn traversal_with_wide_addresses_agrees() {
    agreement("traversal_wide", designs::traversal_wide())
        .seed(22)
        .cycles(6000)
        .drive(|s| drive_engine(s, 2, 3))
        .event("address", |s| s.is("valid_o") && s.is("ready_i"))
        .event("end", |s| s.is("valid_o") && s.is("end_o"))
        .event("high address", |s| s.get("addr_o", 0) >> 24 != 0)
        .check();
}

#[test]
fn traversal_with_all_options_agrees() {
    agreement("traversal_options", designs::traversal_options())
        .seed(23)
        .cycles(6000)
        .drive(|s| drive_engine(s, 4, 8))
        .event("address", |s| s.is("valid_o") && s.is("ready_i"))
        .event("stall", |s| s.is("valid_o") && !s.is("ready_i"))
        .event("end", |s| s.is("valid_o") && s.is("end_o"))
        .event("stop", |s| s.is("stop_i") && s.is("valid_o"))
        .event("equality", |s| {
            s.is("valid_o") && s.get("row_o", 0) == 1 && !s.is("final_o")
        })
        .event("trips", |s| {
            s.is("valid_o") && s.get("row_o", 0) == 2 && !s.is("final_o")
        })
        .event("prologue", |s| s.is("valid_o") && s.get("kind_o", 0) == 1)
        .event("epilogue", |s| s.is("valid_o") && s.get("kind_o", 0) == 2)
        .event("waiting start", |s| !s.is("cfg_ready_o"))
        .event("load while addresses leave", |s| {
            s.is("load_o") && s.is("valid_o")
        })
        .event("offset only", |s| s.is("load_o") && s.is("offset_only_i"))
        .check();
}

#[test]
fn loop_registers_agree() {
    agreement("loop_registers", designs::loop_registers())
        .seed(24)
        .drive(|s| set_often(s, "load_i", 0.2))
        .event("load", |s| s.is("load_i"))
        .event("waiting set differs", |s| {
            s.get("initial_o", 2) != s.get("next_initial_o", 2)
        })
        .event("distance", |s| s.get("distance_o", 1) >> 12 == 1)
        .check();
}

#[test]
fn row_counters_agree() {
    agreement("row_counters", designs::row_counters())
        .seed(25)
        .cycles(4000)
        .drive(|s| set_often(s, "load_i", 0.05))
        .event("step", |s| s.is("advance_i") && !s.is("final_o"))
        .event("wrap of all loops", |s| s.get("wrap_o", 2) == 1)
        .event("equality", |s| s.is("equal_i") && s.is("final_o"))
        .event("load", |s| s.is("load_i"))
        .check();
}

#[test]
fn row_order_agrees() {
    agreement("row_order", designs::row_order())
        .seed(26)
        .cycles(6000)
        .drive(|s| {
            for (name, probability) in [("clear_i", 0.02), ("load_i", 0.04), ("stop_i", 0.01)] {
                set_often(s, name, probability);
            }
            set_below(s, "list_row_i", 5);
            set_below(s, "list_kind_i", 3);
            set_below(s, "list_loop_i", 4);
        })
        .event("row 3", |s| s.get("active_o", 3) == 1)
        .event("end", |s| s.is("running_o") && s.is("end_o"))
        .event("attached row", |s| {
            let tensor = s.is("running_o") && s.get("kind_o", 0) == 0;
            tensor && s.is("advance_i") && !s.is("done_i") && s.after("kind_o", 0) != 0
        })
        .event("back to the tensor", |s| {
            let aside = s.is("running_o") && s.get("kind_o", 0) != 0;
            aside && s.is("done_i") && s.is("advance_i") && s.after("kind_o", 0) == 0
        })
        .check();
}

#[test]
fn address_sum_agrees() {
    agreement("address_sum", designs::address_sum())
        .seed(27)
        .event("held", |s| {
            !s.is("enable_i") && s.after("sum_o", 0) == s.get("sum_o", 0)
        })
        .event("new sum", |s| s.after("sum_o", 0) != s.get("sum_o", 0))
        .check();
}

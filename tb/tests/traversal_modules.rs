//! Agreement of the traversal modules with their Verilog: rust-hdl's simulator against Verilator.
//!
//! As in `modules.rs`, stimulus is random and not always legal.

use crate::agreement::Circuit;
use crate::agreement::{Stimulus, agreement};
use crate::designs;

/// Sets an input to a number below `count`.
fn set_below(s: &mut Stimulus, name: &str, count: u64) {
    let value = s.below(count);
    s.set(name, 0, value);
}

/// Sets an input to 1 as often as said, else to 0.
pub fn set_often(s: &mut Stimulus, name: &str, probability: f64) {
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
        .still(&["endless_o"])
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
        .still(&["endless_o"])
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
        .still(&["endless_o"])
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

/// Three loops of two rows: writes now and then, and what an arrangement could mix up.
#[track_caller]
fn check_array<C: Circuit>(design: &str, circuit: C, double: bool) {
    agreement(design, circuit)
        .seed(28)
        .drive(|s| set_often(s, "load_i", 0.2))
        .event("row 1, innermost loop alone", |s| {
            let places = (0..6).filter(|place| s.get("write_step_i", *place) == 1);
            places.eq([3])
        })
        .event("row 0, outermost loop alone", |s| {
            let places = (0..6).filter(|place| s.get("write_distance_i", *place) == 1);
            places.eq([2])
        })
        .event("sets differ, or there is one", |s| {
            (s.get("initial_o", 5) != s.get("next_initial_o", 5)) == double
        })
        .check();
}

#[test]
fn register_arrays_of_all_arrangements_agree() {
    check_array("register_array", designs::register_array(), true);
    let mirrored = designs::register_array_mirrored();
    check_array("register_array_mirrored", mirrored, false);
    let transposed = designs::register_array_transposed();
    check_array("register_array_transposed", transposed, true);
}

#[test]
fn offset_table_agrees() {
    agreement("offset_table", designs::offset_table())
        .seed(32)
        .cycles(6000)
        .drive(|s| {
            set_often(s, "base_valid_i", 0.1);
            set_below(s, "base_row_i", 4);
            set_below(s, "in_row_i", 4);
            set_often(s, "replay_i", 0.05);
            set_often(s, "clear_i", 0.01);
        })
        .event("stored", |s| s.is("in_valid_i") && s.is("in_ready_o"))
        .event("full", |s| s.get("stored_o", 0) == 16)
        .event("address", |s| s.is("valid_o") && s.is("ready_i"))
        .event("stall", |s| s.is("valid_o") && !s.is("ready_i"))
        .event("end", |s| s.is("valid_o") && s.is("end_o"))
        .event("last row", |s| s.is("valid_o") && s.get("row_o", 0) == 2)
        .event("clear in a replay", |s| s.is("busy_o") && s.is("clear_i"))
        .event("offset refused in a replay", |s| {
            s.is("busy_o") && s.is("in_valid_i") && !s.is("in_ready_o")
        })
        .check();
}

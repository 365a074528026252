//! Agreement of the traversal modules with their Verilog: rust-hdl's simulator against Verilator.
//!
//! As in `modules.rs`, stimulus is random and not always legal.

use crate::agreement::Circuit;
use crate::agreement::{Sample, Stimulus, agreement};
use crate::designs;

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
fn row_adders_agree() {
    agreement("row_adders", designs::row_adders())
        .seed(29)
        .event("offset wraps", |s| {
            s.get("offset_o", 1) < s.get("offset_i", 1)
        })
        .event("distance becomes positive", |s| {
            s.get("distance_i", 2) >> 6 == 1 && s.get("distance_o", 2) >> 6 == 0
        })
        .check();
}

#[test]
fn endless_check_agrees() {
    // End tests of the last three cycles: the output speaks of the one two cycles before.
    let history = |endless: u64, test: u64| {
        let mut tests = [0; 3];
        move |s: &Sample| {
            let equal_or_trips = s.get("equal_i", 0) | s.get("trips_i", 0) << 1;
            tests = [equal_or_trips, tests[0], tests[1]];
            s.get("endless_o", 0) == endless && tests[2] == test
        }
    };
    agreement("endless_check", designs::endless_check())
        .seed(30)
        .cycles(4000)
        .drive(|s| {
            set_often(s, "write_i", 0.8);
            set_often(s, "clear_i", 0.05);
            if s.chance(0.5) {
                // No step, or one with low bits of 0; the way to the end is short.
                let step = s.below(4) << s.below(4);
                s.set("step_i", 0, step);
                let distance = s.below(5).wrapping_sub(3);
                s.set("distance_i", 0, distance);
            }
        })
        .event("at least, endless", history(1, 0))
        .event("at least, ends", history(0, 0))
        .event("equal, endless", history(1, 1))
        .event("equal, ends", history(0, 1))
        .event("trips, endless", history(1, 2))
        .event("trips, ends", history(0, 2))
        .check();
}

/// Registers that stand still while a row runs: waiting ones and those in use, in small numbers.
#[derive(Default)]
struct Configuration {
    waiting: Vec<[u64; 3]>,
    active: Vec<[u64; 3]>,
    bases: Vec<u64>,
    equal: u64,
    trips: u64,
}

impl Configuration {
    const ROWS: usize = 3;
    const LOOPS: usize = 2;

    fn draw(&mut self, s: &mut Stimulus) {
        let loops = (0..Self::ROWS * Self::LOOPS).map(|_| {
            let [initial, step, trips] = [s.below(6), s.below(7) + 1, s.below(3) + 1];
            // Initial offset, step, first distance to the end.
            [initial, step, step.wrapping_sub(trips * step)]
        });
        self.waiting = loops.collect();
    }

    fn load(&mut self, s: &mut Stimulus) {
        self.active.clone_from(&self.waiting);
        self.bases = (0..Self::ROWS).map(|_| s.below(1024)).collect();
        self.equal = s.below(8);
        self.trips = s.below(8) & !self.equal;
    }

    fn drive(&self, s: &mut Stimulus) {
        for row in 0..Self::ROWS {
            s.set("base_i", row, self.bases[row]);
            s.set("equal_i", row, self.equal >> row);
            s.set("trips_i", row, self.trips >> row);
        }
        for (place, [initial, step, distance]) in self.active.iter().enumerate() {
            s.set("initial_i", place, *initial);
            s.set("step_i", place, *step);
            s.set("distance_i", place, *distance);
        }
        for (place, [initial, _, distance]) in self.waiting.iter().enumerate() {
            s.set("load_initial_i", place, *initial);
            s.set("load_distance_i", place, *distance);
        }
    }
}

#[test]
fn traversal_core_agrees() {
    let mut registers = Configuration::default();
    agreement("traversal_core", designs::traversal_core())
        .seed(31)
        .cycles(6000)
        .drive(move |s| {
            let running = s.get("running_o", 0) == 1;
            set_often(s, "load_i", if running { 0.002 } else { 0.3 });
            set_often(s, "list_clear_i", 0.05);
            set_often(s, "list_i", 0.3);
            set_below(s, "list_row_i", 4);
            set_below(s, "list_kind_i", 3);
            set_below(s, "list_loop_i", 3);
            set_often(s, "stop_i", 0.003);
            set_often(s, "pause_i", 0.1);
            if registers.waiting.is_empty() || s.chance(0.1) {
                registers.draw(s);
            }
            if registers.active.is_empty() || s.get("load_i", 0) == 1 {
                registers.load(s);
            }
            registers.drive(s);
        })
        .event("address", |s| s.is("valid_o") && s.is("ready_i"))
        .event("stall", |s| s.is("valid_o") && !s.is("ready_i"))
        .event("end", |s| s.is("valid_o") && s.is("end_o"))
        .event("last address of a row before the end", |s| {
            s.is("valid_o") && s.is("last_o") && !s.is("end_o")
        })
        .event("wrap inside a row", |s| {
            s.is("valid_o") && s.is("final_o") && !s.is("last_o")
        })
        .event("row 2", |s| s.is("valid_o") && s.get("row_o", 0) == 2)
        .event("epilogue", |s| s.is("valid_o") && s.get("kind_o", 0) == 2)
        .event("pause in a row", |s| s.is("able_o") && s.is("pause_i"))
        .event("stop in a row", |s| s.is("running_o") && s.is("stop_i"))
        .check();
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

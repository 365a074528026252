//! Memories, array, results and post-processing.

use crate::agreement::{Stimulus, agreement};
use crate::designs;

use super::{set_below, thin_out};

#[test]
fn sliced_memory_agrees() {
    agreement("sliced", designs::sliced())
        .seed(23)
        .cycles(6000)
        .drive(|s| {
            set_below(s, "waddr_i", 1, 16);
            set_below(s, "raddr_i", 1, 16);
            thin_out(s, "wdata_i", 8);
            if s.chance(0.1) {
                s.set_all("wdata_i", 0);
            }
        })
        .event("write and read of one word", |s| {
            s.is("wen_i") && s.is("ren_i") && s.get("waddr_i", 0) == s.get("raddr_i", 0)
        })
        .event("mask only", |s| s.is("mask_wen_o") && !s.is("slice_wen_o"))
        .event("no second slice", |s| {
            s.is("slice_ren_o") && s.get("slice_ren_o", 1) == 0
        })
        .check();
}

#[test]
fn state_buffer_agrees() {
    agreement("state_buffer", designs::state_buffer())
        .seed(24)
        .cycles(3000)
        .drive(|s| {
            set_below(s, "op_addr_i", 1, 256);
            set_below(s, "op_rows_i", 1, 5);
            set_below(s, "op_entry_i", 1, 4);
            set_below(s, "wt_addr_i", 1, 256);
            set_below(s, "wt_rows_i", 1, 5);
            set_below(s, "wt_dest_i", 1, 32);
            set_below(s, "host_partition_i", 1, 4);
            set_below(s, "host_word_i", 1, 32);
            set_below(s, "dr_word_i", 3, 32);
            if s.get("host_table_i", 0) == 1 {
                // Other entries than those that are read, small offsets.
                let entry = (s.cycle / 16 + 2) % 4;
                s.set("op_table_i", 0, 0);
                s.set("host_word_i", 0, entry);
                s.set("host_data_i", 1, 0);
            }
            thin_out(s, "host_data_i", 8);
            thin_out(s, "dr_data_i", 24);
        })
        .event("negative operand", |s| s.get("x_o", 0) >> 8 == 1)
        .event("held operand", |s| {
            s.get("nz_o", 2) == 0 && s.get("x_o", 2) != 0
        })
        .event("row offset", |s| s.is("op_table_i") && s.is("op_valid_i"))
        .event("copy", |s| {
            s.is("wt_valid_i") && s.is("wt_copy_i") && s.get("wt_rows_i", 0) > 2
        })
        .event("skipped slice", |s| {
            s.get("ev_mask_read_o", 0) > s.get("ev_slice_read_o", 0)
        })
        .event("two events at once", |s| s.get("ev_mask_write_o", 0) > 1)
        .check();
}

#[test]
fn array_agrees() {
    agreement("pe_array", designs::pe_array())
        .seed(25)
        .event("swap with a shift", |s| {
            s.get("swap_i", 1) == 1 && s.get("shift_i", 1) == 1
        })
        .event("negative sum", |s| s.get("psum_o", 9) >> 31 == 1)
        .event("smallest operand", |s| s.get("x_i", 0) == 0x100)
        .event("zero operand", |s| s.get("nz_i", 1) == 0)
        .check();
}

#[test]
fn bias_row_agrees() {
    agreement("bias_row", designs::bias_row())
        .seed(26)
        .drive(|s| {
            set_below(s, "pw_column_i", 1, 4);
            set_below(s, "pw_tile_i", 1, 4);
            set_below(s, "tile_i", 1, 4);
        })
        .event("no bias", |s| s.get("psum_o", 0) == 0)
        .check();
}

#[test]
fn results_buffer_agrees() {
    agreement("results_buffer", designs::results_buffer())
        .seed(27)
        .drive(|s| {
            let count = if s.chance(0.5) { 2 } else { 8 };
            set_below(s, "addr_i", 1, count);
        })
        .event("accumulate", |s| {
            s.is("valid_i") && s.is("add_i") && s.is("write_i")
        })
        .event("other bank", |s| s.is("valid_i") && s.is("bank_i"))
        .event("no write", |s| s.is("valid_i") && !s.is("write_i"))
        .check();
}

#[test]
fn requantise_agrees() {
    agreement("requantise", designs::requantise())
        .seed(28)
        .cycles(8000)
        .drive(|s| {
            // The other shift is 0, as in a legal scale.
            let left = s.chance(0.3);
            s.set(if left { "right_i" } else { "left_i" }, 0, 0);
        })
        .event("left shift", |s| s.get("left_i", 0) > 0)
        .event("smallest sum", |s| s.get("acc_i", 0) == 1 << 31)
        .event("single rounding", |s| s.is("single_i"))
        .event("result", |s| s.after("byte_o", 0) != s.get("byte_o", 0))
        .check();
}

#[test]
fn byte_packer_agrees() {
    agreement("byte_packer", designs::byte_packer())
        .seed(29)
        .drive(|s| {
            let dest = if s.chance(0.9) { s.cycle } else { s.below(64) };
            s.set("dest_i", 0, dest);
            let flush = s.chance(0.05);
            s.set("flush_i", 0, flush.into());
            let forget = s.chance(0.05);
            s.set("drop_i", 0, forget.into());
        })
        .event("forgotten word", |s| s.is("drop_i") && !s.is("valid_o"))
        .event("full word", |s| {
            s.is("valid_o") && (0..8).all(|k| s.get("data_o", k) != 0)
        })
        .event("flush", |s| s.is("valid_i") && s.is("flush_i"))
        .check();
}

/// Parameters, places and loads of lanes with so many columns and column tiles.
fn drive_lanes(s: &mut Stimulus, columns: u64, tiles: u64) {
    set_below(s, "pw_column_i", 1, columns + 1);
    set_below(s, "pw_tile_i", 1, tiles);
    set_below(s, "tile_i", 1, tiles);
    set_below(s, "skip_i", 1, columns);
    set_below(s, "cols_i", 1, columns + 1);
    let dest = s.cycle;
    s.set("dest_i", 0, dest);
    let load = s.chance(0.05);
    s.set("load_i", 0, load.into());
}

#[test]
fn post_agrees() {
    agreement("post", designs::post())
        .seed(30)
        .cycles(4000)
        .drive(|s| {
            drive_lanes(s, 3, 4);
            // Stable while a drain is under way.
            let (lo, hi, single) = ((s.cycle / 64) % 512, (s.cycle / 40) % 256, s.cycle / 500);
            s.set("lo_i", 0, 0x180 | lo);
            s.set("hi_i", 0, hi);
            s.set("single_i", 0, single & 1);
        })
        .event("byte that is not 0", |s| {
            s.get("dr_valid_o", 0) == 1 && (0..8).any(|k| s.get("dr_data_o", k) != 0)
        })
        .check();
}

#[test]
fn pet_58_pet_59_post_with_options_agrees() {
    agreement("post_options", designs::post_options())
        .seed(40)
        .cycles(4000)
        .drive(|s| {
            drive_lanes(s, 2, 2);
            set_below(s, "aw_entry_i", 1, 768);
            // Stable while a drain is under way.
            let phase = s.cycle / 100;
            s.set("reduction_i", 0, phase % 5);
            s.set("window_i", 0, (phase / 5) % 9);
            // An entry is not written while entries are read.
            s.set("table_i", 0, if phase % 4 < 2 { 0 } else { 1 + phase % 3 });
            let writes = s.get("aw_valid_i", 0);
            s.set(
                "aw_valid_i",
                0,
                if s.cycle % 400 < 180 { writes } else { 0 },
            );
            s.set("lo_i", 0, 0x180);
            s.set("hi_i", 0, 0x7f);
            s.set("single_i", 0, phase & 1);
        })
        .event("byte that is not 0", |s| {
            s.get("dr_valid_o", 0) == 1 && (0..8).any(|k| s.get("dr_data_o", k) != 0)
        })
        .check();
}

#[test]
fn pet_59_pool_lane_agrees() {
    agreement("pool_lane", designs::pool_lane())
        .seed(41)
        .cycles(6000)
        .drive(|s| {
            let phase = s.cycle / 50;
            s.set("reduction_i", 0, phase % 5);
            s.set("window_i", 0, (phase / 5) % 9);
            if s.chance(0.5) {
                set_below(s, "acc_i", 1, 4);
            }
        })
        .event("large result", |s| {
            s.is("valid_o") && s.get("acc_o", 0) > 1000
        })
        .check();
}

#[test]
fn pet_58_activate_agrees() {
    agreement("activate", designs::activate())
        .seed(42)
        .cycles(6000)
        .drive(|s| {
            set_below(s, "wentry_i", 1, 768);
            set_below(s, "table_i", 1, 4);
            // Entries are written first, then read.
            let writes = s.cycle % 2000 < 1600;
            s.set("wen_i", 0, writes.into());
            if writes {
                s.set("valid_i", 0, 0);
            }
        })
        .check();
}

#[test]
fn drain_place_agrees() {
    agreement("drain_place", designs::drain_place())
        .seed(38)
        .drive(|s| {
            set_below(s, "rotate_i", 1, 3);
            thin_out(s, "valid_i", 4);
        })
        .check();
}

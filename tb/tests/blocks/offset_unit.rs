//! Agreement of the offset unit with its Verilog: rust-hdl's simulator against Verilator.
//!
//! As in `modules.rs`, stimulus is random and not always legal.

use crate::agreement::Circuit;
use crate::agreement::{Stimulus, agreement};
use crate::designs;

/// Both tables with random entries and one-hot or any bits: no entry is read that was not written.
fn fill(s: &mut Stimulus, write: u64) {
    s.set("wr_kind_i", 0, 1 + write / 16);
    s.set("wr_index_i", 0, write % 16);
    s.set("wr_valid_i", 0, 1);
}

/// Writes registers with small counts, starts, and takes slots at random.
fn drive(s: &mut Stimulus) {
    let busy = s.previous("busy_o", 0) == 1;
    let start = s.chance(0.05);
    s.set("start_i", 0, start.into());
    let write = s.chance(if busy { 0.01 } else { 0.8 });
    s.set("wr_valid_i", 0, write.into());
    let ready = s.chance(0.7);
    s.set("ready_i", 0, ready.into());
    // Registers rather than entries; values that fit rather than any.
    let kind = if s.chance(0.8) { 0 } else { s.below(4) };
    s.set("wr_kind_i", 0, kind);
    let index = if kind > 0 { s.below(17) } else { s.below(27) };
    s.set("wr_index_i", 0, index);
    let most = match index {
        2..=4 => 7,
        5 | 6 => 6,
        7 => 5,
        8 => 9,
        16 => 4,
        17 => 12,
        19 | 21 | 23 => 4,
        _ => 1 << 32,
    };
    if kind == 0 {
        let data = s.below(most);
        s.set("wr_data_i", 0, data);
    }
}

fn check<C: Circuit>(design: &str, circuit: C, seed: u64) {
    agreement(design, circuit)
        .seed(seed)
        .cycles(6000)
        .reset_chance(0.0005)
        .drive(|s| match s.cycle {
            0..=2 => s.set("rst_n", 0, 0),
            3..=34 => {
                let write = s.cycle - 3;
                s.set("start_i", 0, 0);
                s.set("rst_n", 0, 1);
                fill(s, write);
            }
            _ => drive(s),
        })
        .event("run", |s| s.is("busy_o"))
        .event("done", |s| s.is("done_o"))
        .event("refused start", |s| s.is("error_o"))
        .event("refused write", |s| s.is("refused_o"))
        .event("expander", |s| !s.is("wr_ready_o"))
        .event("read in the last row", |s| s.get("row_ren_o", 2) == 1)
        .event("step without a read", |s| {
            s.get("row_valid_o", 0) == 1 && s.get("row_ren_o", 0) == 0
        })
        .event("stall", |s| {
            s.get("row_valid_o", 0) == 1 && !s.is("ready_i")
        })
        .event("weight word", |s| s.is("b_valid_o"))
        .event("second row tile", |s| {
            s.get("row_valid_o", 0) == 1 && s.get("pass_held_o", 0) == 3
        })
        .event("second column tile", |s| {
            s.get("row_valid_o", 0) == 1 && s.get("pass_cols_o", 0) == 2
        })
        .event("K tile between", |s| {
            s.get("row_valid_o", 0) == 1 && !s.is("pass_sum_first_o")
        })
        .check();
}

#[proves("SGCR-40")]
#[test]
fn offset_unit_agrees() {
    check("offset_unit", designs::offset_unit(false), 51);
}

#[proves("SGCR-40")]
#[test]
fn offset_unit_with_broadcast_agrees() {
    check("offset_unit_broadcast", designs::offset_unit(true), 52);
}

//! Agreement of blocks that use every primitive with their Verilog.

use crate::agreement::agreement;
use crate::designs::{sample_chain, sample_memory, sample_shifter};

#[test]
fn chain_of_multiply_add_cells_agrees() {
    agreement("sample_chain", sample_chain())
        .seed(11)
        .drive(|s| {
            let load = s.cycle % 50 < 2;
            s.set("load_i", 0, u64::from(load));
        })
        .event("load", |s| s.is("load_i"))
        .event("negative sum", |s| s.get("sum_o", 0) >> 23 == 1)
        .event("smallest operand", |s| s.get("x_i", 0) == 0x80)
        .check();
}

#[test]
fn memory_agrees() {
    agreement("sample_memory", sample_memory())
        .seed(12)
        .cycles(4000)
        .drive(|s| {
            let write = s.below(12);
            let read = s.below(12);
            s.set("waddr_i", 0, write);
            s.set("raddr_i", 0, read);
            if write == read {
                // A read of a word that is being written may give either.
                s.set("ren_i", 0, 0);
            }
        })
        .event("write and read", |s| s.is("wen_i") && s.is("ren_i"))
        .event("word changes", |s| {
            s.after("rdata_o", 2) != s.get("rdata_o", 2)
        })
        .event("last word", |s| s.is("wen_i") && s.get("waddr_i", 0) == 11)
        .check();
}

#[test]
fn state_machine_with_shifts_agrees() {
    agreement("sample_shifter", sample_shifter())
        .seed(13)
        .cycles(6000)
        .event("done", |s| s.is("done_o"))
        .event("done with negative value", |s| {
            s.is("done_o") && s.get("y_o", 0) >> 31 == 1
        })
        .event("ignored start", |s| s.is("start_i") && s.is("done_o"))
        .event("shift by 31", |s| s.get("places_i", 0) == 31)
        .event("low", |s| s.is("low_o"))
        .check();
}

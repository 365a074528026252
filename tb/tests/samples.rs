//! Agreement of blocks that use every primitive with their Verilog.

use heddle_tb::agreement::Agreement;
use heddle_tb::designs::{sample_chain, sample_memory, sample_shifter};
use heddle_tb::{linked_designs, linked_model};

#[test]
fn chain_of_multiply_add_cells_agrees() {
    let model = linked_model("sample_chain").unwrap();
    Agreement::new("sample_chain", sample_chain(), model)
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
    let model = linked_model("sample_memory").unwrap();
    Agreement::new("sample_memory", sample_memory(), model)
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
    let model = linked_model("sample_shifter").unwrap();
    Agreement::new("sample_shifter", sample_shifter(), model)
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

#[test]
fn linked_designs_are_found_by_name() {
    assert!(linked_designs().count() >= 3);
    let message = linked_model("nothing").err().unwrap().to_string();
    assert!(
        message.starts_with("no design nothing is linked in, expected one of sample_chain"),
        "{message}"
    );
}

//! Agreement of a block of signed shifts with its Verilog.

use crate::agreement::agreement;
use crate::designs::sample_shifter;

#[test]
fn state_machine_with_shifts_agrees() {
    agreement("sample_shifter", sample_shifter())
        .seed(13)
        .cycles(6000)
        .event("done with negative value", |s| {
            s.is("done_o") && s.get("y_o", 0) >> 31 == 1
        })
        .event("ignored start", |s| s.is("start_i") && s.is("done_o"))
        .event("shift by 31", |s| s.get("places_i", 0) == 31)
        .check();
}

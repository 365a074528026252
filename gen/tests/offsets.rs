//! Every option of the offset unit in other people's tools, where they are installed.

use crate::linters;
use crate::linters::printed;
use heddle_hdl::blocks::offsets::{OffsetShape, OffsetUnit};
use heddle_kernel::prelude::*;
use std::path::PathBuf;

/// Prints a unit into a folder of its own and lints it; the folder and the files.
#[track_caller]
fn clean(name: &str, block: &dyn Block) -> (PathBuf, Vec<String>) {
    let design = printed::emitted(name, block);
    let folder = printed::clean(&format!("offsets_{name}"), &design);
    (folder, printed::files(&design))
}

fn shape(rows: usize, change: impl Fn(&mut OffsetShape)) -> OffsetShape {
    let mut shape = OffsetShape::new(rows, 5);
    change(&mut shape);
    shape
}

#[test]
fn every_option_is_clean() {
    for broadcast in [false, true] {
        for rows in [1, 3] {
            let plain = shape(rows, |s| s.broadcast = broadcast);
            clean(
                &format!("plain_{rows}_{broadcast}"),
                &OffsetUnit::<16>::new(&plain),
            );
            let full = shape(rows, |s| {
                (s.broadcast, s.running, s.expand) = (broadcast, true, true);
                (s.taps, s.bases, s.offsets) = (4, 16, 65536);
            });
            clean(
                &format!("full_{rows}_{broadcast}"),
                &OffsetUnit::<16>::new(&full),
            );
        }
    }
    for (rows, bases) in [(1, 16), (3, 1024), (20, 16)] {
        for broadcast in [false, true] {
            let ahead = shape(rows, |s| {
                (s.prefetch, s.broadcast, s.bases) = (true, broadcast, bases);
            });
            clean(
                &format!("ahead_{rows}_{broadcast}"),
                &OffsetUnit::<16>::new(&ahead),
            );
        }
    }
    let before = shape(2, |s| s.before = true);
    clean("before", &OffsetUnit::<16>::new(&before));
    let ahead = shape(2, |s| {
        (s.before, s.prefetch, s.running) = (true, true, true);
        (s.taps, s.address_bits) = (4, 24);
    });
    clean("before_ahead", &OffsetUnit::<24>::new(&ahead));
    let masks = shape(2, |s| (s.taps, s.address_bits) = (16, 24));
    clean("masks", &OffsetUnit::<24>::new(&masks));
    let running = shape(2, |s| {
        (s.running, s.bases, s.address_bits) = (true, 65536, 32)
    });
    clean("running", &OffsetUnit::<32>::new(&running));
    let expand = shape(2, |s| (s.expand, s.address_bits) = (true, 32));
    clean("expand", &OffsetUnit::<32>::new(&expand));
}

/// No multiplier or divider; one adder in a row, none between the rows.
const ADDERS: &str = "select -assert-none t:$mul t:$div t:$mod t:$pow t:$macc; \
                      select -assert-count 1 heddle_offsets_row_*/t:$add; \
                      select -assert-none heddle_offsets_row*/t:$sub heddle_offsets_row*/t:$alu; \
                      select -assert-none heddle_offsets_rows*/t:$add heddle_offsets_wave*/t:$add";

#[proves("SGCR-30", "SGCR-50")]
#[test]
fn addresses_need_no_multiplier_and_one_adder_for_each_row() {
    let Some(yosys) = linters::program("yosys") else {
        return;
    };
    for ahead in [false, true] {
        let full = shape(7, |s| {
            (s.taps, s.running, s.expand) = (8, true, true);
            (s.before, s.prefetch) = (ahead, ahead);
        });
        let (folder, files) = clean(&format!("adders_{ahead}"), &OffsetUnit::<16>::new(&full));
        let script = format!(
            "read_verilog {}; hierarchy -auto-top; proc; {ADDERS}",
            files.join(" ")
        );
        yosys.check(&folder, &["-q", "-p", &script]);
    }
}

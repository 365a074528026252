//! The sparse cluster.

mod cutter;
mod drain;
mod drain_bench;
mod drain_engine;
mod load;
mod map;
mod sums;
mod unit;
mod units;

use std::ops::Range;

use heddle_sim::sparse::Layout;

use crate::rtl::Dut;

/// Where results have their words of sums.
fn set_layout(dut: &mut Dut, layout: &Layout) {
    dut.set("layout_pitch_i", layout.pitch);
    dut.set("layout_area_i", layout.area);
}

/// The results that a unit has.
fn set_window(dut: &mut Dut, rows: &Range<i32>, cols: &Range<i32>) {
    dut.set("window_row0_i", rows.start as u64);
    dut.set("window_row1_i", rows.end as u64);
    dut.set("window_col0_i", cols.start as u64);
    dut.set("window_col1_i", cols.end as u64);
}

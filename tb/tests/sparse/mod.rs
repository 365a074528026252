//! The sparse cluster.

mod cutter;
mod drain;
mod load;
mod map;
mod sums;
mod unit;
mod units;

use heddle_sim::sparse::Window;

use crate::rtl::Dut;

/// The results that a unit keeps, and how they lie in the memory of sums.
fn set_window(dut: &mut Dut, window: &Window) {
    dut.set("window_row0_i", window.rows.start as u64);
    dut.set("window_row1_i", window.rows.end as u64);
    dut.set("window_col0_i", window.cols.start as u64);
    dut.set("window_col1_i", window.cols.end as u64);
    dut.set("layout_pitch_i", window.pitch);
    dut.set("layout_area_i", window.area);
    dut.set("layout_offset_i", window.offset as u64);
}

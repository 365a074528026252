//! Results that a unit has.

use super::waves::*;
use heddle_kernel::prelude::*;

/// Whether a result lies in a window.
///
/// # Timing
/// Combinational.
#[module(combinational)]
pub struct InWindow {
    /// Row of the result.
    pub row_i: Signal<In, Bits<9>>,
    /// Its column.
    pub col_i: Signal<In, Bits<9>>,
    /// The window.
    pub window_i: Rectangle<In>,
    /// It lies there.
    pub is_in_o: Signal<Out, Bit>,
}

#[kernel]
impl InWindow {
    fn update(&mut self) {
        self.is_in_o = (self.row_i >= self.window_i.row0)
            & (self.row_i < self.window_i.row1)
            & (self.col_i >= self.window_i.col0)
            & (self.col_i < self.window_i.col1);
    }
}

/// Whether results of the run under way lie in the window of its region, and a position that is drained in that of its own.
///
/// The regions differ: a region is not drained while a run names it. So each window is compared with the one of the two that may lie in it,
/// which takes less than to select a window for each of them.
///
/// # Timing
/// Combinational.
#[module(combinational)]
pub struct RegionWindows {
    /// The windows.
    pub window_i: [Rectangle<In>; 2],
    /// Region of the results.
    pub region_i: Signal<In, Bit>,
    /// Their row.
    pub row_i: Signal<In, Bits<9>>,
    /// Their column.
    pub col_i: Signal<In, Bits<9>>,
    /// They lie in the window.
    pub is_in_o: Signal<Out, Bit>,
    /// A position of the other region.
    pub position_i: DrainPosition<In>,
    /// It lies in its window.
    pub position_in_o: Signal<Out, Bit>,
    window: [InWindow; 2],
    /// The window is that of the position.
    drains: [Signal<Local, Bit>; 2],
}

#[kernel]
impl RegionWindows {
    fn update(&mut self) {
        self.drains[0] = self.position_i.valid & !self.position_i.region;
        self.drains[1] = self.position_i.valid & self.position_i.region;
        for r in 0..2 {
            self.window[r].window_i.follow(&self.window_i[r]);
            self.window[r].row_i = mux(self.drains[r], self.position_i.row, self.row_i);
            self.window[r].col_i = mux(self.drains[r], self.position_i.col, self.col_i);
        }
        self.is_in_o = mux(
            self.region_i,
            self.window[1].is_in_o,
            self.window[0].is_in_o,
        );
        self.position_in_o = mux(
            self.position_i.region,
            self.window[1].is_in_o,
            self.window[0].is_in_o,
        );
    }
}

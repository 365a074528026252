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

//! Where a result has its word of sums.

use super::waves::*;
use heddle_kernel::prelude::*;

/// Where a result lies in a window.
///
/// # Timing
/// Combinational.
#[module(combinational)]
pub struct WindowPlace {
    /// Row of the result.
    pub row_i: Signal<In, Bits<9>>,
    /// Its column.
    pub col_i: Signal<In, Bits<9>>,
    /// The window.
    pub window_i: Rectangle<In>,
    /// The result lies in the window.
    pub is_in_o: Signal<Out, Bit>,
    /// Row from the corner of the window.
    pub row_o: Signal<Out, Bits<9>>,
    /// Column from there.
    pub col_o: Signal<Out, Bits<9>>,
}

#[kernel]
impl WindowPlace {
    fn update(&mut self) {
        self.is_in_o = (self.row_i >= self.window_i.row0)
            & (self.row_i < self.window_i.row1)
            & (self.col_i >= self.window_i.col0)
            & (self.col_i < self.window_i.col1);
        self.row_o = self.row_i - self.window_i.row0;
        self.col_o = self.col_i - self.window_i.col0;
    }
}

/// The word of sums of a result: a row has 2^`pitch_i` words, a group 2^`area_i`.
///
/// # Timing
/// Combinational.
#[module(combinational)]
pub struct SumAddress {
    /// Group of the result, in the unit.
    pub group_i: Signal<In, Bits<8>>,
    /// Its row from the corner of the window.
    pub row_i: Signal<In, Bits<9>>,
    /// Its column from there.
    pub col_i: Signal<In, Bits<9>>,
    /// How results are laid out.
    pub layout_i: SumLayout<In>,
    /// The address.
    pub addr_o: Signal<Out, Bits<16>>,
}

#[kernel]
impl SumAddress {
    fn update(&mut self) {
        self.addr_o = self.layout_i.offset
            + (bit_cast::<16, 8>(self.group_i) << self.layout_i.area)
            + (bit_cast::<16, 9>(self.row_i) << self.layout_i.pitch)
            + bit_cast::<16, 9>(self.col_i);
    }
}

//! From the numbers of values and weights to products.

use super::waves::*;
use heddle_kernel::prelude::*;

/// Fetches the value and the weight of each lane, multiplies them, and finds the sum to which the product belongs.
///
/// A value at (row, column) and a weight at (kernel row, kernel column) belong to the sum at row + (kernel rows - 1) - kernel row, columns
/// likewise. A lane without a pair multiplies zeros.
///
/// # Timing
/// Combinational.
#[module(combinational)]
pub struct TilePairs {
    /// Values of a channel.
    pub item_i: [Signal<In, Bits<9>>; places],
    /// Their rows.
    pub item_row_i: [Signal<In, Bits<3>>; places],
    /// Their columns.
    pub item_col_i: [Signal<In, Bits<3>>; places],
    /// Its weights.
    pub tap_i: [Signal<In, Bits<8>>; places],
    /// Their kernel rows.
    pub tap_row_i: [Signal<In, Bits<3>>; places],
    /// Their kernel columns.
    pub tap_col_i: [Signal<In, Bits<3>>; places],
    /// Kernel rows less 1.
    pub kernel_rows_i: Signal<In, Bits<3>>,
    /// Kernel columns less 1.
    pub kernel_cols_i: Signal<In, Bits<3>>,
    /// The lane has a pair.
    pub valid_i: [Signal<In, Bit>; lanes],
    /// Number of its value.
    pub value_i: [Signal<In, Bits<5>>; lanes],
    /// Number of its weight.
    pub weight_i: [Signal<In, Bits<5>>; lanes],
    /// Their product.
    pub product_o: [TileProduct<Out>; lanes],
    mul: [MulS<9, 8, 17>; lanes],
    value: [Signal<Local, Bits<9>>; lanes],
    row: [Signal<Local, Bits<4>>; lanes],
    col: [Signal<Local, Bits<4>>; lanes],
    weight: [Signal<Local, Bits<8>>; lanes],
    tap_row: [Signal<Local, Bits<4>>; lanes],
    tap_col: [Signal<Local, Bits<4>>; lanes],
    /// The lane has the value, the weight, of this number.
    is_item: [[Signal<Local, Bit>; places]; lanes],
    is_tap: [[Signal<Local, Bit>; places]; lanes],
    /// Products of a round.
    _lanes: Param<'p'>,
    /// Values of a channel, and weights.
    _places: Param<'n'>,
}

#[kernel]
impl TilePairs {
    fn update(&mut self) {
        for i in 0..self._lanes {
            self.fetch(i);
            self.mul[i].a_i = signed_cast(self.value[i]);
            self.mul[i].b_i = signed_cast(self.weight[i]);
            self.product_o[i].valid = self.valid_i[i];
            self.product_o[i].row =
                self.row[i] + bit_cast::<4, 3>(self.kernel_rows_i) - self.tap_row[i];
            self.product_o[i].col =
                self.col[i] + bit_cast::<4, 3>(self.kernel_cols_i) - self.tap_col[i];
            self.product_o[i].value = unsigned_cast(bit_cast_signed::<18, 17>(self.mul[i].p_o));
        }
    }

    fn fetch(&mut self, i: usize) {
        self.value[i] = 0.into();
        self.row[i] = 0.into();
        self.col[i] = 0.into();
        self.weight[i] = 0.into();
        self.tap_row[i] = 0.into();
        self.tap_col[i] = 0.into();
        for s in 0..self._places {
            self.is_item[i][s] = self.valid_i[i] & (self.value_i[i] == s.to_bits::<5>());
            self.is_tap[i][s] = self.valid_i[i] & (self.weight_i[i] == s.to_bits::<5>());
            if self.is_item[i][s] {
                self.value[i] = self.value[i] | self.item_i[s];
                self.row[i] = self.row[i] | self.item_row_i[s].get_bits::<4>(0);
                self.col[i] = self.col[i] | self.item_col_i[s].get_bits::<4>(0);
            }
            if self.is_tap[i][s] {
                self.weight[i] = self.weight[i] | self.tap_i[s];
                self.tap_row[i] = self.tap_row[i] | self.tap_row_i[s].get_bits::<4>(0);
                self.tap_col[i] = self.tap_col[i] | self.tap_col_i[s].get_bits::<4>(0);
            }
        }
    }
}

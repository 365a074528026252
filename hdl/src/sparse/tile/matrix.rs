//! The products of a round as a matrix.

use super::waves::*;
use heddle_kernel::prelude::*;

/// Puts each product of a round at the place of its value in the tile; places without one are 0. All products are of one weight: it says
/// where in the sums of the tile the matrix belongs, from (kernel rows - 1) - kernel row on, columns likewise.
///
/// # Timing
/// Products in cycle T: the matrix and its place are at the outputs in T+1.
#[module]
pub struct TileMatrix {
    /// Products. Their rows and columns are those of their values.
    pub product_i: [TileProduct<In>; lanes],
    /// Number of the weight.
    pub weight_i: Signal<In, Bits<5>>,
    /// Kernel rows of the weights of a channel.
    pub tap_row_i: [Signal<In, Bits<3>>; kernel * kernel],
    /// Their kernel columns.
    pub tap_col_i: [Signal<In, Bits<3>>; kernel * kernel],
    /// Kernel rows less 1.
    pub kernel_rows_i: Signal<In, Bits<3>>,
    /// Kernel columns less 1.
    pub kernel_cols_i: Signal<In, Bits<3>>,
    /// There is a matrix.
    pub valid: OutReg<Bit>,
    /// Its first row in the sums of the tile.
    pub row: OutDelay<Bits<3>>,
    /// Its first column.
    pub col: OutDelay<Bits<3>>,
    /// The matrix, row by row, two's complement.
    pub value: [OutDelay<Bits<18>>; kernel * kernel],
    /// The product is of the row, of the column, of the place.
    in_row: [[Signal<Local, Bit>; kernel]; lanes],
    in_col: [[Signal<Local, Bit>; kernel]; lanes],
    hits: [[Signal<Local, Bit>; kernel * kernel]; lanes],
    placed: [Signal<Local, Bits<18>>; kernel * kernel],
    any: Signal<Local, Bit>,
    /// The weight has this number.
    is_tap: [Signal<Local, Bit>; kernel * kernel],
    tap_row: Signal<Local, Bits<3>>,
    tap_col: Signal<Local, Bits<3>>,
    /// Products of a round.
    _lanes: Param<'p'>,
    /// Rows and columns of a tile and of a kernel.
    _kernel: Param<'k'>,
}

#[kernel]
impl TileMatrix {
    fn update(&mut self) {
        self.place();
        self.any = false;
        for i in 0..self._lanes {
            self.any = self.any | self.product_i[i].valid;
            self.find(i);
        }
        self.valid = self.any;
        for s in 0..self._kernel * self._kernel {
            self.placed[s] = 0.into();
            for i in 0..self._lanes {
                if self.hits[i][s] {
                    self.placed[s] = self.placed[s] | self.product_i[i].value;
                }
            }
            self.value[s] = self.placed[s];
        }
    }

    /// The weight's place turned round.
    fn place(&mut self) {
        self.tap_row = 0.into();
        self.tap_col = 0.into();
        for s in 0..self._kernel * self._kernel {
            self.is_tap[s] = self.weight_i == s.to_bits::<5>();
            if self.is_tap[s] {
                self.tap_row = self.tap_row | self.tap_row_i[s];
                self.tap_col = self.tap_col | self.tap_col_i[s];
            }
        }
        self.row = self.kernel_rows_i - self.tap_row;
        self.col = self.kernel_cols_i - self.tap_col;
    }

    fn find(&mut self, i: usize) {
        for n in 0..self._kernel {
            self.in_row[i][n] =
                self.product_i[i].valid & (self.product_i[i].row == n.to_bits::<4>());
            self.in_col[i][n] = self.product_i[i].col == n.to_bits::<4>();
        }
        for s in 0..self._kernel * self._kernel {
            self.hits[i][s] = self.in_row[i][s / self._kernel] & self.in_col[i][s % self._kernel];
        }
    }
}

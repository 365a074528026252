//! Products of one sum beside each other.

use super::waves::*;
use heddle_kernel::prelude::*;

/// Sorts products by the rows and columns of their sums; lanes without one come last. Each product is compared with all others: so
/// many go before it.
///
/// # Timing
/// Products in cycle T: sorted at the outputs in T+1.
#[module]
pub struct TileSort {
    /// Products.
    pub product_i: [TileProduct<In>; lanes],
    /// The same, sorted.
    pub product_o: [TileProduct<Out>; lanes],
    product: [TileProductReg; lanes],
    /// Invalid, row, column.
    key: [Signal<Local, Bits<9>>; lanes],
    /// The product goes before the other one.
    is_before: [[Signal<Local, Bit>; lanes]; lanes],
    /// So many go before it: one-hot.
    rank: [[[Signal<Local, Bit>; lanes + 1]; lanes + 1]; lanes],
    /// Products of a round.
    _lanes: Param<'p'>,
}

#[kernel]
impl TileSort {
    fn update(&mut self) {
        for i in 0..self._lanes {
            self.key[i] = (bit_cast::<9, 4>(self.product_i[i].row) << 4)
                | bit_cast::<9, 4>(self.product_i[i].col);
            if !self.product_i[i].valid {
                self.key[i] = 256.into();
            }
        }
        for i in 0..self._lanes {
            self.is_before[i][i] = false;
            for j in 0..i {
                self.is_before[j][i] = self.key[j] <= self.key[i];
                self.is_before[i][j] = !self.is_before[j][i];
            }
        }
        for i in 0..self._lanes {
            self.rank(i);
        }
        for k in 0..self._lanes {
            self.product[k].tie_low();
            for i in 0..self._lanes {
                if self.rank[i][self._lanes][k] {
                    self.product[k].follow(&self.product_i[i]);
                }
            }
            self.product_o[k].follow(&self.product[k]);
        }
    }

    fn rank(&mut self, i: usize) {
        for n in 0..self._lanes + 1 {
            self.rank[i][0][n] = n == 0;
        }
        for j in 0..self._lanes {
            self.rank[i][j + 1][0] = self.rank[i][j][0] & !self.is_before[j][i];
            for n in 0..self._lanes {
                self.rank[i][j + 1][n + 1] = mux(
                    self.is_before[j][i],
                    self.rank[i][j][n],
                    self.rank[i][j][n + 1],
                );
            }
        }
    }
}

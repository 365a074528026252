//! The sums of a tile.

use super::waves::*;
use heddle_kernel::prelude::*;

/// Adds each product to its sum. All lanes read, add and write in one clock: products of the next clock see what they wrote. No two products of a
/// clock are of one sum. The sums are a chain, too, through which they are loaded and stored.
///
/// # Timing
/// Products in cycle T, or `shift_i`: the sums have changed in T+1. Never both.
#[module]
pub struct TileSums {
    /// Products.
    pub product_i: [TileProduct<In>; lanes],
    /// The sums move down by one.
    pub shift_i: Signal<In, Bit>,
    /// The last one becomes this.
    pub data_i: Signal<In, Bits<32>>,
    /// The sums, row by row, two's complement; they wrap.
    pub sum: [OutRegData<Bits<32>>; side * side],
    /// The product is of the row, of the column, of the sum.
    in_row: [[Signal<Local, Bit>; side]; lanes],
    in_col: [[Signal<Local, Bit>; side]; lanes],
    hits: [[Signal<Local, Bit>; side * side]; lanes],
    /// Sum of a lane, before and with the product.
    old: [Signal<Local, Bits<32>>; lanes],
    added: [Signal<Local, Bits<32>>; lanes],
    /// The sum is written, with this.
    writes: [Signal<Local, Bit>; side * side],
    written: [Signal<Local, Bits<32>>; side * side],
    /// Products of a round.
    _lanes: Param<'p'>,
    /// Rows of sums, and columns.
    _side: Param<'s'>,
}

#[kernel]
impl TileSums {
    fn update(&mut self) {
        for i in 0..self._lanes {
            self.read(i);
        }
        for c in 0..self._side * self._side {
            self.write(c);
        }
    }

    /// The network from sums to lanes.
    fn read(&mut self, i: usize) {
        for n in 0..self._side {
            self.in_row[i][n] =
                self.product_i[i].valid & (self.product_i[i].row == n.to_bits::<4>());
            self.in_col[i][n] = self.product_i[i].col == n.to_bits::<4>();
        }
        self.old[i] = 0.into();
        for c in 0..self._side * self._side {
            self.hits[i][c] = self.in_row[i][c / self._side] & self.in_col[i][c % self._side];
            if self.hits[i][c] {
                self.old[i] = self.old[i] | self.sum[c];
            }
        }
        self.added[i] = self.old[i]
            + unsigned_cast(bit_cast_signed::<32, 18>(signed_cast(
                self.product_i[i].value,
            )));
    }

    /// The network from lanes to sums.
    fn write(&mut self, c: usize) {
        self.writes[c] = false;
        self.written[c] = 0.into();
        for i in 0..self._lanes {
            self.writes[c] = self.writes[c] | self.hits[i][c];
            if self.hits[i][c] {
                self.written[c] = self.written[c] | self.added[i];
            }
        }
        self.sum[c].en_i = self.shift_i | self.writes[c];
        self.sum[c] = self.written[c];
        if self.shift_i {
            if c + 1 < self._side * self._side {
                self.sum[c] = self.sum[c + 1];
            } else {
                self.sum[c] = self.data_i;
            }
        }
    }
}

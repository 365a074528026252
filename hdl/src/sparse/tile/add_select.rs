//! Two products of a sum become one: neighbours are added before it is known whether that is wanted.

use super::waves::*;
use heddle_kernel::prelude::*;

/// Adds each product to that of the next lane, in a ring.
///
/// # Timing
/// Combinational. Sums wrap at 18 bits, which two products never reach.
#[module(combinational)]
pub struct TileAdd {
    /// Products.
    pub value_i: [Signal<In, Bits<18>>; lanes],
    /// Lane i and the one after it.
    pub sum_o: [Signal<Out, Bits<18>>; lanes],
    /// Products of a round.
    _lanes: Param<'p'>,
}

#[kernel]
impl TileAdd {
    fn update(&mut self) {
        for i in 0..self._lanes {
            self.sum_o[i] = self.value_i[i] + self.value_i[(i + 1) % self._lanes];
        }
    }
}

/// Chooses for each lane its product or the sum with that of the lane behind it or before it, if these are of one sum. Both lanes have the sum then;
/// the second one is not valid, so that it counts once. No three products are of one sum, and those of one sum lie beside each other.
///
/// # Timing
/// Products, and sums of neighbours, in cycle T: at the outputs in T+1.
#[module]
pub struct TileSelect {
    /// Products.
    pub product_i: [TileProduct<In>; lanes],
    /// Lane i and the one after it.
    pub sum_i: [Signal<In, Bits<18>>; lanes],
    /// What goes on.
    pub product_o: [TileProduct<Out>; lanes],
    product: [TileProductReg; lanes],
    /// The lane and the one after it are of one sum; those around the ring are if there are two lanes.
    meets: [Signal<Local, Bit>; lanes],
    /// Products of a round.
    _lanes: Param<'p'>,
}

#[kernel]
impl TileSelect {
    fn update(&mut self) {
        for i in 0..self._lanes {
            let next = (i + 1) % self._lanes;
            self.meets[i] = self.product_i[i].valid
                & self.product_i[next].valid
                & (self.product_i[i].row == self.product_i[next].row)
                & (self.product_i[i].col == self.product_i[next].col);
        }
        for i in 0..self._lanes {
            let before = (i + self._lanes - 1) % self._lanes;
            self.product[i].row = self.product_i[i].row;
            self.product[i].col = self.product_i[i].col;
            self.product[i].value = self.product_i[i].value;
            if self.meets[before] {
                self.product[i].value = self.sum_i[before];
            }
            if self.meets[i] {
                self.product[i].value = self.sum_i[i];
            }
            if i > 0 {
                self.product[i].valid = self.product_i[i].valid & !self.meets[before];
            } else {
                self.product[i].valid = self.product_i[i].valid;
            }
            self.product_o[i].follow(&self.product[i]);
        }
    }
}

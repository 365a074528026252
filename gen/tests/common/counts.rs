//! An array whose elements feed each other.

use heddle_kernel::prelude::*;

/// Ones at the positions below each, counted with saturation.
#[module(combinational)]
pub struct Counts {
    /// Bits to count.
    pub x_i: [Signal<In, Bit>; bits],
    /// All counts.
    pub below_o: [Signal<Out, Bits<4>>; bits],
    /// The last two counts are odd.
    pub odd_o: Signal<Out, Bit>,
    /// Ones below each position.
    below: [Signal<Local, Bits<4>>; bits],
    /// Bits.
    _bits: Param<'n'>,
}

#[kernel]
impl Counts {
    fn update(&mut self) {
        self.below[0] = 0.into();
        for i in 1..self._bits {
            self.below[i] = self.below[i - 1];
            if self.x_i[i - 1] & !self.below[i - 1].all() {
                self.below[i] = self.below[i - 1] + 1;
            }
        }
        self.below_o.follow(&self.below);
        for i in (self._bits - 1)..self._bits {
            self.odd_o = self.below[i].get_bit(0) & self.below[i - 1].get_bit(0);
        }
    }
}

//! An array whose elements feed each other.

use heddle_hdl::prelude::*;

/// Ones at the positions below each, counted with saturation.
#[derive(LogicBlock)]
pub struct Counts {
    /// Bits to count.
    pub x_i: Vec<Signal<In, Bit>>,
    /// All counts.
    pub below_o: Vec<Signal<Out, Bits<4>>>,
    /// The last two counts are odd.
    pub odd_o: Signal<Out, Bit>,
    /// Ones below each position.
    below: Vec<Signal<Local, Bits<4>>>,
    _bits: usize,
}

impl Counts {
    /// Counts of `bits` bits.
    pub fn new(bits: usize) -> Self {
        Self {
            x_i: v(bits),
            below_o: v(bits),
            odd_o: Default::default(),
            below: v(bits),
            _bits: bits,
        }
    }
}

impl Logic for Counts {
    #[hdl_gen]
    fn update(&mut self) {
        self.below[0].next = 0.into();
        for i in 1..self._bits {
            self.below[i].next = self.below[i - 1].val();
            if self.x_i[i - 1].val() & !self.below[i - 1].val().all() {
                self.below[i].next = self.below[i - 1].val() + 1;
            }
        }
        for i in 0..self._bits {
            self.below_o[i].next = self.below[i].val();
        }
        for i in (self._bits - 1)..self._bits {
            self.odd_o.next = self.below[i].val().get_bit(0) & self.below[i - 1].val().get_bit(0);
        }
    }
    module!(|this| Meta::module("counts").param("bits", "n", this._bits, "bits"));
}

//! Pooling in one column.

use super::{MedianChain, PostOptions};
use heddle_kernel::prelude::*;

/// Reduces windows of consecutive sums, each to one: 0 maximum, 1 minimum, 2 sum, 3 product, both
/// modulo 2^32, 4 twice the median. A window of one sum passes unchanged, but doubled by 4.
///
/// # Timing
/// One sum per clock, with gaps or without. The result of a window is on `acc_o` in the cycle after its
/// last sum; with a median one cycle later.
#[module(describe)]
pub struct PoolLane {
    /// A sum is taken.
    pub valid_i: Signal<In, Bit>,
    /// It is the first of its window.
    pub first_i: Signal<In, Bit>,
    /// It is the last of its window.
    pub last_i: Signal<In, Bit>,
    /// What becomes of a window. Stable while a drain is active.
    pub reduction_i: Signal<In, Bits<3>>,
    /// Sums in a window, less one. Stable while a drain is active.
    pub window_i: [Signal<In, Bits<8>>; medians],
    /// Sum, two's complement.
    pub acc_i: Signal<In, Bits<32>>,
    /// A window is complete.
    pub valid_o: Signal<Out, Bit>,
    /// Its result.
    pub acc_o: Signal<Out, Bits<32>>,
    /// What the window has given so far.
    reduced: RegData<Bits<32>>,
    complete: Reg<Bit>,
    /// The window is complete and its median known.
    ready: [Reg<Bit>; medians],
    /// Result of the window, be it a median or not.
    result: [Delay<Bits<32>>; medians],
    mul: [MulS<32, 32, 64>; product],
    #[new(MedianChain::new(options.median))]
    chain: [MedianChain; medians],
    is_less: Signal<Local, Bit>,
    #[new(usize::from(options.median > 0))]
    _medians: usize,
    /// Windows may be multiplied.
    #[new(usize::from(options.product))]
    _product: Optional<"pm">,
    _options: PostOptions,
}

impl PoolLane {
    fn describe(&self, meta: Meta) -> Meta {
        meta.option(
            "median",
            "md",
            self._options.median,
            "longest window for a median",
        )
    }
}

#[kernel]
impl PoolLane {
    fn update(&mut self) {
        for i in 0..self._product {
            self.mul[i].a_i = signed_cast(self.acc_i);
            self.mul[i].b_i = signed_cast(self.reduced);
        }
        self.is_less = signed_cast(self.acc_i) < signed_cast(self.reduced);
        self.reduced.load(self.valid_i, self.acc_i);
        if !self.first_i {
            if (self.reduction_i == 0) & self.is_less {
                self.reduced = self.reduced;
            }
            if (self.reduction_i == 1) & !self.is_less {
                self.reduced = self.reduced;
            }
            if self.reduction_i == 2 {
                self.reduced = self.reduced + self.acc_i;
            }
            for i in 0..self._product {
                if self.reduction_i == 3 {
                    self.reduced = unsigned_cast(self.mul[i].p_o).get_bits::<32>(0);
                }
            }
        }
        self.complete = self.valid_i & self.last_i;

        // The middle of a window is known one cycle after its last sum.
        for i in 0..self._medians {
            self.chain[i].valid_i = self.valid_i & (self.reduction_i == 4);
            self.chain[i].first_i = self.first_i;
            self.chain[i].window_i = self.window_i[i];
            self.chain[i].acc_i = self.acc_i;
            self.ready[i] = self.complete;
            self.result[i] = mux(self.reduction_i == 4, self.chain[i].twice_o, self.reduced);
        }
        if self._medians > 0 {
            self.valid_o = self.ready[0];
            self.acc_o = self.result[0];
        } else {
            self.valid_o = self.complete;
            self.acc_o = self.reduced;
        }
    }
}

//! Pooling in one column.

use super::{MedianChain, PostOptions};
use crate::prelude::*;

/// Reduces windows of consecutive sums, each to one: 0 maximum, 1 minimum, 2 sum, 3 product, both
/// modulo 2^32, 4 twice the median. A window of one sum passes unchanged, but doubled by 4.
///
/// # Timing
/// One sum per clock, with gaps or without. The result of a window is on `acc_o` in the cycle after its
/// last sum; with a median one cycle later.
#[derive(LogicBlock)]
pub struct PoolLane {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
    /// A sum is taken.
    pub valid_i: Signal<In, Bit>,
    /// It is the first of its window.
    pub first_i: Signal<In, Bit>,
    /// It is the last of its window.
    pub last_i: Signal<In, Bit>,
    /// What becomes of a window. Stable while a drain is active.
    pub reduction_i: Signal<In, Bits<3>>,
    /// Sums in a window, less one. Stable while a drain is active.
    pub window_i: Vec<Signal<In, Bits<8>>>,
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
    ready: Vec<Reg<Bit>>,
    /// Result of the window, be it a median or not.
    result: Vec<Delay<Bits<32>>>,
    mul: Vec<MulS<32, 32, 64>>,
    chain: Vec<MedianChain>,
    is_less: Signal<Local, Bit>,
    _medians: usize,
    _product: usize,
    _options: PostOptions,
}

impl PoolLane {
    /// A lane for these reductions.
    pub fn new(options: PostOptions) -> Self {
        let medians = usize::from(options.median > 0);
        let product = usize::from(options.product);
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            valid_i: Default::default(),
            first_i: Default::default(),
            last_i: Default::default(),
            reduction_i: Default::default(),
            window_i: v(medians),
            acc_i: Default::default(),
            valid_o: Default::default(),
            acc_o: Default::default(),
            reduced: Default::default(),
            complete: Default::default(),
            ready: v(medians),
            result: v(medians),
            mul: v(product),
            chain: (0..medians)
                .map(|_| MedianChain::new(options.median))
                .collect(),
            is_less: Default::default(),
            _medians: medians,
            _product: product,
            _options: options,
        }
    }
}

impl Logic for PoolLane {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..self._product {
            self.mul[i].a_i.next = signed_cast(self.acc_i.val());
            self.mul[i].b_i.next = signed_cast(self.reduced.q_o.val());
        }
        self.is_less.next = signed_cast(self.acc_i.val()) < signed_cast(self.reduced.q_o.val());
        self.reduced.clk.next = self.clk.val();
        self.reduced.en_i.next = self.valid_i.val();
        self.reduced.d_i.next = self.acc_i.val();
        if !self.first_i.val() {
            if (self.reduction_i.val() == 0) & self.is_less.val() {
                self.reduced.d_i.next = self.reduced.q_o.val();
            }
            if (self.reduction_i.val() == 1) & !self.is_less.val() {
                self.reduced.d_i.next = self.reduced.q_o.val();
            }
            if self.reduction_i.val() == 2 {
                self.reduced.d_i.next = self.reduced.q_o.val() + self.acc_i.val();
            }
            for i in 0..self._product {
                if self.reduction_i.val() == 3 {
                    self.reduced.d_i.next = unsigned_cast(self.mul[i].p_o.val()).get_bits::<32>(0);
                }
            }
        }
        self.complete.clk.next = self.clk.val();
        self.complete.rst_n.next = self.rst_n.val();
        self.complete.d_i.next = self.valid_i.val() & self.last_i.val();

        // The middle of a window is known one cycle behind its last sum.
        for i in 0..self._medians {
            self.chain[i].clk.next = self.clk.val();
            self.chain[i].valid_i.next = self.valid_i.val() & (self.reduction_i.val() == 4);
            self.chain[i].first_i.next = self.first_i.val();
            self.chain[i].window_i.next = self.window_i[i].val();
            self.chain[i].acc_i.next = self.acc_i.val();
            self.ready[i].clk.next = self.clk.val();
            self.ready[i].rst_n.next = self.rst_n.val();
            self.ready[i].d_i.next = self.complete.q_o.val();
            self.result[i].clk.next = self.clk.val();
            self.result[i].d_i.next = self.reduced.q_o.val();
            if self.reduction_i.val() == 4 {
                self.result[i].d_i.next = self.chain[i].twice_o.val();
            }
        }
        if self._medians > 0 {
            self.valid_o.next = self.ready[0].q_o.val();
            self.acc_o.next = self.result[0].q_o.val();
        } else {
            self.valid_o.next = self.complete.q_o.val();
            self.acc_o.next = self.reduced.q_o.val();
        }
    }
    module!(|this| Meta::module("pool_lane")
        .option("product", "pm", this._product, "windows may be multiplied")
        .option(
            "median",
            "md",
            this._options.median,
            "longest window for a median"
        )
        .silent("medians", this._medians));
}

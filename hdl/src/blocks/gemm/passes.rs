//! What a pass is for, from its first sum at the head to its first sum at the bottom of the array.

use heddle_kernel::prelude::*;

/// Queue of four entries. Never full: a pass takes at least as many cycles as the array has rows,
/// and a slot passes the array in one more.
///
/// # Timing
/// Entry written with `push_i` in cycle T may be taken with `pop_i` from T+1 on; it is on the outputs
/// one cycle later and stays until the next `pop_i`.
#[module]
pub struct PassQueue {
    /// Stores an entry.
    pub push_i: Signal<In, Bit>,
    /// Takes an entry.
    pub pop_i: Signal<In, Bit>,
    /// GEMM row of the first sum.
    pub start_i: Signal<In, Bits<16>>,
    /// First output channel.
    pub cols_i: Signal<In, Bits<16>>,
    /// Enabled rows.
    pub rows_i: Signal<In, Bits<9>>,
    /// Enabled columns.
    pub width_i: Signal<In, Bits<9>>,
    /// Weights stay.
    pub stay_i: Signal<In, Bit>,
    /// The sums are added to stored ones.
    pub add_i: Signal<In, Bit>,
    /// The sums are stored.
    pub store_i: Signal<In, Bit>,
    /// They are results all the same; only with `store_each`.
    pub each_i: [Signal<In, Bit>; store_each.into()],
    /// GEMM row of the first sum.
    pub start_o: Signal<Out, Bits<16>>,
    /// First output channel.
    pub cols_o: Signal<Out, Bits<16>>,
    /// Enabled rows.
    pub rows_o: Signal<Out, Bits<9>>,
    /// Enabled columns.
    pub width_o: Signal<Out, Bits<9>>,
    /// Weights stay.
    pub stay_o: Signal<Out, Bit>,
    /// The sums are added to stored ones.
    pub add_o: Signal<Out, Bit>,
    /// The sums are stored.
    pub store_o: Signal<Out, Bit>,
    /// They are results all the same.
    pub each_o: [Signal<Out, Bit>; store_each.into()],
    pushed: RegEn<Bits<2>>,
    popped: RegEn<Bits<2>>,
    /// Start and first channel.
    #[new(Ram1r1w::new(2, 4))]
    numbers: Ram1r1w<2, 16>,
    /// Enabled rows and columns.
    #[new(Ram1r1w::new(2, 4))]
    sizes: Ram1r1w<2, 9>,
    /// Weights stay, add, store, each.
    #[new(Ram1r1w::new(3 + usize::from(store_each), 4))]
    flags: Ram1r1w<2, 1>,
    /// 1: sums may leave behind each step.
    _store_each: Optional<'k', bool>,
}

#[kernel]
impl PassQueue {
    fn update(&mut self) {
        self.pushed.load(self.push_i, self.pushed + 1);
        self.popped.load(self.pop_i, self.popped + 1);

        self.numbers.wen_i = self.push_i;
        self.numbers.waddr_i = self.pushed;
        self.numbers.wdata_i[0] = self.start_i;
        self.numbers.wdata_i[1] = self.cols_i;
        self.numbers.ren_i = self.pop_i;
        self.numbers.raddr_i = self.popped;
        self.start_o = self.numbers.rdata_o[0];
        self.cols_o = self.numbers.rdata_o[1];
        self.sizes.wen_i = self.push_i;
        self.sizes.waddr_i = self.pushed;
        self.sizes.wdata_i[0] = self.rows_i;
        self.sizes.wdata_i[1] = self.width_i;
        self.sizes.ren_i = self.pop_i;
        self.sizes.raddr_i = self.popped;
        self.rows_o = self.sizes.rdata_o[0];
        self.width_o = self.sizes.rdata_o[1];
        self.flags.wen_i = self.push_i;
        self.flags.waddr_i = self.pushed;
        self.flags.wdata_i[0] = self.stay_i.into();
        self.flags.wdata_i[1] = self.add_i.into();
        self.flags.wdata_i[2] = self.store_i.into();
        if self._store_each {
            self.flags.wdata_i[3] = self.each_i[0].into();
            self.each_o[0] = self.flags.rdata_o[3].any();
        }
        self.flags.ren_i = self.pop_i;
        self.flags.raddr_i = self.popped;
        self.stay_o = self.flags.rdata_o[0].any();
        self.add_o = self.flags.rdata_o[1].any();
        self.store_o = self.flags.rdata_o[2].any();
    }
}

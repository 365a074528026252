//! What a pass is for, from its first sum at the head to its first sum at the bottom of the array.

use super::waves::*;
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
    /// The entry to store.
    #[new(Pass::new(store_each.into()))]
    pub ports_i: Pass<In>,
    /// The entry that was taken.
    #[new(Pass::new(store_each.into()))]
    pub ports_o: Pass<Out>,
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
    /// 1: sums may leave after each step.
    _store_each: Optional<'k', bool>,
}

#[kernel]
impl PassQueue {
    fn update(&mut self) {
        self.pushed.load(self.push_i, self.pushed + 1);
        self.popped.load(self.pop_i, self.popped + 1);

        self.numbers.wen_i = self.push_i;
        self.numbers.waddr_i = self.pushed;
        self.numbers.wdata_i[0] = self.ports_i.start;
        self.numbers.wdata_i[1] = self.ports_i.cols;
        self.numbers.ren_i = self.pop_i;
        self.numbers.raddr_i = self.popped;
        self.ports_o.start = self.numbers.rdata_o[0];
        self.ports_o.cols = self.numbers.rdata_o[1];
        self.sizes.wen_i = self.push_i;
        self.sizes.waddr_i = self.pushed;
        self.sizes.wdata_i[0] = self.ports_i.rows;
        self.sizes.wdata_i[1] = self.ports_i.width;
        self.sizes.ren_i = self.pop_i;
        self.sizes.raddr_i = self.popped;
        self.ports_o.rows = self.sizes.rdata_o[0];
        self.ports_o.width = self.sizes.rdata_o[1];
        self.flags.wen_i = self.push_i;
        self.flags.waddr_i = self.pushed;
        self.flags.wdata_i[0] = self.ports_i.stay.into();
        self.flags.wdata_i[1] = self.ports_i.add.into();
        self.flags.wdata_i[2] = self.ports_i.store.into();
        if self._store_each {
            self.flags.wdata_i[3] = self.ports_i.each[0].into();
            self.ports_o.each[0] = self.flags.rdata_o[3].any();
        }
        self.flags.ren_i = self.pop_i;
        self.flags.raddr_i = self.popped;
        self.ports_o.stay = self.flags.rdata_o[0].any();
        self.ports_o.add = self.flags.rdata_o[1].any();
        self.ports_o.store = self.flags.rdata_o[2].any();
    }
}

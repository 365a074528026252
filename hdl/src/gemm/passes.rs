//! What a pass is for, from its first sum at the head to its first sum at the bottom of the array.

use crate::prelude::*;

/// Queue of four entries. Never full: a pass takes at least as many cycles as the array has rows,
/// and a slot passes the array in one more.
///
/// # Timing
/// Entry written with `push_i` in cycle T may be taken with `pop_i` from T+1 on; it is on the outputs
/// one cycle later and stays until the next `pop_i`.
#[derive(LogicBlock)]
pub struct PassQueue {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,
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
    pub each_i: Vec<Signal<In, Bit>>,
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
    pub each_o: Vec<Signal<Out, Bit>>,
    pushed: RegEn<Bits<2>>,
    popped: RegEn<Bits<2>>,
    /// Start and first channel.
    numbers: Ram1r1w<2, 16>,
    /// Enabled rows and columns.
    sizes: Ram1r1w<2, 9>,
    /// Weights stay, add, store, each.
    flags: Ram1r1w<2, 1>,
    _store_each: usize,
}

impl PassQueue {
    /// A queue for passes whose results may be wanted behind each step if `store_each`.
    pub fn new(store_each: bool) -> Self {
        let each = usize::from(store_each);
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            push_i: Default::default(),
            pop_i: Default::default(),
            start_i: Default::default(),
            cols_i: Default::default(),
            rows_i: Default::default(),
            width_i: Default::default(),
            stay_i: Default::default(),
            add_i: Default::default(),
            store_i: Default::default(),
            each_i: v(each),
            start_o: Default::default(),
            cols_o: Default::default(),
            rows_o: Default::default(),
            width_o: Default::default(),
            stay_o: Default::default(),
            add_o: Default::default(),
            store_o: Default::default(),
            each_o: v(each),
            pushed: Default::default(),
            popped: Default::default(),
            numbers: Ram1r1w::new(2, 4),
            sizes: Ram1r1w::new(2, 4),
            flags: Ram1r1w::new(3 + each, 4),
            _store_each: each,
        }
    }
}

impl Logic for PassQueue {
    #[hdl_gen]
    fn update(&mut self) {
        self.pushed.clk.next = self.clk.val();
        self.pushed.rst_n.next = self.rst_n.val();
        self.pushed.en_i.next = self.push_i.val();
        self.pushed.d_i.next = self.pushed.q_o.val() + 1;
        self.popped.clk.next = self.clk.val();
        self.popped.rst_n.next = self.rst_n.val();
        self.popped.en_i.next = self.pop_i.val();
        self.popped.d_i.next = self.popped.q_o.val() + 1;

        self.numbers.clk.next = self.clk.val();
        self.numbers.wen_i.next = self.push_i.val();
        self.numbers.waddr_i.next = self.pushed.q_o.val();
        self.numbers.wdata_i[0].next = self.start_i.val();
        self.numbers.wdata_i[1].next = self.cols_i.val();
        self.numbers.ren_i.next = self.pop_i.val();
        self.numbers.raddr_i.next = self.popped.q_o.val();
        self.start_o.next = self.numbers.rdata_o[0].val();
        self.cols_o.next = self.numbers.rdata_o[1].val();
        self.sizes.clk.next = self.clk.val();
        self.sizes.wen_i.next = self.push_i.val();
        self.sizes.waddr_i.next = self.pushed.q_o.val();
        self.sizes.wdata_i[0].next = self.rows_i.val();
        self.sizes.wdata_i[1].next = self.width_i.val();
        self.sizes.ren_i.next = self.pop_i.val();
        self.sizes.raddr_i.next = self.popped.q_o.val();
        self.rows_o.next = self.sizes.rdata_o[0].val();
        self.width_o.next = self.sizes.rdata_o[1].val();
        self.flags.clk.next = self.clk.val();
        self.flags.wen_i.next = self.push_i.val();
        self.flags.waddr_i.next = self.pushed.q_o.val();
        self.flags.wdata_i[0].next = self.stay_i.val().into();
        self.flags.wdata_i[1].next = self.add_i.val().into();
        self.flags.wdata_i[2].next = self.store_i.val().into();
        if self._store_each > 0 {
            self.flags.wdata_i[3].next = self.each_i[0].val().into();
            self.each_o[0].next = self.flags.rdata_o[3].val().any();
        }
        self.flags.ren_i.next = self.pop_i.val();
        self.flags.raddr_i.next = self.popped.q_o.val();
        self.stay_o.next = self.flags.rdata_o[0].val().any();
        self.add_o.next = self.flags.rdata_o[1].val().any();
        self.store_o.next = self.flags.rdata_o[2].val().any();
    }
    module!(|this| Meta::module("pass_queue").option(
        "store_each",
        "k",
        this._store_each,
        "1: sums may leave behind each step"
    ));
}

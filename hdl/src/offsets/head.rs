//! Head of the rows.

use crate::prelude::*;

/// Adds the origin to entries that the rows will hold, and turns steps into offsets. The slot then
/// stands at the head of the rows.
///
/// The running sum is that of the entries so far; where the rows hold offsets it includes the
/// origin, so that one adder does both.
///
/// # Timing
/// One advance from the inputs to the outputs, which are registers. While `advance_i` is low nothing
/// changes.
#[derive(LogicBlock)]
pub struct OffsetHead<const A: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,

    /// The slot moves on.
    pub advance_i: Signal<In, Bit>,
    /// Address of the first element of A.
    pub origin_value_i: Signal<In, Bits<A>>,

    /// There is a slot.
    pub valid_i: Signal<In, Bit>,
    /// What it is, see the sequencer.
    pub tag_i: Signal<In, Bits<7>>,
    /// The origin is added to its entry.
    pub origin_i: Signal<In, Bit>,
    /// The running sum is added to it.
    pub sum_i: Signal<In, Bit>,
    /// The running sum goes on from there.
    pub keep_i: Signal<In, Bit>,
    /// Its entry.
    pub value_i: Signal<In, Bits<A>>,
    /// Row bits of the entry.
    pub row_i: Vec<Signal<In, Bits<1>>>,
    /// Column bits of the entry.
    pub col_i: Vec<Signal<In, Bits<1>>>,

    /// There is a slot.
    pub valid_o: Signal<Out, Bit>,
    /// What it is.
    pub tag_o: Signal<Out, Bits<7>>,
    /// Value for the rows.
    pub value_o: Signal<Out, Bits<A>>,
    /// Row bits.
    pub row_o: Vec<Signal<Out, Bits<1>>>,
    /// Column bits.
    pub col_o: Vec<Signal<Out, Bits<1>>>,

    valid: RegEn<Bit>,
    tag: RegData<Bits<7>>,
    value: RegData<Bits<A>>,
    row: Vec<RegData<Bits<1>>>,
    col: Vec<RegData<Bits<1>>>,
    /// Running sum; only with `running`.
    sum: Vec<RegData<Bits<A>>>,

    addend: Signal<Local, Bits<A>>,
    total: Signal<Local, Bits<A>>,
    _taps: usize,
    _summing: usize,
}

impl<const A: usize> OffsetHead<A> {
    /// A head for entries with `taps` mask bits for each axis, with a running sum if `running`.
    pub fn new(taps: usize, running: bool) -> Self {
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            advance_i: Default::default(),
            origin_value_i: Default::default(),
            valid_i: Default::default(),
            tag_i: Default::default(),
            origin_i: Default::default(),
            sum_i: Default::default(),
            keep_i: Default::default(),
            value_i: Default::default(),
            row_i: v(taps),
            col_i: v(taps),
            valid_o: Default::default(),
            tag_o: Default::default(),
            value_o: Default::default(),
            row_o: v(taps),
            col_o: v(taps),
            valid: Default::default(),
            tag: Default::default(),
            value: Default::default(),
            row: v(taps),
            col: v(taps),
            sum: v(running.into()),
            addend: Default::default(),
            total: Default::default(),
            _taps: taps,
            _summing: running.into(),
        }
    }
}

impl<const A: usize> Logic for OffsetHead<A> {
    #[hdl_gen]
    fn update(&mut self) {
        self.addend.next = 0.into();
        if self.origin_i.val() {
            self.addend.next = self.origin_value_i.val();
        }
        if self._summing > 0 {
            self.sum[0].clk.next = self.clk.val();
            self.sum[0].en_i.next = self.advance_i.val() & self.valid_i.val() & self.keep_i.val();
            if self.sum_i.val() {
                self.addend.next = self.sum[0].q_o.val();
            }
        }
        self.total.next = self.value_i.val() + self.addend.val();
        if self._summing > 0 {
            self.sum[0].d_i.next = self.total.val();
        }

        self.valid.clk.next = self.clk.val();
        self.valid.rst_n.next = self.rst_n.val();
        self.valid.en_i.next = self.advance_i.val();
        self.valid.d_i.next = self.valid_i.val();
        self.tag.clk.next = self.clk.val();
        self.tag.en_i.next = self.advance_i.val();
        self.tag.d_i.next = self.tag_i.val();
        self.value.clk.next = self.clk.val();
        self.value.en_i.next = self.advance_i.val();
        self.value.d_i.next = self.total.val();
        for i in 0..self._taps {
            self.row[i].clk.next = self.clk.val();
            self.row[i].en_i.next = self.advance_i.val();
            self.row[i].d_i.next = self.row_i[i].val();
            self.row_o[i].next = self.row[i].q_o.val();
            self.col[i].clk.next = self.clk.val();
            self.col[i].en_i.next = self.advance_i.val();
            self.col[i].d_i.next = self.col_i[i].val();
            self.col_o[i].next = self.col[i].q_o.val();
        }
        self.valid_o.next = self.valid.q_o.val();
        self.tag_o.next = self.tag.q_o.val();
        self.value_o.next = self.value.q_o.val();
    }
    module!(|this| Meta::module("offsets_head")
        .param("A", "a", A, "bits of a value")
        .option(
            "taps",
            "t",
            this._taps,
            "row bits of an entry, and column bits"
        )
        .option("summing", "s", this._summing, "1: offsets may be steps"));
}

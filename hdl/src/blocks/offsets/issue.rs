//! Head of the rows.

use heddle_kernel::prelude::*;

/// Adds the origin to entries that the rows will hold, and turns steps into offsets. The slot then
/// stands at the head of the rows.
///
/// The running sum is that of the entries so far; where the rows hold offsets it includes the
/// origin, so that one adder does both.
///
/// # Timing
/// One advance from the inputs to the outputs, which are registers. While `advance_i` is low nothing
/// changes.
#[module(name = "offsets_issue")]
pub struct OffsetIssue<const A: usize> {
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
    pub row_i: [Signal<In, Bits<1>>; taps],
    /// Column bits of the entry.
    pub col_i: [Signal<In, Bits<1>>; taps],
    /// There is a slot.
    pub valid_o: Signal<Out, Bit>,
    valid: RegEn<Bit>,
    /// What it is.
    pub tag_o: Signal<Out, Bits<7>>,
    tag: RegData<Bits<7>>,
    /// Value for the rows.
    pub value_o: Signal<Out, Bits<A>>,
    value: RegData<Bits<A>>,
    /// Row bits.
    pub row_o: [Signal<Out, Bits<1>>; taps],
    row: [RegData<Bits<1>>; taps],
    /// Column bits.
    pub col_o: [Signal<Out, Bits<1>>; taps],
    col: [RegData<Bits<1>>; taps],
    /// Running sum; only with `running`.
    sum: [RegData<Bits<A>>; running.into()],
    addend: Signal<Local, Bits<A>>,
    total: Signal<Local, Bits<A>>,
    /// Bits of a value.
    _address_bits: Generic<'a', A>,
    /// Row bits of an entry, and column bits.
    _taps: Optional<'t'>,
    /// 1: offsets may be steps.
    _running: Optional<'s', bool>,
}

#[kernel]
impl<const A: usize> OffsetIssue<A> {
    fn update(&mut self) {
        self.addend = mux(self.origin_i, self.origin_value_i, 0.into());
        if self._running {
            self.sum[0].en_i = self.advance_i & self.valid_i & self.keep_i;
            if self.sum_i {
                self.addend = self.sum[0];
            }
        }
        self.total = self.value_i + self.addend;
        if self._running {
            self.sum[0] = self.total;
        }

        self.valid.load(self.advance_i, self.valid_i);
        self.tag.load(self.advance_i, self.tag_i);
        self.value.load(self.advance_i, self.total);
        for i in 0..self._taps {
            self.row[i].load(self.advance_i, self.row_i[i]);
            self.row_o[i].follow(&self.row[i]);
            self.col[i].load(self.advance_i, self.col_i[i]);
            self.col_o[i].follow(&self.col[i]);
        }
        self.valid_o.follow(&self.valid);
        self.tag_o.follow(&self.tag);
        self.value_o.follow(&self.value);
    }
}

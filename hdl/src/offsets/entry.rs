//! The entry of a slot, as the tables give it.

use crate::prelude::*;

/// Takes the entry of a slot from its table and shifts it. What the tables give stands in registers
/// first: a memory answers late in its clock.
///
/// # Timing
/// Three advances from the slot at the inputs to the slot at the outputs; its entry is at the inputs
/// one advance after the slot. While `advance_i` is low nothing changes.
#[derive(LogicBlock)]
pub struct OffsetEntry<const A: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,

    /// All slots move on.
    pub advance_i: Signal<In, Bit>,
    /// Weight stationary: load slots are offsets. Otherwise steps are.
    pub ws_i: Signal<In, Bit>,
    /// Places by which entries are shifted left.
    pub shift_i: Signal<In, Bits<2>>,
    /// Masks are used.
    pub masks_i: Signal<In, Bit>,

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

    /// The base read last.
    pub base_i: Signal<In, Bits<A>>,
    /// Its row bits.
    pub base_row_i: Vec<Signal<In, Bits<1>>>,
    /// Its column bits.
    pub base_col_i: Vec<Signal<In, Bits<1>>>,
    /// The offset read last.
    pub offset_i: Signal<In, Bits<A>>,
    /// Its row bits.
    pub offset_row_i: Vec<Signal<In, Bits<1>>>,
    /// Its column bits.
    pub offset_col_i: Vec<Signal<In, Bits<1>>>,

    /// The base read before, as the table gave it.
    pub base_o: Signal<Out, Bits<A>>,
    /// Its row bits.
    pub base_row_o: Vec<Signal<Out, Bits<1>>>,
    /// Its column bits.
    pub base_col_o: Vec<Signal<Out, Bits<1>>>,
    /// The offset read before, as the table gave it.
    pub offset_o: Signal<Out, Bits<A>>,
    /// Its row bits.
    pub offset_row_o: Vec<Signal<Out, Bits<1>>>,
    /// Its column bits.
    pub offset_col_o: Vec<Signal<Out, Bits<1>>>,

    /// There is a slot.
    pub valid_o: Signal<Out, Bit>,
    /// What it is.
    pub tag_o: Signal<Out, Bits<7>>,
    /// The origin is added to its entry.
    pub origin_o: Signal<Out, Bit>,
    /// The running sum is added to it.
    pub sum_o: Signal<Out, Bit>,
    /// The running sum goes on from there.
    pub keep_o: Signal<Out, Bit>,
    /// Its entry, shifted.
    pub value_o: Signal<Out, Bits<A>>,
    /// Its row bits; all 1 if masks are not used.
    pub row_o: Vec<Signal<Out, Bits<1>>>,
    /// Its column bits; all 1 if masks are not used.
    pub col_o: Vec<Signal<Out, Bits<1>>>,

    valid: Vec<RegEn<Bit>>,
    tag: Vec<RegData<Bits<7>>>,
    origin: Vec<RegData<Bit>>,
    sum: Vec<RegData<Bit>>,
    keep: Vec<RegData<Bit>>,
    /// The entries read last.
    base: RegData<Bits<A>>,
    base_row: Vec<RegData<Bits<1>>>,
    base_col: Vec<RegData<Bits<1>>>,
    offset: RegData<Bits<A>>,
    offset_row: Vec<RegData<Bits<1>>>,
    offset_col: Vec<RegData<Bits<1>>>,
    value: RegData<Bits<A>>,
    row: Vec<RegData<Bits<1>>>,
    col: Vec<RegData<Bits<1>>>,

    is_offset: Signal<Local, Bit>,
    entry: Signal<Local, Bits<A>>,
    shifted_once: Signal<Local, Bits<A>>,
    shifted: Signal<Local, Bits<A>>,
    entry_row: Vec<Signal<Local, Bits<1>>>,
    entry_col: Vec<Signal<Local, Bits<1>>>,
    _taps: usize,
}

impl<const A: usize> OffsetEntry<A> {
    /// Entries with `taps` mask bits for each axis.
    pub fn new(taps: usize) -> Self {
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            advance_i: Default::default(),
            ws_i: Default::default(),
            shift_i: Default::default(),
            masks_i: Default::default(),
            valid_i: Default::default(),
            tag_i: Default::default(),
            origin_i: Default::default(),
            sum_i: Default::default(),
            keep_i: Default::default(),
            base_i: Default::default(),
            base_row_i: v(taps),
            base_col_i: v(taps),
            offset_i: Default::default(),
            offset_row_i: v(taps),
            offset_col_i: v(taps),
            base_o: Default::default(),
            base_row_o: v(taps),
            base_col_o: v(taps),
            offset_o: Default::default(),
            offset_row_o: v(taps),
            offset_col_o: v(taps),
            valid_o: Default::default(),
            tag_o: Default::default(),
            origin_o: Default::default(),
            sum_o: Default::default(),
            keep_o: Default::default(),
            value_o: Default::default(),
            row_o: v(taps),
            col_o: v(taps),
            valid: v(3),
            tag: v(3),
            origin: v(3),
            sum: v(3),
            keep: v(3),
            base: Default::default(),
            base_row: v(taps),
            base_col: v(taps),
            offset: Default::default(),
            offset_row: v(taps),
            offset_col: v(taps),
            value: Default::default(),
            row: v(taps),
            col: v(taps),
            is_offset: Default::default(),
            entry: Default::default(),
            shifted_once: Default::default(),
            shifted: Default::default(),
            entry_row: v(taps),
            entry_col: v(taps),
            _taps: taps,
        }
    }
}

impl<const A: usize> Logic for OffsetEntry<A> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("The slot waits for its entry, then goes along with it");
        for i in 0..3 {
            self.valid[i].clk.next = self.clk.val();
            self.valid[i].rst_n.next = self.rst_n.val();
            self.valid[i].en_i.next = self.advance_i.val();
            self.tag[i].clk.next = self.clk.val();
            self.tag[i].en_i.next = self.advance_i.val();
            self.origin[i].clk.next = self.clk.val();
            self.origin[i].en_i.next = self.advance_i.val();
            self.sum[i].clk.next = self.clk.val();
            self.sum[i].en_i.next = self.advance_i.val();
            self.keep[i].clk.next = self.clk.val();
            self.keep[i].en_i.next = self.advance_i.val();
            if i > 0 {
                self.valid[i].d_i.next = self.valid[i - 1].q_o.val();
                self.tag[i].d_i.next = self.tag[i - 1].q_o.val();
                self.origin[i].d_i.next = self.origin[i - 1].q_o.val();
                self.sum[i].d_i.next = self.sum[i - 1].q_o.val();
                self.keep[i].d_i.next = self.keep[i - 1].q_o.val();
            } else {
                self.valid[i].d_i.next = self.valid_i.val();
                self.tag[i].d_i.next = self.tag_i.val();
                self.origin[i].d_i.next = self.origin_i.val();
                self.sum[i].d_i.next = self.sum_i.val();
                self.keep[i].d_i.next = self.keep_i.val();
            }
        }

        comment!("What the tables give");
        self.base.clk.next = self.clk.val();
        self.base.en_i.next = self.advance_i.val();
        self.base.d_i.next = self.base_i.val();
        self.base_o.next = self.base.q_o.val();
        self.offset.clk.next = self.clk.val();
        self.offset.en_i.next = self.advance_i.val();
        self.offset.d_i.next = self.offset_i.val();
        self.offset_o.next = self.offset.q_o.val();
        for i in 0..self._taps {
            self.base_row[i].clk.next = self.clk.val();
            self.base_row[i].en_i.next = self.advance_i.val();
            self.base_row[i].d_i.next = self.base_row_i[i].val();
            self.base_row_o[i].next = self.base_row[i].q_o.val();
            self.base_col[i].clk.next = self.clk.val();
            self.base_col[i].en_i.next = self.advance_i.val();
            self.base_col[i].d_i.next = self.base_col_i[i].val();
            self.base_col_o[i].next = self.base_col[i].q_o.val();
            self.offset_row[i].clk.next = self.clk.val();
            self.offset_row[i].en_i.next = self.advance_i.val();
            self.offset_row[i].d_i.next = self.offset_row_i[i].val();
            self.offset_row_o[i].next = self.offset_row[i].q_o.val();
            self.offset_col[i].clk.next = self.clk.val();
            self.offset_col[i].en_i.next = self.advance_i.val();
            self.offset_col[i].d_i.next = self.offset_col_i[i].val();
            self.offset_col_o[i].next = self.offset_col[i].q_o.val();
        }

        comment!("Entry, shifted by 0 to 3");
        self.is_offset.next = self.tag[1].q_o.val().get_bit(0) == self.ws_i.val();
        self.entry.next = self.base.q_o.val();
        if self.is_offset.val() {
            self.entry.next = self.offset.q_o.val();
        }
        self.shifted_once.next = self.entry.val();
        if self.shift_i.val().get_bit(0) {
            self.shifted_once.next = self.entry.val() << 1;
        }
        self.shifted.next = self.shifted_once.val();
        if self.shift_i.val().get_bit(1) {
            self.shifted.next = self.shifted_once.val() << 2;
        }
        self.value.clk.next = self.clk.val();
        self.value.en_i.next = self.advance_i.val();
        self.value.d_i.next = self.shifted.val();
        for i in 0..self._taps {
            self.entry_row[i].next = self.base_row[i].q_o.val();
            self.entry_col[i].next = self.base_col[i].q_o.val();
            if self.is_offset.val() {
                self.entry_row[i].next = self.offset_row[i].q_o.val();
                self.entry_col[i].next = self.offset_col[i].q_o.val();
            }
            if !self.masks_i.val() {
                self.entry_row[i].next = 1.into();
                self.entry_col[i].next = 1.into();
            }
            self.row[i].clk.next = self.clk.val();
            self.row[i].en_i.next = self.advance_i.val();
            self.row[i].d_i.next = self.entry_row[i].val();
            self.row_o[i].next = self.row[i].q_o.val();
            self.col[i].clk.next = self.clk.val();
            self.col[i].en_i.next = self.advance_i.val();
            self.col[i].d_i.next = self.entry_col[i].val();
            self.col_o[i].next = self.col[i].q_o.val();
        }

        self.valid_o.next = self.valid[2].q_o.val();
        self.tag_o.next = self.tag[2].q_o.val();
        self.origin_o.next = self.origin[2].q_o.val();
        self.sum_o.next = self.sum[2].q_o.val();
        self.keep_o.next = self.keep[2].q_o.val();
        self.value_o.next = self.value.q_o.val();
    }
    module!(|this| Meta::module("offsets_entry")
        .param("A", "a", A, "bits of a value")
        .option(
            "taps",
            "t",
            this._taps,
            "row bits of an entry, and column bits"
        ));
}

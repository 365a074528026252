//! The entry of a slot, as the tables give it.

use heddle_kernel::prelude::*;

/// Takes the entry of a slot from its table and shifts it. What the tables give stands in registers
/// first: a memory answers late in its clock.
///
/// # Timing
/// Three advances from the slot at the inputs to the slot at the outputs; its entry is at the inputs
/// one advance after the slot. While `advance_i` is low nothing changes.
#[module(name = "offsets_entry")]
pub struct OffsetEntry<const A: usize> {
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
    pub base_row_i: [Signal<In, Bits<1>>; taps],
    /// Its column bits.
    pub base_col_i: [Signal<In, Bits<1>>; taps],
    /// The offset read last.
    pub offset_i: Signal<In, Bits<A>>,
    /// Its row bits.
    pub offset_row_i: [Signal<In, Bits<1>>; taps],
    /// Its column bits.
    pub offset_col_i: [Signal<In, Bits<1>>; taps],
    /// The base read before, as the table gave it.
    pub base_o: Signal<Out, Bits<A>>,
    /// Its row bits.
    pub base_row_o: [Signal<Out, Bits<1>>; taps],
    /// Its column bits.
    pub base_col_o: [Signal<Out, Bits<1>>; taps],
    /// The offset read before, as the table gave it.
    pub offset_o: Signal<Out, Bits<A>>,
    /// Its row bits.
    pub offset_row_o: [Signal<Out, Bits<1>>; taps],
    /// Its column bits.
    pub offset_col_o: [Signal<Out, Bits<1>>; taps],
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
    pub row_o: [Signal<Out, Bits<1>>; taps],
    /// Its column bits; all 1 if masks are not used.
    pub col_o: [Signal<Out, Bits<1>>; taps],
    valid: [RegEn<Bit>; 3],
    tag: [RegData<Bits<7>>; 3],
    origin: [RegData<Bit>; 3],
    sum: [RegData<Bit>; 3],
    keep: [RegData<Bit>; 3],
    /// The entries read last.
    base: RegData<Bits<A>>,
    base_row: [RegData<Bits<1>>; taps],
    base_col: [RegData<Bits<1>>; taps],
    offset: RegData<Bits<A>>,
    offset_row: [RegData<Bits<1>>; taps],
    offset_col: [RegData<Bits<1>>; taps],
    value: RegData<Bits<A>>,
    row: [RegData<Bits<1>>; taps],
    col: [RegData<Bits<1>>; taps],
    is_offset: Signal<Local, Bit>,
    entry: Signal<Local, Bits<A>>,
    shifted_once: Signal<Local, Bits<A>>,
    shifted: Signal<Local, Bits<A>>,
    entry_row: [Signal<Local, Bits<1>>; taps],
    entry_col: [Signal<Local, Bits<1>>; taps],
    /// Bits of a value.
    _address_bits: Generic<'a', A>,
    /// Row bits of an entry, and column bits.
    _taps: Optional<'t'>,
}

#[kernel]
impl<const A: usize> OffsetEntry<A> {
    fn update(&mut self) {
        comment!("The slot waits for its entry, then goes along with it");
        for i in 0..3 {
            self.valid[i].en_i.next = self.advance_i.val();
            self.tag[i].en_i.next = self.advance_i.val();
            self.origin[i].en_i.next = self.advance_i.val();
            self.sum[i].en_i.next = self.advance_i.val();
            self.keep[i].en_i.next = self.advance_i.val();
        }
        self.valid.shift_in(self.valid_i.val());
        self.tag.shift_in(self.tag_i.val());
        self.origin.shift_in(self.origin_i.val());
        self.sum.shift_in(self.sum_i.val());
        self.keep.shift_in(self.keep_i.val());

        comment!("What the tables give");
        self.base.load(self.advance_i.val(), self.base_i.val());
        self.base_o.next = self.base.q_o.val();
        self.offset.load(self.advance_i.val(), self.offset_i.val());
        self.offset_o.next = self.offset.q_o.val();
        for i in 0..self._taps {
            self.base_row[i].load(self.advance_i.val(), self.base_row_i[i].val());
            self.base_row_o[i].next = self.base_row[i].q_o.val();
            self.base_col[i].load(self.advance_i.val(), self.base_col_i[i].val());
            self.base_col_o[i].next = self.base_col[i].q_o.val();
            self.offset_row[i].load(self.advance_i.val(), self.offset_row_i[i].val());
            self.offset_row_o[i].next = self.offset_row[i].q_o.val();
            self.offset_col[i].load(self.advance_i.val(), self.offset_col_i[i].val());
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
        self.value.load(self.advance_i.val(), self.shifted.val());
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
            self.row[i].load(self.advance_i.val(), self.entry_row[i].val());
            self.row_o[i].next = self.row[i].q_o.val();
            self.col[i].load(self.advance_i.val(), self.entry_col[i].val());
            self.col_o[i].next = self.col[i].q_o.val();
        }

        self.valid_o.next = self.valid[2].q_o.val();
        self.tag_o.next = self.tag[2].q_o.val();
        self.origin_o.next = self.origin[2].q_o.val();
        self.sum_o.next = self.sum[2].q_o.val();
        self.keep_o.next = self.keep[2].q_o.val();
        self.value_o.next = self.value.q_o.val();
    }
}

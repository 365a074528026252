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
            self.valid[i].en_i = self.advance_i;
            self.tag[i].en_i = self.advance_i;
            self.origin[i].en_i = self.advance_i;
            self.sum[i].en_i = self.advance_i;
            self.keep[i].en_i = self.advance_i;
        }
        self.valid.shift_in(self.valid_i);
        self.tag.shift_in(self.tag_i);
        self.origin.shift_in(self.origin_i);
        self.sum.shift_in(self.sum_i);
        self.keep.shift_in(self.keep_i);

        comment!("What the tables give");
        self.base.load(self.advance_i, self.base_i);
        self.base_o = self.base;
        self.offset.load(self.advance_i, self.offset_i);
        self.offset_o = self.offset;
        for i in 0..self._taps {
            self.base_row[i].load(self.advance_i, self.base_row_i[i]);
            self.base_row_o[i] = self.base_row[i];
            self.base_col[i].load(self.advance_i, self.base_col_i[i]);
            self.base_col_o[i] = self.base_col[i];
            self.offset_row[i].load(self.advance_i, self.offset_row_i[i]);
            self.offset_row_o[i] = self.offset_row[i];
            self.offset_col[i].load(self.advance_i, self.offset_col_i[i]);
            self.offset_col_o[i] = self.offset_col[i];
        }

        comment!("Entry, shifted by 0 to 3");
        self.is_offset = self.tag[1].get_bit(0) == self.ws_i;
        self.entry = mux(self.is_offset, self.offset, self.base);
        self.shifted_once = mux(self.shift_i.get_bit(0), self.entry << 1, self.entry);
        self.shifted = self.shifted_once;
        if self.shift_i.get_bit(1) {
            self.shifted = self.shifted_once << 2;
        }
        self.value.load(self.advance_i, self.shifted);
        for i in 0..self._taps {
            self.entry_row[i] = self.base_row[i];
            self.entry_col[i] = self.base_col[i];
            if self.is_offset {
                self.entry_row[i] = self.offset_row[i];
                self.entry_col[i] = self.offset_col[i];
            }
            if !self.masks_i {
                self.entry_row[i] = 1.into();
                self.entry_col[i] = 1.into();
            }
            self.row[i].load(self.advance_i, self.entry_row[i]);
            self.row_o[i] = self.row[i];
            self.col[i].load(self.advance_i, self.entry_col[i]);
            self.col_o[i] = self.col[i];
        }

        self.valid_o = self.valid[2];
        self.tag_o = self.tag[2];
        self.origin_o = self.origin[2];
        self.sum_o = self.sum[2];
        self.keep_o = self.keep[2];
        self.value_o = self.value;
    }
}

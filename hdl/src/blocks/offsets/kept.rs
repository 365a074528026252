//! The entries that a row keeps.

use heddle_kernel::prelude::*;

/// Entries of one row, stored in the order of its tiles before they are used, then taken one by one.
/// They are stored from the first one on again when entries have been taken.
///
/// # Timing
/// The entry taken in cycle t stands at the outputs from t + 1 on, until the next one is taken. An
/// entry may be taken in the cycle after the one in which it is stored, never in the same.
#[module(name = "offsets_kept")]
pub struct OffsetKept<const A: usize> {
    /// Stores an entry.
    pub store_i: Signal<In, Bit>,
    /// Takes the next entry.
    pub take_i: Signal<In, Bit>,
    /// The row is used.
    pub enabled_i: Signal<In, Bit>,
    /// Value of the entry.
    pub value_i: Signal<In, Bits<A>>,
    /// Its row bits.
    pub row_i: [Signal<In, Bits<1>>; taps],
    /// Its column bits.
    pub col_i: [Signal<In, Bits<1>>; taps],
    /// The entry taken last: the row is used.
    pub enabled_o: Signal<Out, Bit>,
    /// Its value.
    pub value_o: Signal<Out, Bits<A>>,
    /// Its row bits.
    pub row_o: [Signal<Out, Bits<1>>; taps],
    /// Its column bits.
    pub col_o: [Signal<Out, Bits<1>>; taps],
    #[new(Ram1r1w::new(A + 1 + 2 * taps, entries))]
    ram: Ram1r1w<16, 1>,
    /// Entry that is stored or taken next.
    tile: RegEn<Bits<16>>,
    /// An entry was stored, not taken.
    stored: RegEn<Bit>,
    place: Signal<Local, Bits<16>>,
    value: Signal<Local, Bits<A>>,
    /// Entries.
    _entries: Param<'n'>,
    /// Bits of a value.
    _address_bits: Generic<'a', A>,
    /// Row bits of an entry, and column bits.
    _taps: Optional<'t'>,
}

#[kernel]
impl<const A: usize> OffsetKept<A> {
    fn update(&mut self) {
        comment!("Where: from the first entry on when storing or taking begins");
        self.place = mux(self.store_i == self.stored, self.tile, 0.into());
        self.tile.load(self.store_i | self.take_i, self.place + 1);
        self.stored.load(self.store_i | self.take_i, self.store_i);

        comment!("Entries");
        self.ram.wen_i = self.store_i;
        self.ram.waddr_i = self.place;
        self.ram.ren_i = self.take_i;
        self.ram.raddr_i = self.place;
        self.value = 0.into();
        for b in 0..A {
            self.ram.wdata_i[b] = self.value_i.get_bits::<1>(b);
            self.value = self.value.replace_bit(b, self.ram.rdata_o[b].get_bit(0));
        }
        self.value_o = self.value;
        self.ram.wdata_i[A] = self.enabled_i.into();
        self.enabled_o = self.ram.rdata_o[A].any();
        for i in 0..self._taps {
            let row = A + 1 + i;
            let col = row + self._taps;
            self.ram.wdata_i[row].follow(&self.row_i[i]);
            self.row_o[i].follow(&self.ram.rdata_o[row]);
            self.ram.wdata_i[col].follow(&self.col_i[i]);
            self.col_o[i].follow(&self.ram.rdata_o[col]);
        }
    }
}

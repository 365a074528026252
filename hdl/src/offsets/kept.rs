//! The entries that a row keeps.

use crate::prelude::*;

/// Entries of one row, stored in the order of its tiles before they are used, then taken one by one.
/// They are stored from the first one on again when entries have been taken.
///
/// # Timing
/// The entry taken in cycle t stands at the outputs from t + 1 on, until the next one is taken. An
/// entry may be taken in the cycle behind the one in which it is stored, never in the same.
#[derive(LogicBlock)]
pub struct OffsetKept<const A: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Reset, active low.
    pub rst_n: Signal<In, Bit>,

    /// Stores an entry.
    pub store_i: Signal<In, Bit>,
    /// Takes the next entry.
    pub take_i: Signal<In, Bit>,
    /// The row is used.
    pub enabled_i: Signal<In, Bit>,
    /// Value of the entry.
    pub value_i: Signal<In, Bits<A>>,
    /// Its row bits.
    pub row_i: Vec<Signal<In, Bits<1>>>,
    /// Its column bits.
    pub col_i: Vec<Signal<In, Bits<1>>>,

    /// The entry taken last: the row is used.
    pub enabled_o: Signal<Out, Bit>,
    /// Its value.
    pub value_o: Signal<Out, Bits<A>>,
    /// Its row bits.
    pub row_o: Vec<Signal<Out, Bits<1>>>,
    /// Its column bits.
    pub col_o: Vec<Signal<Out, Bits<1>>>,

    ram: Ram1r1w<16, 1>,
    /// Entry that is stored or taken next.
    tile: RegEn<Bits<16>>,
    /// An entry was stored, not taken.
    stored: RegEn<Bit>,

    place: Signal<Local, Bits<16>>,
    value: Signal<Local, Bits<A>>,
    _taps: usize,
    _entries: usize,
    _used_bit: usize,
    _row_bits: usize,
    _col_bits: usize,
}

impl<const A: usize> OffsetKept<A> {
    /// `entries` entries with `taps` row bits and as many column bits.
    pub fn new(entries: usize, taps: usize) -> Self {
        Self {
            clk: Default::default(),
            rst_n: Default::default(),
            store_i: Default::default(),
            take_i: Default::default(),
            enabled_i: Default::default(),
            value_i: Default::default(),
            row_i: v(taps),
            col_i: v(taps),
            enabled_o: Default::default(),
            value_o: Default::default(),
            row_o: v(taps),
            col_o: v(taps),
            ram: Ram1r1w::new(A + 1 + 2 * taps, entries),
            tile: Default::default(),
            stored: Default::default(),
            place: Default::default(),
            value: Default::default(),
            _taps: taps,
            _entries: entries,
            _used_bit: A,
            _row_bits: A + 1,
            _col_bits: A + 1 + taps,
        }
    }
}

impl<const A: usize> Logic for OffsetKept<A> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Where: from the first entry on when storing or taking begins");
        self.place.next = 0.into();
        if self.store_i.val() == self.stored.q_o.val() {
            self.place.next = self.tile.q_o.val();
        }
        self.tile.clk.next = self.clk.val();
        self.tile.rst_n.next = self.rst_n.val();
        self.tile.en_i.next = self.store_i.val() | self.take_i.val();
        self.tile.d_i.next = self.place.val() + 1;
        self.stored.clk.next = self.clk.val();
        self.stored.rst_n.next = self.rst_n.val();
        self.stored.en_i.next = self.store_i.val() | self.take_i.val();
        self.stored.d_i.next = self.store_i.val();

        comment!("Entries");
        self.ram.clk.next = self.clk.val();
        self.ram.wen_i.next = self.store_i.val();
        self.ram.waddr_i.next = self.place.val();
        self.ram.ren_i.next = self.take_i.val();
        self.ram.raddr_i.next = self.place.val();
        self.value.next = 0.into();
        for b in 0..A {
            self.ram.wdata_i[b].next = self.value_i.val().get_bits::<1>(b);
            self.value.next = self
                .value
                .val()
                .replace_bit(b, self.ram.rdata_o[b].val().get_bit(0));
        }
        self.value_o.next = self.value.val();
        self.ram.wdata_i[self._used_bit].next = self.enabled_i.val().into();
        self.enabled_o.next = self.ram.rdata_o[self._used_bit].val().any();
        for i in 0..self._taps {
            self.ram.wdata_i[self._row_bits + i].next = self.row_i[i].val();
            self.row_o[i].next = self.ram.rdata_o[self._row_bits + i].val();
            self.ram.wdata_i[self._col_bits + i].next = self.col_i[i].val();
            self.col_o[i].next = self.ram.rdata_o[self._col_bits + i].val();
        }
    }
    module!(|this| Meta::module("offsets_kept")
        .param("entries", "n", this._entries, "entries")
        .param("A", "a", A, "bits of a value")
        .option(
            "taps",
            "t",
            this._taps,
            "row bits of an entry, and column bits"
        )
        .hidden("used_bit", this._used_bit, "place of the bit of a used row")
        .hidden("row_bits", this._row_bits, "place of the row bits")
        .hidden("col_bits", this._col_bits, "place of the column bits"));
}

//! A table of entries.

use crate::prelude::*;

/// Table of bases or offsets: each entry is a value and the mask bits that belong to it.
///
/// # Timing
/// The entry read in cycle t stands at the outputs from t + 1 on, until the next read. An entry is
/// never read in the cycle in which it is written.
#[derive(LogicBlock)]
pub struct EntryTable<const A: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,

    /// Writes an entry.
    pub wen_i: Signal<In, Bit>,
    /// Its number; bits beyond the table are ignored.
    pub waddr_i: Signal<In, Bits<16>>,
    /// Its value.
    pub value_i: Signal<In, Bits<A>>,
    /// Its row bits.
    pub row_i: Vec<Signal<In, Bits<1>>>,
    /// Its column bits.
    pub col_i: Vec<Signal<In, Bits<1>>>,

    /// Reads an entry.
    pub ren_i: Signal<In, Bit>,
    /// Its number.
    pub raddr_i: Signal<In, Bits<16>>,
    /// Value of the entry read last.
    pub value_o: Signal<Out, Bits<A>>,
    /// Its row bits.
    pub row_o: Vec<Signal<Out, Bits<1>>>,
    /// Its column bits.
    pub col_o: Vec<Signal<Out, Bits<1>>>,

    ram: Ram1r1w<16, 1>,
    value: Signal<Local, Bits<A>>,
    _taps: usize,
    _entries: usize,
    _value_bits: usize,
}

impl<const A: usize> EntryTable<A> {
    /// A table of `entries` entries with `taps` row bits and as many column bits.
    pub fn new(entries: usize, taps: usize) -> Self {
        Self {
            clk: Default::default(),
            wen_i: Default::default(),
            waddr_i: Default::default(),
            value_i: Default::default(),
            row_i: v(taps),
            col_i: v(taps),
            ren_i: Default::default(),
            raddr_i: Default::default(),
            value_o: Default::default(),
            row_o: v(taps),
            col_o: v(taps),
            ram: Ram1r1w::new(A + 2 * taps, entries),
            value: Default::default(),
            _taps: taps,
            _entries: entries,
            _value_bits: A,
        }
    }
}

impl<const A: usize> Logic for EntryTable<A> {
    #[hdl_gen]
    fn update(&mut self) {
        self.ram.clk.next = self.clk.val();
        self.ram.wen_i.next = self.wen_i.val();
        self.ram.waddr_i.next = self.waddr_i.val();
        self.ram.ren_i.next = self.ren_i.val();
        self.ram.raddr_i.next = self.raddr_i.val();
        self.value.next = 0.into();
        for b in 0..A {
            self.ram.wdata_i[b].next = self.value_i.val().get_bits::<1>(b);
            self.value.next = self
                .value
                .val()
                .replace_bit(b, self.ram.rdata_o[b].val().get_bit(0));
        }
        self.value_o.next = self.value.val();
        for i in 0..self._taps {
            self.ram.wdata_i[self._value_bits + i].next = self.row_i[i].val();
            self.row_o[i].next = self.ram.rdata_o[self._value_bits + i].val();
            self.ram.wdata_i[self._value_bits + self._taps + i].next = self.col_i[i].val();
            self.col_o[i].next = self.ram.rdata_o[self._value_bits + self._taps + i].val();
        }
    }
    module!(|this| Meta::module("offsets_table")
        .param("entries", "n", this._entries, "entries")
        .param("A", "a", A, "bits of a value")
        .option(
            "taps",
            "t",
            this._taps,
            "row bits of an entry, and column bits"
        )
        .hidden("value_bits", A, "bits of a value"));
}

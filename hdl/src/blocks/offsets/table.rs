//! A table of entries.

use heddle_kernel::prelude::*;

/// Table of bases or offsets: each entry is a value and the mask bits that belong to it.
///
/// # Timing
/// The entry read in cycle t stands at the outputs from t + 1 on, until the next read. An entry is
/// never read in the cycle in which it is written.
#[module(name = "offsets_table", no_reset)]
pub struct EntryTable<const A: usize> {
    /// Writes an entry.
    pub wen_i: Signal<In, Bit>,
    /// Its number; bits beyond the table are ignored.
    pub waddr_i: Signal<In, Bits<16>>,
    /// Its value.
    pub value_i: Signal<In, Bits<A>>,
    /// Its row bits.
    pub row_i: [Signal<In, Bits<1>>; taps],
    /// Its column bits.
    pub col_i: [Signal<In, Bits<1>>; taps],
    /// Reads an entry.
    pub ren_i: Signal<In, Bit>,
    /// Its number.
    pub raddr_i: Signal<In, Bits<16>>,
    /// Value of the entry read last.
    pub value_o: Signal<Out, Bits<A>>,
    /// Its row bits.
    pub row_o: [Signal<Out, Bits<1>>; taps],
    /// Its column bits.
    pub col_o: [Signal<Out, Bits<1>>; taps],
    #[new(Ram1r1w::new(A + 2 * taps, entries))]
    ram: Ram1r1w<16, 1>,
    value: Signal<Local, Bits<A>>,
    /// Entries.
    _entries: Param<'n'>,
    /// Bits of a value.
    _address_bits: Generic<'a', A>,
    /// Row bits of an entry, and column bits.
    _taps: Optional<'t'>,
}

#[kernel]
impl<const A: usize> EntryTable<A> {
    fn update(&mut self) {
        self.ram.wen_i = self.wen_i;
        self.ram.waddr_i = self.waddr_i;
        self.ram.ren_i = self.ren_i;
        self.ram.raddr_i = self.raddr_i;
        self.value = 0.into();
        for b in 0..A {
            self.ram.wdata_i[b] = self.value_i.get_bits::<1>(b);
            self.value = self.value.replace_bit(b, self.ram.rdata_o[b].get_bit(0));
        }
        self.value_o = self.value;
        for i in 0..self._taps {
            let row = A + i;
            let col = row + self._taps;
            self.ram.wdata_i[row].follow(&self.row_i[i]);
            self.row_o[i].follow(&self.ram.rdata_o[row]);
            self.ram.wdata_i[col].follow(&self.col_i[i]);
            self.col_o[i].follow(&self.ram.rdata_o[col]);
        }
    }
}

//! Selecting the bank that a word comes from.

use heddle_kernel::prelude::*;

/// The word of the selected bank, or zero. At most one bank is selected. Combinational.
#[module(combinational)]
pub struct WordMux {
    /// The word comes from this bank.
    pub select_i: [Signal<In, Bit>; banks],
    /// Words of all banks, eight bytes each.
    pub word_i: [[Signal<In, Bits<8>>; 8]; banks],
    /// Selected word.
    pub word_o: [Signal<Out, Bits<8>>; 8],
    /// Byte of the banks below each bank, last: of all banks.
    merged: [[Signal<Local, Bits<8>>; 8]; banks + 1],
    /// All ones for the selected bank.
    gate: [Signal<Local, Bits<8>>; banks],
    /// Banks.
    _banks: Param<'b'>,
}

#[kernel]
impl WordMux {
    fn update(&mut self) {
        for k in 0..8 {
            self.merged[0][k] = 0.into();
        }
        for b in 0..self._banks {
            self.gate[b] = mux(self.select_i[b], 0xff.into(), 0.into());
            for k in 0..8 {
                self.merged[b + 1][k] = self.merged[b][k] | (self.word_i[b][k] & self.gate[b]);
            }
        }
        self.word_o.follow(&self.merged[self._banks]);
    }
}

//! Selecting the bank that a word comes from.

use crate::prelude::*;

/// The word of the selected bank, or zero. At most one bank is selected. Combinational.
#[derive(LogicBlock)]
pub struct WordMux {
    /// The word comes from this bank.
    pub select_i: Vec<Signal<In, Bit>>,
    /// Words of all banks, eight bytes each.
    pub word_i: Vec<Vec<Signal<In, Bits<8>>>>,
    /// Selected word.
    pub word_o: Vec<Signal<Out, Bits<8>>>,
    /// Byte of the banks below each bank, last: of all banks.
    merged: Vec<Vec<Signal<Local, Bits<8>>>>,
    /// All ones for the selected bank.
    gate: Vec<Signal<Local, Bits<8>>>,
    _banks: usize,
}

impl WordMux {
    /// A selector of `banks` banks.
    pub fn new(banks: usize) -> Self {
        Self {
            select_i: v(banks),
            word_i: (0..banks).map(|_| v(8)).collect(),
            word_o: v(8),
            merged: (0..banks + 1).map(|_| v(8)).collect(),
            gate: v(banks),
            _banks: banks,
        }
    }
}

impl Logic for WordMux {
    #[hdl_gen]
    fn update(&mut self) {
        for k in 0..8 {
            self.merged[0][k].next = 0.into();
        }
        for b in 0..self._banks {
            self.gate[b].next = 0.into();
            if self.select_i[b].val() {
                self.gate[b].next = 0xff.into();
            }
            for k in 0..8 {
                self.merged[b + 1][k].next =
                    self.merged[b][k].val() | (self.word_i[b][k].val() & self.gate[b].val());
            }
        }
        for k in 0..8 {
            self.word_o[k].next = self.merged[self._banks][k].val();
        }
    }
    module!(|this| Meta::module("word_mux").param("banks", "b", this._banks, "banks"));
}

//! Collects bytes to words.

use heddle_kernel::prelude::*;

/// Collects the bytes of one column to words of eight and writes every word once.
///
/// A word leaves when a byte for another word arrives, or behind its flush byte; bytes that were
/// not received are 0. At most one word per clock.
///
/// # Timing
/// A byte in cycle T is part of the word that leaves in T+1 or later; behind a flush byte the
/// word leaves in T+1. `data_o` and `word_o` are registers.
#[module]
pub struct BytePacker {
    /// Forgets a word that was not flushed, before the byte of this cycle.
    pub drop_i: Signal<In, Bit>,
    /// A byte arrives.
    pub valid_i: Signal<In, Bit>,
    /// Byte address.
    pub dest_i: Signal<In, Bits<16>>,
    /// Last byte: the word leaves.
    pub flush_i: Signal<In, Bit>,
    /// The byte.
    pub byte_i: Signal<In, Bits<8>>,
    /// A word leaves.
    pub valid_o: Signal<Out, Bit>,
    /// Word address.
    pub word_o: Signal<Out, Bits<13>>,
    /// The word.
    pub data_o: [Signal<Out, Bits<8>>; 8],
    /// A word is being collected.
    open: Reg<Bit>,
    /// The word is complete.
    complete: Reg<Bit>,
    word: RegData<Bits<13>>,
    data: [RegData<Bits<8>>; 8],
    leaves: Signal<Local, Bit>,
    /// The byte is the first of its word.
    is_first: Signal<Local, Bit>,
    /// The byte belongs to this place of the word.
    is_here: [Signal<Local, Bit>; 8],
    /// All ones for the place of the byte.
    gate: [Signal<Local, Bits<8>>; 8],
}

#[kernel]
impl BytePacker {
    fn update(&mut self) {
        self.leaves = self.open
            & (self.complete
                | (self.valid_i & !self.drop_i & (self.dest_i.get_bits::<13>(3) != self.word)));
        self.is_first = self.leaves | self.drop_i | !self.open;
        self.open = self.valid_i | (self.open & !self.leaves & !self.drop_i);
        self.complete = self.valid_i & self.flush_i;

        self.word.load(self.valid_i, self.dest_i.get_bits::<13>(3));
        for k in 0..8 {
            self.is_here[k] = self.dest_i.get_bits::<3>(0) == k.to_bits::<3>();
            self.gate[k] = mux(self.is_here[k], 0xff.into(), 0.into());
        }
        for k in 0..8 {
            self.data[k].en_i = self.valid_i & (self.is_first | self.is_here[k]);
            self.data[k] = self.byte_i & self.gate[k];
            self.data_o[k] = self.data[k];
        }
        self.valid_o = self.leaves;
        self.word_o = self.word;
    }
}

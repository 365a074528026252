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
pub struct Gatherer {
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
impl Gatherer {
    fn update(&mut self) {
        self.leaves.next = self.open.q_o.val()
            & (self.complete.q_o.val()
                | (self.valid_i.val()
                    & !self.drop_i.val()
                    & (self.dest_i.val().get_bits::<13>(3) != self.word.q_o.val())));
        self.is_first.next = self.leaves.val() | self.drop_i.val() | !self.open.q_o.val();
        self.open.d_i.next =
            self.valid_i.val() | (self.open.q_o.val() & !self.leaves.val() & !self.drop_i.val());
        self.complete.d_i.next = self.valid_i.val() & self.flush_i.val();

        self.word
            .load(self.valid_i.val(), self.dest_i.val().get_bits::<13>(3));
        for k in 0..8 {
            self.is_here[k].next = self.dest_i.val().get_bits::<3>(0) == k.to_bits::<3>();
            self.gate[k].next = 0.into();
            if self.is_here[k].val() {
                self.gate[k].next = 0xff.into();
            }
        }
        for k in 0..8 {
            self.data[k].en_i.next =
                self.valid_i.val() & (self.is_first.val() | self.is_here[k].val());
            self.data[k].d_i.next = self.byte_i.val() & self.gate[k].val();
            self.data_o[k].next = self.data[k].q_o.val();
        }
        self.valid_o.next = self.leaves.val();
        self.word_o.next = self.word.q_o.val();
    }
}

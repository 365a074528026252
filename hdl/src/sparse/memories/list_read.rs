//! Reads a list.

use heddle_kernel::prelude::*;

/// Reads the entries of a set, in their order. An empty set is one word of value 0.
///
/// # Timing
/// `active_i` in cycle T: the first entry is at the output in T+2, the others follow, one in a cycle, as they are taken. `done_o` in the
/// cycle in which the last entry leaves the buffer; `active_i` is low in the next one.
#[module]
pub struct ListRead {
    /// A set is to be read; stable until `done_o`.
    pub active_i: Signal<In, Bit>,
    /// Its entries.
    pub count_i: Signal<In, Bits<16>>,
    /// It is meant for a memory.
    pub to_memory_i: Signal<In, Bit>,
    /// Its last entry leaves the buffer.
    pub done_o: Signal<Out, Bit>,
    /// Reads an entry.
    pub read_o: Signal<Out, Bit>,
    /// Which one.
    pub at_o: Signal<Out, Bits<16>>,
    /// The entry that was read.
    pub entry_i: [Signal<In, Bits<9>>; 4],
    /// There is a word.
    pub valid_o: Signal<Out, Bit>,
    /// It is taken.
    pub ready_i: Signal<In, Bit>,
    /// The word.
    pub word_o: [Signal<Out, Bits<9>>; 4],
    /// The next entry; no more follow.
    at: RegEn<Bits<16>>,
    ended: RegEn<Bit>,
    /// An entry stands at the buffer; it is the last one.
    read: RegEn<Bit>,
    read_last: RegData<Bit>,
    /// An entry waits after the buffer, one stands at the output, and their words.
    waits: Reg<Bit>,
    stands: RegEn<Bit>,
    kept_word: [[RegData<Bits<9>>; 4]; 2],
    word: [Signal<Local, Bits<9>>; 4],
    /// What stands at the buffer goes on, or nothing does.
    free: Signal<Local, Bit>,
    reads: Signal<Local, Bit>,
    is_last: Signal<Local, Bit>,
    done: Signal<Local, Bit>,
    /// The output is free, or becomes so.
    goes: Signal<Local, Bit>,
    /// Entries of a set, a power of two.
    _entry_max: Param<'d'>,
}

#[kernel]
impl ListRead {
    fn update(&mut self) {
        self.free = !self.waits | !self.read;
        self.reads = self.active_i & !self.ended & self.free;
        self.is_last = (self.count_i == 0) | (self.at + 1 == self.count_i);
        self.read_o = self.reads;
        self.at_o = self.at;
        self.done = self.read & self.read_last & !self.waits;
        self.done_o = self.done;
        self.at.load(
            self.reads | self.done,
            mux(
                self.done,
                0.into(),
                (self.at + 1) & (self._entry_max - 1).to_bits::<16>(),
            ),
        );
        self.ended
            .load(self.reads | self.done, self.is_last & !self.done);
        self.read.load(self.free, self.active_i & !self.ended);
        self.read_last.load(self.reads, self.is_last);
        self.give();
    }

    /// Two places behind the buffer: whether it may be read depends on nothing that happens in the same cycle.
    fn give(&mut self) {
        comment!("An empty set has no value; what a word means for a stream is not stored");
        self.word[0] = mux(self.count_i == 0, 0.into(), self.entry_i[0]);
        self.word[1] = self.entry_i[1];
        self.word[2] = bit_cast::<9, 8>(self.entry_i[2].get_bits::<8>(0));
        self.word[3] = bit_cast::<9, 8>(self.entry_i[3].get_bits::<8>(0));
        if self.read_last {
            self.word[2] = bit_cast::<9, 8>(self.entry_i[2].get_bits::<8>(0)) | 0x100;
        }
        if self.to_memory_i {
            self.word[3] = bit_cast::<9, 8>(self.entry_i[3].get_bits::<8>(0)) | 0x100;
        }
        self.goes = !self.stands | self.ready_i;
        for i in 0..4 {
            self.kept_word[0][i].load(!self.waits, self.word[i]);
            self.kept_word[1][i].load(
                self.goes,
                mux(self.waits, self.kept_word[0][i], self.word[i]),
            );
            self.word_o[i] = self.kept_word[1][i];
        }
        self.waits = (self.waits | self.read) & !self.goes;
        self.stands.load(self.goes, self.waits | self.read);
        self.valid_o = self.stands;
    }
}

//! Two streams become one.

use heddle_kernel::prelude::*;

/// Lists of two streams on one, each as a whole; those of the first stream go first.
///
/// # Timing
/// A word in cycle T is at the output in T+1. `ready_o` follows `ready_i` in the same cycle.
#[module]
pub struct StreamJoin {
    /// There is a word.
    pub valid_i: [Signal<In, Bit>; 2],
    /// It is taken.
    pub ready_o: [Signal<Out, Bit>; 2],
    /// The word.
    pub word_i: [[Signal<In, Bits<9>>; 4]; 2],
    /// There is a word.
    pub valid_o: Signal<Out, Bit>,
    /// It is taken.
    pub ready_i: Signal<In, Bit>,
    /// The word.
    pub word_o: [Signal<Out, Bits<9>>; 4],
    valid: RegEn<Bit>,
    word: [RegData<Bits<9>>; 4],
    /// A list is under way; it is one of the second stream.
    list: RegEn<Bit>,
    second: RegData<Bit>,
    /// The second stream has its turn.
    turn: Signal<Local, Bit>,
    offers: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
}

#[kernel]
impl StreamJoin {
    fn update(&mut self) {
        self.turn = mux(self.list, self.second, !self.valid_i[0]);
        self.offers = mux(self.turn, self.valid_i[1], self.valid_i[0]);
        self.last = mux(
            self.turn,
            self.word_i[1][2].get_bit(8),
            self.word_i[0][2].get_bit(8),
        );
        self.free = !self.valid | self.ready_i;
        self.ready_o[0] = self.free & !self.turn;
        self.ready_o[1] = self.free & self.turn;
        self.list.load(self.free & self.offers, !self.last);
        self.second.load(self.free & self.offers, self.turn);
        self.valid.load(self.free, self.offers);
        self.valid_o = self.valid;
        for k in 0..4 {
            self.word[k].load(
                self.free,
                mux(self.turn, self.word_i[1][k], self.word_i[0][k]),
            );
            self.word_o[k] = self.word[k];
        }
    }
}

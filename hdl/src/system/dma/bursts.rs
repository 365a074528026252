//! Bursts of a transfer.

use super::Walker;
use super::queue::Transfer;
use heddle_kernel::prelude::*;

/// Joins the words of a transfer to bursts: words that follow one another in memory, at most {beats}, all of one page.
///
/// It makes no difference which loop a word comes from: where the next row or plane begins at the end of the last one, a burst goes on.
/// A burst comes as soon as the word behind it is known.
///
/// # Timing
/// `start_i` in cycle t: a word in each cycle from t + 1 on, and a burst three cycles after its last word at the earliest.
#[module(describe)]
pub struct Bursts<const W: usize> {
    /// Stops.
    pub clear_i: Signal<In, Bit>,
    /// Begins.
    pub start_i: Signal<In, Bit>,
    /// The transfer; it stays until the last burst.
    pub transfer_i: Transfer<In>,
    /// Words of X, less 1.
    pub words_i: Signal<In, Bits<16>>,
    /// Word address of the first word; the top bit is a carry.
    pub address_i: Signal<In, Bits<W>>,
    /// There is a burst.
    pub valid: OutReg<Bit>,
    /// Its word address; the top bit says that it is beyond all memory.
    pub addr: OutRegData<Bits<W>>,
    /// Beats, less 1.
    pub len: OutRegData<Bits<8>>,
    /// Its page is that of the burst before, of this transfer.
    pub same: OutRegData<Bit>,
    /// The last one of the transfer.
    pub last: OutRegData<Bit>,
    /// It is taken.
    pub take_i: Signal<In, Bit>,
    walker: Walker<W>,
    /// A burst grows.
    grows: Reg<Bit>,
    grown_addr: RegData<Bits<W>>,
    grown_len: RegData<Bits<8>>,
    grown_same: RegData<Bit>,
    /// The last word of the transfer is in it.
    grown_last: RegData<Bit>,
    /// The next word.
    has_word: Reg<Bit>,
    word: RegData<Bits<W>>,
    /// It lies behind the word before, in its page.
    follows: RegData<Bit>,
    is_last: RegData<Bit>,
    /// The first word of the transfer is to come.
    is_first: RegData<Bit>,
    joins: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    /// A burst has grown.
    moves: Signal<Local, Bit>,
    /// Bits of a word address with its carry.
    _width: Generic<'n', W>,
    /// Beats at most.
    _beats: Param<'b'>,
}

impl<const W: usize> Bursts<W> {
    fn describe(&self, meta: Meta) -> Meta {
        meta.number("beats", self._beats)
    }
}

#[kernel]
impl<const W: usize> Bursts<W> {
    fn update(&mut self) {
        self.walk();
        self.grow();
    }

    fn walk(&mut self) {
        self.walker.clear_i = self.clear_i;
        self.walker.start_i = self.start_i;
        self.walker.first_i = self.address_i;
        self.walker.count_i[0] = self.words_i;
        self.walker.step_i[0] = 1.into();
        for i in 1..3 {
            self.walker.count_i[i] = self.transfer_i.count[i];
            self.walker.step_i[i] = self.transfer_i.pitch[i - 1].get_bits::<W>(0);
        }
        let steps = self.walker.valid_o & (!self.has_word | self.takes);
        self.walker.next_i = steps;
        self.has_word = (steps | (self.has_word & !self.takes)) & !self.clear_i;
        self.word.load(steps, self.walker.place_o);
        self.is_last.load(steps, self.walker.last_o);
        self.is_first.load(self.start_i | steps, self.start_i);
        self.follows.load(
            steps,
            !self.is_first
                & (self.walker.place_o == self.word + 1)
                & self.walker.place_o.get_bits::<9>(0).any(),
        );
    }

    fn grow(&mut self) {
        self.joins = self.follows & (self.grown_len != (self._beats - 1).to_bits::<8>());
        self.moves = self.grows & (self.grown_last | (self.has_word & !self.joins)) & !self.valid;
        self.takes = self.has_word & (!self.grows | self.joins | self.moves);
        self.grows = (self.takes | (self.grows & !self.moves)) & !self.clear_i;
        self.grown_last.load(self.takes, self.is_last);
        self.grown_len
            .load(self.takes, mux(self.joins, self.grown_len + 1, 0.into()));
        self.grown_addr.load(self.takes & !self.joins, self.word);
        self.grown_same.load(self.takes & !self.joins, self.follows);
        self.valid = (self.moves | (self.valid & !self.take_i)) & !self.clear_i;
        self.addr.load(self.moves, self.grown_addr);
        self.len.load(self.moves, self.grown_len);
        self.same.load(self.moves, self.grown_same);
        self.last.load(self.moves, self.grown_last);
    }
}

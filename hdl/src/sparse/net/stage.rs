//! Registers of streams.

use heddle_kernel::prelude::*;

/// A register for each of several streams.
///
/// # Timing
/// A word in cycle T is at the output from T+1 on until it is taken. `ready_o` follows `ready_i` in the same cycle.
#[module]
pub struct StreamStage {
    /// There is a word.
    pub valid_i: [Signal<In, Bit>; ports],
    /// It is taken.
    pub ready_o: [Signal<Out, Bit>; ports],
    /// The word.
    pub word_i: [[Signal<In, Bits<9>>; 4]; ports],
    /// There is a word.
    pub valid_o: [Signal<Out, Bit>; ports],
    /// It is taken.
    pub ready_i: [Signal<In, Bit>; ports],
    /// The word.
    pub word_o: [[Signal<Out, Bits<9>>; 4]; ports],
    /// There is a word in any of them.
    pub busy_o: Signal<Out, Bit>,
    valid: [RegEn<Bit>; ports],
    word: [[RegData<Bits<9>>; 4]; ports],
    /// There is none, or it leaves.
    free: [Signal<Local, Bit>; ports],
    busy: [Signal<Local, Bit>; ports + 1],
    /// Streams.
    _ports: Param<'n'>,
}

#[kernel]
impl StreamStage {
    fn update(&mut self) {
        self.busy[0] = false;
        for i in 0..self._ports {
            self.free[i] = !self.valid[i] | self.ready_i[i];
            self.ready_o[i] = self.free[i];
            self.valid[i].load(self.free[i], self.valid_i[i]);
            self.valid_o[i] = self.valid[i];
            self.busy[i + 1] = self.busy[i] | self.valid[i];
            for k in 0..4 {
                self.word[i][k].load(self.free[i], self.word_i[i][k]);
                self.word_o[i][k] = self.word[i][k];
            }
        }
        self.busy_o = self.busy[self._ports];
    }
}

//! Which words prove wrong, and when a traversal starts.

use heddle_kernel::prelude::*;

/// Follows each word until its loop is known to end: the first wrong one stops the decoder, the last
/// one of an instruction that starts a traversal starts it.
///
/// # Timing
/// A word accepted in cycle t is spoken of in t + 3, in which `endless_i` speaks of its loop too.
/// `start_o` follows one cycle later, unless `verdict_o` was high or `clear_i` came between. A verdict
/// takes all words behind the wrong one along.
#[module(name = "traversal_verdict")]
pub struct WordVerdict {
    /// Forgets the words and the start.
    pub clear_i: Signal<In, Bit>,
    /// Position of the word at hand.
    pub position_i: Signal<In, Bits<8>>,
    /// It is accepted, and the last one of an instruction that starts a traversal.
    pub ending_i: Signal<In, Bit>,
    /// The word accepted one cycle before is wrong.
    pub fault_i: Signal<In, Bit>,
    /// Code of its error.
    pub code_i: Signal<In, Bits<8>>,
    /// It ends a window without addresses.
    pub window_empty_i: Signal<In, Bit>,
    /// The word accepted three cycles before is the end of a loop that never ends.
    pub endless_i: Signal<In, Bit>,
    /// A word accepted one to three cycles before is wrong, as far as it is known.
    pub suspect_o: Signal<Out, Bit>,
    /// The word accepted three cycles before is wrong.
    pub verdict_o: Signal<Out, Bit>,
    /// Code of the error.
    pub code_o: Signal<Out, Bits<8>>,
    /// Position of the word.
    pub position_o: Signal<Out, Bits<8>>,
    /// A start comes in this or one of the next three cycles.
    pub starting_o: Signal<Out, Bit>,
    /// Starts the traversal.
    pub start_o: Signal<Out, Bit>,
    /// What is known of the words accepted two and three cycles before.
    wrong: [Reg<Bit>; 2],
    wrong_code: [Delay<Bits<8>>; 2],
    /// Positions of the last three words, and whether they end an instruction that starts.
    wrong_position: [Delay<Bits<8>>; 3],
    ending: [Reg<Bit>; 3],
    start: Reg<Bit>,
    /// Neither a verdict nor a clear.
    goes_on: Signal<Local, Bit>,
}

#[kernel]
impl WordVerdict {
    fn update(&mut self) {
        comment!("Wrong words");
        self.suspect_o = self.fault_i | self.wrong[0] | self.wrong[1];
        self.verdict_o = self.wrong[1] | self.endless_i;
        self.goes_on = !self.wrong[1] & !self.endless_i & !self.clear_i;
        for i in 0..2 {
            if i > 0 {
                self.wrong[i] = self.wrong[i - 1] & self.goes_on;
                self.wrong_code[i] = self.wrong_code[i - 1];
            } else {
                self.wrong[i] = (self.fault_i | self.window_empty_i) & self.goes_on;
                self.wrong_code[i] =
                    mux(self.window_empty_i & !self.fault_i, 3.into(), self.code_i);
            }
        }
        self.code_o = mux(self.wrong[1], self.wrong_code[1], 9.into());
        self.position_o = self.wrong_position[2];

        comment!("Start, when the last word has proved right");
        self.starting_o = self.start;
        for i in 0..3 {
            self.starting_o = self.starting_o | self.ending[i];
            if i > 0 {
                self.wrong_position[i] = self.wrong_position[i - 1];
                self.ending[i] = self.ending[i - 1] & self.goes_on;
            } else {
                self.wrong_position[i] = self.position_i;
                self.ending[i] = self.ending_i & self.goes_on;
            }
        }
        self.start = self.ending[2] & self.goes_on;
        self.start_o = self.start;
    }
}

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
        self.suspect_o.next =
            self.fault_i.val() | self.wrong[0].q_o.val() | self.wrong[1].q_o.val();
        self.verdict_o.next = self.wrong[1].q_o.val() | self.endless_i.val();
        self.goes_on.next = !self.wrong[1].q_o.val() & !self.endless_i.val() & !self.clear_i.val();
        for i in 0..2 {
            if i > 0 {
                self.wrong[i].d_i.next = self.wrong[i - 1].q_o.val() & self.goes_on.val();
                self.wrong_code[i].d_i.next = self.wrong_code[i - 1].q_o.val();
            } else {
                self.wrong[i].d_i.next =
                    (self.fault_i.val() | self.window_empty_i.val()) & self.goes_on.val();
                self.wrong_code[i].d_i.next = self.code_i.val();
                if self.window_empty_i.val() & !self.fault_i.val() {
                    self.wrong_code[i].d_i.next = 3.into();
                }
            }
        }
        self.code_o.next = 9.into();
        if self.wrong[1].q_o.val() {
            self.code_o.next = self.wrong_code[1].q_o.val();
        }
        self.position_o.next = self.wrong_position[2].q_o.val();

        comment!("Start, when the last word has proved right");
        self.starting_o.next = self.start.q_o.val();
        for i in 0..3 {
            self.starting_o.next = self.starting_o.val() | self.ending[i].q_o.val();
            if i > 0 {
                self.wrong_position[i].d_i.next = self.wrong_position[i - 1].q_o.val();
                self.ending[i].d_i.next = self.ending[i - 1].q_o.val() & self.goes_on.val();
            } else {
                self.wrong_position[i].d_i.next = self.position_i.val();
                self.ending[i].d_i.next = self.ending_i.val() & self.goes_on.val();
            }
        }
        self.start.d_i.next = self.ending[2].q_o.val() & self.goes_on.val();
        self.start_o.next = self.start.q_o.val();
    }
}

//! What an instruction word is, by its place in the instruction.

use heddle_kernel::prelude::*;

/// What the decoder expects next.
#[derive(Debug, Clone, Copy, PartialEq, LogicState)]
pub enum DecodePhase {
    /// Word 0 of an instruction.
    Head,
    /// First address of the window.
    WindowFirst,
    /// First address behind the window.
    WindowEnd,
    /// Row word of a block.
    Row,
    /// Base of the row.
    Base,
    /// Initial offset of a loop.
    Initial,
    /// Step of a loop.
    Step,
    /// End of a loop.
    End,
    /// An error stopped the decoder.
    Stop,
}

/// What follows a word. Only the lengths are looked at: whether the word is legal is found elsewhere.
///
/// # Timing
/// No registers.
#[module(name = "traversal_phase", combinational)]
pub struct NextPhase {
    /// What the word is.
    pub phase_i: Signal<In, DecodePhase>,
    /// Low bits of the opcode: 0 TRAVERSE, 1 to 3 the groups, 4 START.
    pub op_i: Signal<In, Bits<3>>,
    /// It is the last word of the instruction.
    pub last_word_i: Signal<In, Bit>,
    /// Of word 0: a window follows, if the instruction starts a traversal.
    pub window_i: Signal<In, Bit>,
    /// Of a row word: loops of the block.
    pub row_loops_i: Signal<In, Bits<4>>,
    /// Behind a row word: loops of the block still to come, this one included.
    pub loops_left_i: Signal<In, Bits<4>>,
    /// What the word behind it is.
    pub next_o: Signal<Out, DecodePhase>,
    /// The word is the last value of a loop.
    pub loop_end_o: Signal<Out, Bit>,
    /// All values of a loop stand together.
    whole: Signal<Local, Bit>,
    last_loop: Signal<Local, Bit>,
    block_end: Signal<Local, DecodePhase>,
    next_phase: Signal<Local, DecodePhase>,
}

// In a kernel the arms of a match have no conditions.
#[allow(clippy::collapsible_match)]
#[kernel]
impl NextPhase {
    fn update(&mut self) {
        self.whole = self.op_i == 0;
        self.last_loop = self.loops_left_i == 1;
        self.loop_end_o = (self.phase_i == DecodePhase::End)
            | (!self.whole
                & ((self.phase_i == DecodePhase::Initial) | (self.phase_i == DecodePhase::Step)));

        self.block_end = mux(self.last_word_i, DecodePhase::Head, DecodePhase::Row);
        self.next_phase = self.block_end;
        match self.phase_i {
            DecodePhase::Head => {
                if (self.whole | (self.op_i == 4)) & self.window_i {
                    self.next_phase = DecodePhase::WindowFirst;
                }
            }
            DecodePhase::WindowFirst => {
                self.next_phase = DecodePhase::WindowEnd;
            }
            DecodePhase::Row => {
                if (self.op_i == 0) | (self.op_i == 1) {
                    self.next_phase = DecodePhase::Base;
                } else if self.row_loops_i != 0 {
                    if self.op_i == 2 {
                        self.next_phase = DecodePhase::Step;
                    } else {
                        self.next_phase = DecodePhase::End;
                    }
                }
            }
            DecodePhase::Base => {
                if self.loops_left_i != 0 {
                    self.next_phase = DecodePhase::Initial;
                }
            }
            DecodePhase::Initial => {
                if self.whole {
                    self.next_phase = DecodePhase::Step;
                } else if !self.last_loop {
                    self.next_phase = DecodePhase::Initial;
                }
            }
            DecodePhase::Step => {
                if self.whole {
                    self.next_phase = DecodePhase::End;
                } else if !self.last_loop {
                    self.next_phase = DecodePhase::Step;
                }
            }
            DecodePhase::End => {
                if !self.last_loop {
                    self.next_phase = mux(self.whole, DecodePhase::Initial, DecodePhase::End);
                }
            }
            _ => {}
        }
        self.next_o = self.next_phase;
    }
}

//! A block of shifts and comparisons with a sign, which the hardware does not have, to test the emitter with.

use heddle_kernel::prelude::*;

/// What the shifter does.
#[derive(LogicState, Copy, Clone, PartialEq, Debug)]
pub enum Mode {
    /// Waits for an operand.
    Idle,
    /// Shifts one place per cycle.
    Shift,
    /// Shows the result for one cycle.
    Done,
}

/// Shifts a signed operand right by a number of places, once at a time and all at once.
///
/// # Timing
/// `done_o` is high for one cycle, `places_i` + 2 cycles after `start_i`.
#[module(name = "sample_shifter")]
pub struct Shifter {
    /// Takes the operand, if idle.
    pub start_i: Signal<In, Bit>,
    /// Operand.
    pub x_i: Signal<In, Signed<32>>,
    /// Places to shift by.
    pub places_i: Signal<In, Bits<5>>,
    /// Operand shifted at once.
    pub direct_o: Signal<Out, Signed<32>>,
    /// Operand shifted step by step.
    pub y_o: Signal<Out, Signed<32>>,
    /// High for one cycle when `y_o` is final.
    pub done_o: Signal<Out, Bit>,
    /// High if the operand is less than -1000.
    pub low_o: Signal<Out, Bit>,
    mode: Reg<Mode>,
    y: RegData<Signed<32>>,
    left: RegData<Bits<5>>,
    bound: Signal<Local, Signed<32>>,
}

// A kernel has no match guards.
#[allow(clippy::collapsible_match)]
#[kernel]
impl Shifter {
    fn update(&mut self) {
        self.direct_o = signed_cast_arith(self.x_i) >> self.places_i;
        self.bound = (-1000).into();
        self.low_o = self.x_i < self.bound;

        self.mode = self.mode;
        self.y.en_i = false;
        self.y = self.x_i;
        self.left.en_i = false;
        self.left = self.places_i;
        self.done_o = false;
        match self.mode {
            Mode::Idle => {
                if self.start_i {
                    self.y.en_i = true;
                    self.left.en_i = true;
                    self.mode = Mode::Shift;
                }
            }
            Mode::Shift => {
                self.y = signed_cast_arith(self.y) >> 1;
                self.left = self.left - 1;
                if self.left == 0 {
                    self.mode = Mode::Done;
                } else {
                    self.y.en_i = true;
                    self.left.en_i = true;
                }
            }
            Mode::Done => {
                self.done_o = true;
                self.mode = Mode::Idle;
            }
            _ => {}
        }
        self.y_o = self.y;
    }
}

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
#[module]
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
impl Logic for Shifter {
    #[kernel]
    fn update(&mut self) {
        self.direct_o.next = signed_cast_arith(self.x_i.val()) >> self.places_i.val();
        self.bound.next = (-1000).into();
        self.low_o.next = self.x_i.val() < self.bound.val();

        self.mode.d_i.next = self.mode.q_o.val();
        self.y.en_i.next = false;
        self.y.d_i.next = self.x_i.val();
        self.left.en_i.next = false;
        self.left.d_i.next = self.places_i.val();
        self.done_o.next = false;
        match self.mode.q_o.val() {
            Mode::Idle => {
                if self.start_i.val() {
                    self.y.en_i.next = true;
                    self.left.en_i.next = true;
                    self.mode.d_i.next = Mode::Shift;
                }
            }
            Mode::Shift => {
                self.y.d_i.next = signed_cast_arith(self.y.q_o.val()) >> 1;
                self.left.d_i.next = self.left.q_o.val() - 1;
                if self.left.q_o.val() == 0 {
                    self.mode.d_i.next = Mode::Done;
                } else {
                    self.y.en_i.next = true;
                    self.left.en_i.next = true;
                }
            }
            Mode::Done => {
                self.done_o.next = true;
                self.mode.d_i.next = Mode::Idle;
            }
            _ => {}
        }
        self.y_o.next = self.y.q_o.val();
    }
    describe!(|_this| Meta::module("sample_shifter"));
}

//! A state machine.

use heddle_kernel::prelude::*;

/// What the controller is doing.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum State {
    /// Nothing.
    Idle,
    /// Counting.
    Run,
    /// Waiting for the consumer.
    Done,
}

/// Counts up to a limit after a start, then waits for an acknowledgement.
#[module]
pub struct Machine {
    /// Begins a run; ignored while one is under way.
    pub start_i: Signal<In, Bit>,
    /// Number of steps of a run.
    pub limit_i: Signal<In, Bits<6>>,
    /// Takes the result.
    pub ack_i: Signal<In, Bit>,
    /// A run is under way.
    pub busy_o: Signal<Out, Bit>,
    /// The run has ended.
    pub done_o: Signal<Out, Bit>,
    /// Steps so far.
    pub count_o: Signal<Out, Bits<6>>,
    /// Phase of the run.
    state: Reg<State>,
    /// Steps so far.
    count: Reg<Bits<6>>,
}

#[kernel]
impl Machine {
    fn update(&mut self) {
        self.state = self.state;
        self.count = self.count;
        self.busy_o = true;
        self.done_o = false;
        match self.state {
            State::Idle => {
                self.busy_o = false;
                if self.start_i {
                    self.state = State::Run;
                    self.count = 0.into();
                }
            }
            State::Run => {
                if self.count == self.limit_i {
                    self.state = State::Done;
                } else {
                    self.count = self.count + 1;
                }
            }
            State::Done => {
                self.done_o = true;
                if self.ack_i {
                    self.state = State::Idle;
                }
            }
        }
        self.count_o = self.count;
    }
}

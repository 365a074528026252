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

impl Logic for Machine {
    #[kernel]
    fn update(&mut self) {
        self.state.d_i.next = self.state.q_o.val();
        self.count.d_i.next = self.count.q_o.val();
        self.busy_o.next = true;
        self.done_o.next = false;
        match self.state.q_o.val() {
            State::Idle => {
                self.busy_o.next = false;
                if self.start_i.val() {
                    self.state.d_i.next = State::Run;
                    self.count.d_i.next = 0.into();
                }
            }
            State::Run => {
                if self.count.q_o.val() == self.limit_i.val() {
                    self.state.d_i.next = State::Done;
                } else {
                    self.count.d_i.next = self.count.q_o.val() + 1;
                }
            }
            State::Done => {
                self.done_o.next = true;
                if self.ack_i.val() {
                    self.state.d_i.next = State::Idle;
                }
            }
        }
        self.count_o.next = self.count.q_o.val();
    }
    describe!(|_this| Meta::module("machine"));
}

//! The sequencer and the issue units of the waves, the host port and the counters.
//!
//! The sequencer fetches instructions and sets up three units: weights, stream and drain. Each
//! unit is a traversal unit and an issue unit that turns its addresses into slots of a wave.

pub mod clocks;
mod counters;
mod dma_head;
mod drain_issue;
mod host_port;
mod instruction_check;
mod moves;
mod prefetch;
mod sequencer;
mod shape;
mod state;
mod status;
mod stream_issue;
mod sums_issue;
mod unit;
mod unit_registers;
mod weight_issue;

pub use counters::{CounterList, Counters};
pub use dma_head::{DmaHead, DmaRequest, WaveNotice};
pub use drain_issue::DrainIssue;
pub use host_port::HostPort;
pub use instruction_check::InstructionCheck;
pub use moves::{MoveOrder, MoveState};
pub use prefetch::Prefetch;
pub use sequencer::Sequencer;
pub use shape::{ControlShape, SequencerShape};
pub use state::{Phase, State, Unit};
pub use status::Status;
pub use stream_issue::StreamIssue;
pub use sums_issue::SumsIssue;
pub use unit::Control;
pub use unit_registers::UnitRegisters;
pub use weight_issue::WeightIssue;

/// The number of an error, for a kernel.
fn code(error: heddle_arch::isa::ErrorCode) -> u64 {
    error.number().into()
}

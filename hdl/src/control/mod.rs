//! The sequencer and the heads of the waves, the host port and the counters.
//!
//! The sequencer fetches instructions and sets up three units: weights, stream and drain. Each
//! unit is a traversal unit and a head that turns its addresses into slots of a wave.

mod counters;
mod drain_head;
mod host_port;
mod instruction_check;
mod prefetch;
mod sequencer;
mod shape;
mod state;
mod status;
mod stream_head;
mod sums_head;
mod unit;
mod unit_registers;
mod weight_head;

pub use counters::{Counters, counters};
pub use drain_head::DrainHead;
pub use host_port::HostPort;
pub use instruction_check::InstructionCheck;
pub use prefetch::Prefetch;
pub use sequencer::Sequencer;
pub use shape::{ControlShape, SequencerShape};
pub use state::{Phase, State, Unit};
pub use status::Status;
pub use stream_head::StreamHead;
pub use sums_head::SumsHead;
pub use unit::Control;
pub use unit_registers::UnitRegisters;
pub use weight_head::WeightHead;

/// The number of an error, for a kernel.
fn code(error: heddle_arch::isa::ErrorCode) -> u64 {
    error.number().into()
}

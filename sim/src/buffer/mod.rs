//! State buffer (operands, weights, drained results) and results buffer (column sums).

pub mod partition;
pub mod psums;
pub mod results;
pub mod slots;
pub mod state;

pub use partition::{PartitionModel, PartitionOutputs, PartitionShape};
pub use psums::{
    PsumBufferModel, PsumBufferOutputs, PsumColumnModel, PsumColumnOutputs, PsumInputs, SumSlot,
};
pub use results::{
    ResultColumnModel, ResultColumnOutputs, ResultInputs, ResultSlot, ResultsBufferModel, raised,
};
pub use slots::{DrainWord, Events, HostRequest, OperandSlot, PartitionInputs, WeightSlot};
pub use state::{StateBufferInputs, StateBufferModel, StateBufferOutputs};

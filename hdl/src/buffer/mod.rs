//! The buffers on both sides of the array: state buffer (operands and weights) and results
//! buffer (partial sums).

mod bank_count;
mod banks;
mod event_sum;
mod operand_reader;
mod partition;
mod psums;
mod results;
mod row_offset;
mod state_buffer;
mod waves;
mod word_mux;

/// Cycles from the read of a bank to its word.
pub const READ_CYCLES: usize = 5;

pub use bank_count::BankCount;
pub use banks::Banks;
pub use event_sum::EventSum;
pub use operand_reader::OperandReader;
pub use partition::Partition;
pub use psums::PsumColumn;
pub use results::{ResultColumn, ResultsBuffer};
pub use row_offset::RowOffset;
pub use state_buffer::StateBuffer;
pub use waves::*;
pub use word_mux::WordMux;

//! The buffers on both sides of the array: state buffer (operands and weights) and results
//! buffer (partial sums).

mod results;

pub use results::{ResultColumn, ResultsBuffer};

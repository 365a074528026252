//! Traversal unit: every address stream of the machine, by additions only.
//!
//! Four register arrays of M rows by N columns hold initial value (V), step (X), end (Y) and
//! current offset (Z) of every loop. One row is one variable (prologue, tensor or epilogue),
//! one column one loop, column 0 the innermost. The blocks follow that picture:
//!
//! - [`LoopColumn`]: V, X, Y and Z of one loop for all rows,
//! - [`RowSequence`]: bases and valid bits, which row is active and which comes next,
//! - [`MathUnit`]: all adders and nothing else,
//! - [`Odometer`]: compares with the ends and passes the carry from column to column,
//! - [`Traversal`]: configuration port, handshake and output registers.
//!
//! One set of adders and comparators serves all rows, because only one row is active.

mod column;
mod math;
mod odometer;
mod rows;
mod unit;

pub use column::LoopColumn;
pub use math::MathUnit;
pub use odometer::Odometer;
pub use rows::RowSequence;
pub use unit::Traversal;

//! Traversal unit: addresses of prologue, tensor and epilogue rows, one after another.
//!
//! [`unit_walk`] has the untimed sequence, [`model`] the clocked engine with its ports, as the machine uses
//! it, [`mod@unit`] the instruction words of the stand-alone unit. [`vectors`] holds the worked examples of the specification.

pub mod model;
pub mod unit;
pub mod unit_walk;
pub mod vectors;

pub use model::{ConfigWrite, EngineShape, TraversalInputs, TraversalModel, TraversalOutputs};
pub use unit::{Execution, RowRegisters, Stop, Taken, UnitModel};
pub use unit_walk::{UnitElement, UnitLoop, UnitRow, UnitWalk};

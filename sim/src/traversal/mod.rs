//! Traversal unit: addresses of prologue, tensor and epilogue rows, one after another.
//!
//! [`walk`] has the untimed sequence, [`model`] the clocked unit with its ports, as the machine uses
//! it. [`unit_walk`] has the untimed sequence of the stand-alone unit, [`mod@unit`] its instruction
//! words. [`vectors`] holds the worked examples of the specification.

pub mod model;
pub mod unit;
pub mod unit_walk;
pub mod vectors;
pub mod walk;

pub use model::{ConfigWrite, EngineShape, TraversalInputs, TraversalModel, TraversalOutputs};
pub use unit::{Execution, RowRegisters, Stop, Taken, UnitModel};
pub use unit_walk::{UnitElement, UnitLoop, UnitRow, UnitWalk};
pub use walk::{Element, Row, Walk};

//! Traversal unit: addresses of prologue, tensor and epilogue rows, one after another.
//!
//! [`walk`] has the untimed sequence, [`model`] the clocked unit with its ports, [`vectors`] the
//! worked examples of the specification.

pub mod model;
pub mod vectors;
pub mod walk;

pub use model::{ConfigWrite, Register, TraversalInputs, TraversalModel, TraversalOutputs};
pub use walk::{Element, Row, Walk};

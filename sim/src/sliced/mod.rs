//! Sliced memory: zero bytes are neither written nor read.
//!
//! [`packing`] has the packing rules on words of any length in the specification's byte order,
//! [`reference`](mod@reference) the untimed memory with its slices, [`model`] the clocked memory.

pub mod model;
pub mod packing;
pub mod reference;
pub mod vectors;

pub use model::{Accesses, SlicedInputs, SlicedModel, SlicedOutputs};
pub use reference::SlicedReference;

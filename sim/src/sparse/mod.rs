//! The sparse cluster: what its units add up, and when.

mod sums;

pub use sums::{SumsInputs, SumsModel, SumsOutputs};

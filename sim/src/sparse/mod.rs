//! The sparse cluster: what its units add up ([`reference`]), and when ([`UnitModel`]).

pub mod reference;
mod sums;
mod unit;

pub use sums::{SumsInputs, SumsModel, SumsOutputs};
pub use unit::{UnitInputs, UnitModel, UnitOutputs, Window};

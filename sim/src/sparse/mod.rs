//! The sparse cluster: what its units add up ([`reference`]), and when ([`UnitModel`]); what they are loaded with
//! ([`LoadModel`]).

mod load;
pub mod reference;
mod sums;
mod unit;

pub use load::{Load, LoadModel, LoadOutputs, Slot};
pub use sums::{SumsInputs, SumsModel, SumsOutputs};
pub use unit::{UnitInputs, UnitModel, UnitOutputs, Window};

//! The sparse cluster: what its units add up ([`reference`]), and when ([`UnitModel`]); what they are loaded with
//! ([`LoadModel`]).

mod drain;
mod load;
mod map;
pub mod reference;
mod sums;
mod unit;

pub use drain::{LinkModel, LinkOutputs, Position};
pub use load::{Load, LoadModel, LoadOutputs, Slot};
pub use map::{MapInputs, MapModel, MapOutputs, Part};
pub use sums::{SumsInputs, SumsModel, SumsOutputs};
pub use unit::{Layout, UnitInputs, UnitModel, UnitOutputs, Window};

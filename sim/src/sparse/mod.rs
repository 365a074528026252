//! The sparse cluster: what its units add up ([`reference`]), and when ([`UnitModel`]).

mod drain;
mod map;
pub mod reference;
mod sums;
mod unit;

pub use drain::{LinkModel, LinkOutputs, Position};
pub use map::{Load, MapInputs, MapModel, MapOutputs, Part};
pub use sums::{SumsInputs, SumsModel, SumsOutputs};
pub use unit::{UnitInputs, UnitModel, UnitOutputs, Window};

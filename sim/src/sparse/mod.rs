//! The sparse cluster: what its units add up ([`reference`]), and when ([`UnitModel`]); what they are loaded with
//! ([`LoadModel`]); how a map is cut ([`Cutting`]); how results leave ([`DrainModel`]).

mod cutter;
mod drain;
mod drain_engine;
mod drain_walk;
mod load;
mod map;
pub mod reference;
mod sums;
mod unit;

pub use cutter::{Cell, Cuts, Cutting};
pub use drain::{LinkModel, LinkOutputs, Position};
pub use drain_engine::{DrainInputs, DrainModel, DrainOutputs, DrainSizes, ScaleWord};
pub use drain_walk::{Bounds, DrainWords, Drained};
pub use load::{Load, LoadModel, LoadOutputs, Slot};
pub use map::{MapInputs, MapModel, MapOutputs, Part};
pub use sums::{SumsInputs, SumsModel, SumsOutputs};
pub use unit::{Layout, UnitInputs, UnitModel, UnitOutputs, Window};

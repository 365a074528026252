//! The sparse cluster: what its units add up ([`reference`]), and when ([`UnitModel`]); what they are loaded with
//! ([`LoadModel`]); how a map is cut ([`Cutting`]).

mod cutter;
mod drain;
mod fill;
mod head;
mod load;
mod map;
pub mod reference;
mod slots;
mod sums;
mod unit;

pub use cutter::{Cell, Cuts, Cutting};
pub use drain::{LinkModel, LinkOutputs, Position};
pub use fill::{FillInputs, FillModel, FillOutputs, FillWord};
pub use head::{HeadInputs, HeadModel, HeadOutputs, UnitStatus};
pub use load::{Load, LoadModel, LoadOutputs, Slot};
pub use map::{MapInputs, MapModel, MapOutputs, Part};
pub use slots::{SlotsInputs, SlotsModel, SlotsOutputs};
pub use sums::{SumsInputs, SumsModel, SumsOutputs};
pub use unit::{Layout, UnitInputs, UnitModel, UnitOutputs, Window};

//! The sparse cluster: what its units add up ([`reference`]), and when ([`UnitModel`]); what they are loaded with
//! ([`LoadModel`]); when they compute it ([`OrdersModel`]); how results leave ([`DrainModel`]); all of it with its commands
//! ([`ClusterModel`]); what commands mean ([`SparseInterpreter`]); how a map is cut ([`Cutting`]).

mod cell;
mod census;
mod cluster;
mod cut_engine;
mod cutter;
mod drain;
mod drain_engine;
mod drain_out;
mod drain_walk;
mod fill;
mod head;
mod interpreter;
mod interpreter_unit;
mod load;
mod map;
pub mod memories;
pub mod net;
mod orders;
pub mod reference;
mod slots;
mod sums;
pub mod tile;
mod unit;
mod weights;

pub use cell::{SparseUnitInputs, SparseUnitModel, SparseUnitOutputs};
pub use census::{CensusModel, Counted};
pub use cluster::{ClusterInputs, ClusterModel, ClusterOutputs, Counts};
pub use cut_engine::{CutInputs, CutModel, CutOutputs, CutResult, CutWords, UnitWrite};
pub use cutter::{Cell, Cuts, Cutting};
pub use drain::{LinkModel, LinkOutputs, Position};
pub use drain_engine::{DrainInputs, DrainModel, DrainOutputs, DrainSizes, ScaleWord};
pub use drain_out::OutQueue;
pub use drain_walk::{Bounds, DrainWords, Drained};
pub use fill::{FillInputs, FillModel, FillOutputs};
pub use head::{Given, HeadInputs, HeadModel, HeadOutputs, UnitStatus};
pub use interpreter::{CommandFault, SparseInterpreter};
pub use load::{Load, LoadModel, LoadOutputs, Slot};
pub use map::{Loaded, MapInputs, MapModel, MapOutputs, Part};
pub use orders::{OrdersInputs, OrdersModel, OrdersOutputs};
pub use slots::{SlotsInputs, SlotsModel, SlotsOutputs};
pub use sums::{SumsInputs, SumsModel, SumsOutputs, Waits};
pub use unit::{Layout, UnitInputs, UnitModel, UnitOutputs, Window};
pub use weights::{Fill, FillWord, WeightsModel};

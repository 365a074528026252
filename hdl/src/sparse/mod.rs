//! The sparse cluster: compute units that multiply values that are not zero, and add the products where they belong.

mod cell;
mod cutter;
mod cutter_sums;
mod cutter_walk;
mod drain;
mod load;
mod load_pick;
mod map_memory;
mod map_order;
mod products;
mod shape;
mod sums;
mod taps;
mod unit;
mod units;
mod waves;
mod weights;
mod window;

pub use cell::SparseUnit;
pub use cutter::Cutter;
pub use cutter_sums::CutterSums;
pub use cutter_walk::CutterWalk;
pub use drain::DrainLink;
pub use load::Load;
pub use load_pick::LoadPick;
pub use map_memory::MapMemory;
pub use map_order::MapOrder;
pub use products::UnitProducts;
pub use shape::SparseShape;
pub use sums::UnitSums;
pub use taps::UnitTaps;
pub use unit::DirectUnit;
pub use units::SparseUnits;
pub use waves::*;
pub use weights::UnitWeights;
pub use window::InWindow;

//! The sparse cluster: compute units that multiply values that are not zero, and add the products where they belong.

mod load;
mod load_pick;
mod products;
mod sums;
mod taps;
mod unit;
mod waves;
mod weights;

pub use load::Load;
pub use load_pick::LoadPick;
pub use products::UnitProducts;
pub use sums::UnitSums;
pub use taps::UnitTaps;
pub use unit::DirectUnit;
pub use waves::*;
pub use weights::UnitWeights;

//! The sparse cluster: compute units that multiply values that are not zero, and add the products where they belong.

mod sums;

pub use sums::UnitSums;

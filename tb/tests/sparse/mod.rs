//! The sparse cluster.

mod load;
mod sums;
mod unit;

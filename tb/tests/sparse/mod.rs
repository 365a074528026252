//! The sparse cluster.

mod map;
mod sums;
mod unit;

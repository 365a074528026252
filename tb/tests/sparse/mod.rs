//! The sparse cluster.

mod sums;
mod unit;

//! The sparse cluster.

mod sums;

//! Scaling, gathering, pooling and activation functions against 64-bit arithmetic, with the clocks of docs/machine.md.

mod activating;
mod common;
mod gathering;
mod lanes;
mod pooling;
mod scaling;

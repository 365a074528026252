//! Scaling and gathering against 64-bit arithmetic, with the clocks of docs/machine.md.

mod common;
mod gathering;
mod lanes;
mod scaling;

//! The sliced memory in the simulator of rust-hdl.

mod bench;
mod tables;
mod variants;

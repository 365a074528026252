//! The GEMM core in the simulator of rust-hdl.

mod banks;
mod bench;
mod examples;
mod random;

//! The DMA: emitted Verilog between a model of the bus and a model of the head of the host wave.

mod bench;
pub mod bus;
mod check;
mod directed;
mod faults;
mod traffic;

//! The hardware of Heddle as rust-hdl modules, one folder per module of the machine.
//!
//! Start with `heddle-kernel`: registers, memory, multiplier and the macros that make a struct a
//! module. The crate describes hardware and simulates it; it never prints
//! Verilog (that is `heddle-gen`) and holds no golden model (that is `heddle-sim`).

pub mod array;
pub mod blocks;
pub mod buffer;
pub mod catalog;
pub mod control;
pub mod post;
pub mod sliced;
pub mod sparse;
pub mod system;
pub mod top;
pub mod traversal;

//! The offset unit in the simulator of rust-hdl, against the worked examples of the specification
//! and plain loops.

mod bench;
mod expander;
mod modules;
mod random;
mod traces;
mod writes;

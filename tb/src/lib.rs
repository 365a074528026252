//! Verilator co-simulation: drives verilated designs pin by pin from Rust.
//!
//! Start reading at [`Model`]: a verilated design, loaded from a library that
//! [`heddle_verilate::build_shared`] makes. The C++ side drives pins and knows nothing; stimulus, model
//! and comparison are Rust.

#[cfg(test)]
#[macro_use]
extern crate heddle_proves;

mod api;
pub mod bus;
pub mod dram;
mod error;
pub mod host;
pub mod image;
mod model;
pub mod network;
mod pins;
mod port;
pub mod registers;
pub mod ring;
mod wave;

pub use api::Api;
pub use error::ModelError;
pub use heddle_verilate as verilate;
pub use model::{Beside, Model};
pub use port::PortId;

//! Verilator co-simulation: drives verilated designs pin by pin from Rust.
//!
//! Start reading at [`Model`]: a verilated design, loaded from a library that
//! [`heddle_verilate::build_shared`] makes, or linked in by the build script. The C++ side drives
//! pins and knows nothing; stimulus, model and comparison are Rust. The feature `testing` adds
//! the agreement harness and the linked designs.

#[cfg(feature = "testing")]
pub mod agreement;
mod api;
#[cfg(feature = "testing")]
#[path = "../designs/pins.rs"]
mod design_pins;
#[cfg(feature = "testing")]
#[path = "../designs/mod.rs"]
pub mod designs;
mod error;
pub mod host;
#[cfg(feature = "testing")]
mod linked;
mod model;
pub mod network;
mod port;
mod wave;

pub use api::Api;
pub use error::ModelError;
pub use heddle_verilate as verilate;
#[cfg(feature = "testing")]
pub use linked::{linked_designs, linked_model};
pub use model::Model;
pub use port::PortId;

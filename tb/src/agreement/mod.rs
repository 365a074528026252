//! Agreement of a module with its own Verilog: the same random stimulus through rust-hdl's
//! simulator and through the verilated text, every output compared in every cycle.
//!
//! This checks the emitter, not the module: both sides come from one source. What a module
//! means is checked against the golden models of `heddle-sim`.

mod error;
mod pins;
mod run;
mod stimulus;

pub use error::AgreementError;
pub use pins::{Circuit, InputPins, OutputPins, PinValue};
pub use run::{Agreement, Report};
pub use stimulus::{Sample, Stimulus};

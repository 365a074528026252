//! Agreement of a module with its own Verilog: the same random stimulus through rust-hdl's
//! simulator and through the verilated text, every output compared in every cycle.
//!
//! This checks the emitter, not the module: both sides come from one source. What a module
//! means is checked against the golden models of `heddle-sim`.

mod error;
mod pins;
mod run;
mod stimulus;
mod tests;

use crate::rtl;

pub use error::AgreementError;
pub(crate) use pins::pins;
pub use pins::{Circuit, InputPins, OutputPins, port};
pub use run::Agreement;
pub use stimulus::Stimulus;

/// The test of a block against the model of its Verilog. The name is that of the messages.
#[track_caller]
pub fn agreement<'a, C: Circuit>(name: &str, circuit: C) -> Agreement<'a, C> {
    let model = rtl::model(&circuit);
    Agreement::new(name, circuit, model)
}

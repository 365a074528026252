/// Why an agreement run failed. The message is the whole explanation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AgreementError {
    /// The lists in `pins!` and the Verilog ports differ.
    #[error("{design}: pin {pin} is {circuit} in rust-hdl, {model} in Verilog")]
    Pins {
        /// Name of the design.
        design: String,
        /// Name of the pin.
        pin: String,
        /// Direction and width in the circuit, or `absent`.
        circuit: String,
        /// Direction and width in the model, or `absent`.
        model: String,
    },
    /// An output differs.
    #[error(
        "{design}: seed {seed}, cycle {cycle}: {pin} is {circuit:#x}, verilated has {model:#x} \
         ({phase} the clock edge)\ninputs: {inputs}"
    )]
    Mismatch {
        /// Name of the design.
        design: String,
        /// Seed of the run.
        seed: u64,
        /// Cycle, from 0.
        cycle: u64,
        /// Output with its element.
        pin: String,
        /// Value in rust-hdl.
        circuit: u64,
        /// Value in the verilated model.
        model: u64,
        /// `before` or `after`.
        phase: &'static str,
        /// All inputs of the cycle.
        inputs: String,
    },
    /// rust-hdl found no fixed point.
    #[error("{design}: seed {seed}, cycle {cycle}: rust-hdl does not settle\ninputs: {inputs}")]
    Unsettled {
        /// Name of the design.
        design: String,
        /// Seed of the run.
        seed: u64,
        /// Cycle, from 0.
        cycle: u64,
        /// All inputs of the cycle.
        inputs: String,
    },
    /// The stimulus never reached something it should have.
    #[error("{design}: seed {seed}: never in {cycles} cycles: {events}")]
    Uncovered {
        /// Name of the design.
        design: String,
        /// Seed of the run.
        seed: u64,
        /// Length of the run.
        cycles: u64,
        /// Labels of the missing events.
        events: String,
    },
}

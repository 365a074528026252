//! The emitted state buffer and results buffer against their golden models, every output in
//! every cycle.

mod arbitration;
mod bench;
mod clients;
mod random;
mod results;
mod state;

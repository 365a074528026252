//! The system around the engine: its register port.

mod axil;
mod csr;
mod dma_counters;
mod dma_registers;
mod supervisor;
mod window_port;
mod wishbone;

pub use axil::{AxilInputs, AxilModel, AxilOutputs};
pub use csr::{CsrConstants, CsrDma, CsrInputs, CsrModel, CsrOutputs};
pub use dma_counters::{COUNTERS, CountersInputs, CountersModel};
pub use dma_registers::{DmaRegistersInputs, DmaRegistersModel, DmaRegistersOutputs, Elsewhere};
pub use supervisor::{Cause, CtrlWord, SupervisorInputs, SupervisorModel, SupervisorOutputs};
pub use window_port::{WindowInputs, WindowModel, WindowOutputs};
pub use wishbone::{WishboneInputs, WishboneModel, WishboneOutputs};

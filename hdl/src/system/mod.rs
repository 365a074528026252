//! What stands between the engine and a system on chip, for configurations with a section `system`.

mod axil;
mod csr;
pub mod dma;
mod dma_counters;
mod dma_registers;
mod jobs;
mod machine;
mod supervisor;
mod window_port;
mod wishbone;

pub use axil::Axil;
pub use csr::DmaState;
pub use csr::{Csr, CsrShape};
pub use dma_counters::DmaCounters;
pub use dma_registers::DmaRegisters;
pub use jobs::Jobs;
pub use machine::System;
pub use supervisor::{CtrlWrite, EngineState, FirstError, JobState, Supervisor};
pub use window_port::WindowPort;
pub use wishbone::Wishbone;

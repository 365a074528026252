//! The system around the engine: its register port.

mod axil;
mod csr;
mod dma;
mod dma_counters;
mod dma_registers;
mod engines;
mod errors;
mod jobs;
mod machine;
mod refusals;
mod ring;
mod runs;
mod supervisor;
mod window_port;
mod wishbone;

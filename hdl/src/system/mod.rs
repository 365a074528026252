//! What stands between the engine and a system on chip, for configurations with a section `system`.

mod axil;
mod csr;
pub mod dma;
mod machine;
mod window_port;
mod wishbone;

pub use axil::Axil;
pub use csr::{Csr, CsrShape};
pub use machine::System;
pub use window_port::WindowPort;
pub use wishbone::Wishbone;

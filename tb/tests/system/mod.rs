//! The system around the engine: its register port.

mod axil;
mod csr;
mod machine;
mod window_port;
mod wishbone;

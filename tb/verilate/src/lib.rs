//! Turns Verilog text into a loadable simulation model.
//!
//! Runs Verilator, generates a C++ shim with a table of ports and functions, and compiles both.
//! Used at run time by `heddle-tb` ([`build_shared`]). It knows nothing about the designs it builds:
//! text in, machine code out.
//!
//! Start reading at [`Sources`], then `shared.rs`.

mod blocks;
mod cache;
mod classes;
mod compile;
mod error;
mod group;
mod header;
mod options;
mod runtime;
mod shared;
mod shim;
mod sources;
mod tool;
mod translate;

pub use compile::CxxCompiler;
pub use error::VerilateError;
pub use options::{Options, Trace, XInitial};
pub use shared::{MODEL_SYMBOL, build_shared};
pub use shim::API_VERSION;
pub use sources::{Port, Sources};
pub use tool::Verilator;

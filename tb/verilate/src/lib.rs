//! Turns Verilog text into a loadable or linkable simulation model.
//!
//! Runs Verilator, generates a C++ shim with a table of ports and functions, and compiles both.
//! Used at run time by `heddle-tb` ([`build_shared`]) and by its build script
//! ([`build_objects`]). It knows nothing about the designs it builds: text in, machine code out.
//!
//! Start reading at [`Sources`], then `shared.rs`.

mod blocks;
mod cache;
mod classes;
mod compile;
mod error;
mod header;
mod objects;
mod options;
mod runtime;
mod shared;
mod shim;
mod sources;
mod tool;
mod translate;

pub use compile::CxxCompiler;
pub use error::VerilateError;
pub use objects::{Linkable, build_objects};
pub use options::{Options, Trace, XInitial};
pub use shared::{MODEL_SYMBOL, build_shared};
pub use shim::API_VERSION;
pub use sources::{Port, Sources};
pub use tool::Verilator;

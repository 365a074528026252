//! From parameters to files: elaborates a module of the catalogue and prints it.

use serde::Serialize;

use heddle_arch::Params;

use crate::args::ResetArg;
use crate::failure::Failure;

/// Name of the whole machine.
pub const TOP: &str = "top";

/// A generated design.
#[derive(Debug)]
pub struct Design {
    /// Name of the top module.
    pub top: String,
    /// All modules, leaves first.
    pub modules: Vec<ModuleSummary>,
    /// File names and contents.
    pub files: Vec<(String, String)>,
}

/// What is said about a module.
#[derive(Debug, Serialize)]
pub struct ModuleSummary {
    /// Verilog name.
    pub name: String,
    /// Number of ports.
    pub ports: usize,
    /// Lines of its file.
    pub lines: usize,
    /// Source file and item.
    pub source: String,
}

/// Generates a module with all modules below it.
///
/// # Errors
/// If there is no such module or it cannot be printed.
pub fn generate(
    _params: &Params,
    module: &str,
    _reset: Option<ResetArg>,
) -> Result<Design, Failure> {
    Err(Failure::new(format!("{module}: pending")))
}

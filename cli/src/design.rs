//! From parameters to files: builds a module of the catalogue and prints it.

use std::time::Duration;

use heddle_arch::Params;
use heddle_arch::params::{ResetLevel, ResetStyle, TableMemory};
use heddle_gen::{EmitOptions, Reset, TextStyle};
use heddle_hdl::catalog;
use indicatif::ProgressBar;
use serde::Serialize;

use crate::failure::Failure;

/// Name of the whole machine.
pub const TOP: &str = "top";
/// Name of the whole machine with a register port.
const SYSTEM: &str = "system";

/// A generated design.
pub use heddle_gen::Design;

/// How a design is printed.
#[derive(Debug, Default)]
pub struct Text {
    /// How grids are printed.
    pub style: TextStyle,
    /// Unit and precision of time.
    pub timescale: Option<String>,
    /// In front of the names of modules.
    pub prefix: String,
    /// With contracts.
    pub contracts: bool,
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

/// The module that is the whole machine of a configuration.
pub fn machine(params: &Params) -> &'static str {
    match params.system {
        None => TOP,
        Some(_) => SYSTEM,
    }
}

/// Generates a module with all modules below it.
///
/// # Errors
/// If there is no such module or it cannot be printed.
pub fn generate(params: &Params, module: &str, text: &Text) -> Result<Design, Failure> {
    if !catalog::MODULES.iter().any(|entry| entry.name == module) {
        let list: Vec<String> = catalog::MODULES
            .iter()
            .map(|entry| format!("{} ({})", entry.name, entry.doc))
            .collect();
        let list = list.join(", ");
        return Err(Failure::new(format!(
            "--top is {module:?}, expected one of {list}"
        )));
    }
    let progress = ProgressBar::new_spinner().with_message("printing Verilog");
    progress.enable_steady_tick(Duration::from_millis(100));
    let block = catalog::build(module, params).expect("the module is in the catalogue");
    let result = heddle_gen::emit(block.as_ref(), &options(params, text));
    progress.finish_and_clear();
    result.map_err(|error| Failure::new(format!("cannot print {module}: {error}")))
}

/// What is said about each module.
pub fn summaries(design: &Design) -> Vec<ModuleSummary> {
    let summary = |module: &heddle_gen::Module| ModuleSummary {
        name: module.name.clone(),
        ports: module.ports.len(),
        lines: module.text.lines().count(),
        source: module.source.clone(),
    };
    design.modules.iter().map(summary).collect()
}

fn options(params: &Params, text: &Text) -> EmitOptions {
    EmitOptions {
        configuration: params.name.clone(),
        version: env!("CARGO_PKG_VERSION").to_string(),
        reset: match params.reset.style {
            ResetStyle::Sync => Reset::Sync,
            ResetStyle::Async => Reset::Async,
        },
        reset_level: match params.reset.level {
            ResetLevel::Low => heddle_gen::ResetLevel::Low,
            ResetLevel::High => heddle_gen::ResetLevel::High,
        },
        one_port: params.table_memory == TableMemory::OnePort,
        contracts: text.contracts,
        style: text.style,
        timescale: text.timescale.clone(),
        prefix: text.prefix.clone(),
        ..EmitOptions::default()
    }
}

//! `heddle config`: the schema, a configuration with its derived sizes, its checksum, and checks.

use std::path::PathBuf;

use heddle_arch::identity::config_hash;
use heddle_arch::{Params, params};
use serde_json::json;

use crate::args::{ConfigArgs, ConfigCommand};
use crate::failure::{BAD_INPUT, Failure};
use crate::{input, output, waste};

/// Runs the command.
pub fn run(args: &ConfigArgs) -> Result<(), Failure> {
    match &args.command {
        ConfigCommand::Schema { network: true, .. } => {
            output::print_json(&heddle_network::schema())
        }
        ConfigCommand::Schema { program: true, .. } => {
            output::print_json(&heddle_compiler::program_schema())
        }
        ConfigCommand::Schema { .. } => output::print_json(&params::schema()),
        ConfigCommand::Show { config, json } => show(&input::read_config(config)?, *json),
        ConfigCommand::Hash { config, json } => hash(&input::read_config(config)?, *json),
        ConfigCommand::Check {
            configs,
            model,
            json,
        } => check(configs, model, *json),
    }
}

/// Checks files: those that are good are named on stdout with what is wasted, faults are told as those of any input.
fn check(configs: &[PathBuf], models: &[PathBuf], as_json: bool) -> Result<(), Failure> {
    let mut lines = Vec::new();
    let mut good = Vec::new();
    for path in configs {
        match input::read_config(path) {
            Ok(params) => good.push((path.display(), Some(params))),
            Err(failure) => lines.extend(failure.lines),
        }
    }
    for path in models {
        match input::read_model(path) {
            Ok(_) => good.push((path.display(), None)),
            Err(failure) => lines.extend(failure.lines),
        }
    }
    if as_json {
        let files = good.iter().map(|(path, params)| {
            json!({ "file": path.to_string(), "wasted": params.as_ref().map(waste::json) })
        });
        output::print_json(&json!({ "ok": files.collect::<Vec<_>>(), "errors": lines }))?;
    } else {
        let mut text = String::new();
        for (path, params) in &good {
            text += &format!("{path}: ok\n");
            for wasted in params.iter().flat_map(waste::texts) {
                text += &format!("{path}: wasted: {wasted}\n");
            }
        }
        output::print(&text)?;
    }
    match lines.is_empty() {
        true => Ok(()),
        false => Err(Failure {
            code: BAD_INPUT,
            lines,
        }),
    }
}

fn hash(params: &Params, as_json: bool) -> Result<(), Failure> {
    let text = format!("0x{:08x}", config_hash(params));
    match as_json {
        true => output::print_json(&json!({ "configuration": params.name, "hash": text })),
        false => output::print(&format!("{text}\n")),
    }
}

fn show(params: &Params, as_json: bool) -> Result<(), Failure> {
    let sizes = sizes(params);
    if as_json {
        let derived: serde_json::Map<String, serde_json::Value> = sizes
            .iter()
            .map(|(name, value, _)| (name.replace(' ', "_"), json!(value)))
            .collect();
        return output::print_json(&json!({ "configuration": params, "derived": derived }));
    }
    let mut rows = vec![vec![
        "derived".to_string(),
        "value".to_string(),
        "unit".to_string(),
    ]];
    rows.extend(
        sizes
            .iter()
            .map(|(name, value, unit)| vec![name.to_string(), value.to_string(), unit.to_string()]),
    );
    output::print(&format!("{}\n\n{}", params.to_json(), output::table(&rows)))
}

/// Name, value and unit of the sizes that follow from the fields.
fn sizes(params: &Params) -> Vec<(&'static str, u64, &'static str)> {
    let (rows, cols) = (u64::from(params.array.rows), u64::from(params.array.cols));
    let partition = u64::from(params.partition_bytes());
    let depth = u64::from(params.results_buffer.depth);
    let tiles = u64::from(params.column_tiles);
    let slices = &params.state_buffer.slices;
    let mut sizes = vec![
        ("processing elements", rows * cols, ""),
        ("channels at once", params.lanes().into(), ""),
        (
            "weight words per tile",
            params.weight_words().into(),
            "words",
        ),
        ("bank", params.bank_bytes().into(), "bytes"),
        ("units of a word", slices.units().into(), "units"),
        ("access threshold", slices.threshold().into(), "units"),
        ("partition", partition, "bytes"),
        ("state buffer", partition * rows, "bytes"),
        ("results buffer", depth * 2 * 4 * cols, "bytes"),
        ("column parameters", tiles * (32 + 37) * cols / 8, "bytes"),
        (
            "program memory",
            u64::from(params.program.words) * 4,
            "bytes",
        ),
    ];
    if params.state_buffer.input_banks > 0 {
        let input = params.operand_bytes() - params.work_bytes();
        sizes.push(("input banks of a partition", input.into(), "bytes"));
    }
    if params.program_banks() > 0 {
        let program = partition - u64::from(params.operand_bytes());
        sizes.push(("program banks of a partition", program, "bytes"));
    }
    sizes
}

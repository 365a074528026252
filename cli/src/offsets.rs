//! `heddle offsets`: makes, prints, checks and compares the tables of the offset unit.

mod compare;
mod make;
mod report;

use std::path::Path;

use heddle_arch::offsets::{Tables, request_schema};
use heddle_arch::{ConfigErrors, Params};

use crate::args::OffsetsCommand;
use crate::failure::{CHECK_FAILED, Failure};
use crate::{input, output};

/// Larger than every table file.
const TABLE_BYTES_MAX: u64 = 2 << 20;

/// Runs the command; false when two files differ.
pub fn run(command: &OffsetsCommand) -> Result<bool, Failure> {
    match command {
        OffsetsCommand::Make(args) => make::run(args).map(|()| true),
        OffsetsCommand::Print { file, all, json } => {
            let tables = read(file)?;
            // What cannot be used is not shown as if it could.
            tables.check().map_err(|e| Failure::in_file(file, &e))?;
            if *json {
                output::print_json(&report::json(&tables))?;
            } else {
                output::print(&report::text(&tables, *all))?;
            }
            Ok(true)
        }
        OffsetsCommand::Check {
            file,
            tensor_bytes,
            config,
        } => check(file, *tensor_bytes, config.as_deref()).map(|()| true),
        OffsetsCommand::Compare { first, second } => compare::run(first, second),
        OffsetsCommand::Schema => output::print_json(&request_schema()).map(|()| true),
    }
}

/// Reads a table file; its entries are not checked.
fn read(path: &Path) -> Result<Tables, Failure> {
    let bytes = input::read_bytes(path, "table", TABLE_BYTES_MAX)?;
    Tables::from_bytes(&bytes).map_err(|error| Failure::new(format!("{}: {error}", path.display())))
}

/// Checks the entries of a file. What they fail is all reported.
fn check(file: &Path, tensor_bytes: Option<u64>, config: Option<&Path>) -> Result<(), Failure> {
    let tables = read(file)?;
    let params = config.map(input::read_config).transpose()?;
    let mut lines = Vec::new();
    let mut note = |result: Result<(), ConfigErrors>| {
        if let Err(errors) = result {
            lines.extend(Failure::in_file(file, &errors).lines);
        }
    };
    let sound = tables.check();
    match (&sound, tensor_bytes) {
        (Ok(()), Some(bytes)) => note(tables.check_in(bytes)),
        _ => note(sound),
    }
    if let Some(params) = &params {
        note(check_unit(&tables, params));
    }
    if !lines.is_empty() {
        return Err(Failure {
            code: CHECK_FAILED,
            lines,
        });
    }
    output::print(&format!("{}: ok, {}\n", file.display(), counts(&tables)))
}

/// Whether the unit of a configuration takes the tables; all faults.
fn check_unit(tables: &Tables, params: &Params) -> Result<(), ConfigErrors> {
    let unit = params.offset_unit();
    let results = [
        tables.check_fits(unit.bases, unit.offsets),
        tables.check_built(unit.address_bits, unit.taps, unit.running),
    ];
    let faults: Vec<_> = results
        .into_iter()
        .filter_map(Result::err)
        .flat_map(|errors| errors.0)
        .collect();
    match faults.is_empty() {
        true => Ok(()),
        false => Err(ConfigErrors(faults)),
    }
}

/// Such as `24 bases and 12 offsets`.
fn counts(tables: &Tables) -> String {
    let bases = count(tables.bases.len(), "base");
    let offsets = count(tables.offsets.len(), "offset");
    format!("{bases} and {offsets}")
}

/// Such as `1 base` or `2 bases`.
fn count(number: usize, one: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        _ => format!("{number} {one}s"),
    }
}

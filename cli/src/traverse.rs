//! `heddle traverse`: what the traversal unit makes of a loop nest or of instruction words.

mod record;
mod replay;
mod report;

use std::path::Path;

use heddle_arch::traverse::{Command, Run, UnitShape};
use heddle_blocks::nest::{Nest, NestError, Plan, Refusal};

use crate::args::TraverseArgs;
use crate::failure::{BAD_INPUT, CHECK_FAILED, Failure};
use crate::{input, output};
use replay::{Limits, Replay};

/// Largest file with a nest or instructions.
const TEXT_BYTES_MAX: u64 = 1 << 20;
/// Addresses that are shown without `--all`.
const SHOWN: usize = 64;

/// The unit without a configuration.
const UNIT: UnitShape = UnitShape {
    rows: 8,
    loops: 8,
    offset_bits: 32,
    address_bits: 32,
    equality: true,
    trips: true,
    attach: true,
    group_setup: true,
};

/// Runs the command; false when the unit refused a replayed instruction.
pub fn run(args: &TraverseArgs) -> Result<bool, Failure> {
    let unit = match &args.config {
        Some(config) => UnitShape::of(&input::read_config(config)?),
        None => UNIT,
    };
    let (plan, words) = match source(args)? {
        Source::Nest(text, path) => {
            let plan = compile(&text, path, args.check_unique, &unit)?;
            let command = Command::Traverse {
                run: Run::default(),
                rows: plan.record(),
            };
            (Some(plan), command.encode())
        }
        Source::Record(text, path) => (None, record::read(&text, path)?),
    };
    let limits = Limits {
        shown: if args.all { None } else { Some(SHOWN) },
        // What a nest has follows from its loops.
        counted: plan.is_none(),
    };
    let replay = Replay::of(&words, &unit, limits)?;
    if args.json {
        output::print_json(&report::json(&unit, plan.as_ref(), &words, &replay))?;
    } else {
        output::print(&report::text(&unit, plan.as_ref(), &words, &replay))?;
    }
    Ok(replay.refusal.is_none())
}

/// Text and the file that it is from.
enum Source<'a> {
    Nest(String, Option<&'a Path>),
    Record(String, Option<&'a Path>),
}

fn source(args: &TraverseArgs) -> Result<Source<'_>, Failure> {
    let source = &args.source;
    let read = |path, what| input::read_utf8(path, what, &format!("a {what}"), TEXT_BYTES_MAX);
    if let Some(text) = &source.nest {
        return Ok(Source::Nest(text.clone(), None));
    }
    if let Some(path) = &source.file {
        return Ok(Source::Nest(read(path, "nest")?, Some(path)));
    }
    if let Some(text) = &source.record {
        return Ok(Source::Record(text.clone(), None));
    }
    match &source.record_file {
        Some(path) => Ok(Source::Record(read(path, "record")?, Some(path))),
        None => Err(Failure::new("neither a nest nor a record is given")),
    }
}

fn compile(
    text: &str,
    path: Option<&Path>,
    check_unique: bool,
    unit: &UnitShape,
) -> Result<Plan, Failure> {
    let refused = |error: NestError| match (path, error.place) {
        (Some(path), Some(place)) => Failure::new(format!(
            "{}:{}:{}: {}",
            path.display(),
            place.line,
            place.column,
            error.message
        )),
        (Some(path), None) => Failure::new(format!("{}: {error}", path.display())),
        (None, _) => Failure::new(error),
    };
    let nest = Nest::parse(text).map_err(refused)?;
    let plan = nest.compile(unit).map_err(refused)?;
    if check_unique {
        plan.check_unique().map_err(|error| Failure {
            // A nest that cannot be checked has not failed the check.
            code: match error.refusal {
                Refusal::Duplicate => CHECK_FAILED,
                _ => BAD_INPUT,
            },
            ..refused(error)
        })?;
    }
    Ok(plan)
}

//! `heddle lint`: every installed linter over generated Verilog; any output of one is a failure.

mod checks;
mod sources;
mod tools;

use std::path::Path;

use indicatif::ProgressBar;
use serde::Serialize;

use crate::args::LintArgs;
use crate::design;
use crate::failure::Failure;
use crate::scratch::Scratch;
use crate::{folder, input, output};
use checks::Check;
use sources::Sources;

/// What one linter said.
#[derive(Debug, Serialize)]
struct Verdict {
    tool: &'static str,
    version: String,
    status: Status,
    output: String,
}

/// How a linter ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    Clean,
    Warnings,
    Missing,
}

#[derive(Debug, Serialize)]
struct Report<'a> {
    top: &'a str,
    files: usize,
    clean: bool,
    checks: &'a [Verdict],
}

/// Runs the command; false when a linter warned.
pub fn run(args: &LintArgs) -> Result<bool, Failure> {
    match (&args.source.config, &args.source.folder) {
        (Some(config), _) => {
            let params = input::read_config(config)?;
            let machine = design::machine(&params);
            let design = design::generate(&params, machine, &design::Text::default())?;
            let scratch = Scratch::inside(&std::env::temp_dir()).map_err(|(folder, error)| {
                Failure::new(format!(
                    "{}: no temporary folder: {error}",
                    folder.display()
                ))
            })?;
            let target = scratch.path().join(&params.name);
            folder::write(&target, &design.files())?;
            lint(&target, args)
        }
        (None, Some(folder)) => lint(folder, args),
        (None, None) => Err(Failure::new("neither DIR nor --config is given")),
    }
}

fn lint(folder: &Path, args: &LintArgs) -> Result<bool, Failure> {
    let sources = Sources::read(folder)?;
    let progress = ProgressBar::new_spinner();
    progress.enable_steady_tick(std::time::Duration::from_millis(100));
    let mut verdicts = vec![hashes(&sources)];
    for check in checks::all() {
        progress.set_message(check.tool);
        verdicts.push(verdict(&check, &sources)?);
    }
    progress.finish_and_clear();
    if verdicts[1..].iter().all(|v| v.status == Status::Missing) {
        return Err(Failure::new("no linter is installed, run scripts/setup.sh"));
    }
    let missing: Vec<&str> = verdicts
        .iter()
        .filter(|v| v.status == Status::Missing)
        .map(|v| v.tool)
        .collect();
    if args.all && !missing.is_empty() {
        return Err(Failure::new(format!(
            "not installed: {}, run scripts/setup.sh",
            missing.join(", ")
        )));
    }
    let clean = verdicts.iter().all(|v| v.status != Status::Warnings);
    if args.json {
        output::print_json(&Report {
            top: &sources.tops.join(", "),
            files: sources.files.len(),
            clean,
            checks: &verdicts,
        })?;
    } else {
        output::print(&text(&sources, &verdicts, clean))?;
    }
    Ok(clean)
}

/// Whether the files are those that heddle wrote.
fn hashes(sources: &Sources) -> Verdict {
    let changed = sources.changed.iter();
    let line = |file: &String| {
        format!(
            "{file} differs from its hash in manifest.json: generate it again, or keep it elsewhere\n"
        )
    };
    Verdict {
        tool: "manifest",
        version: "SHA-256".to_string(),
        status: match sources.changed.is_empty() {
            true => Status::Clean,
            false => Status::Warnings,
        },
        output: changed.map(line).collect(),
    }
}

fn verdict(check: &Check, sources: &Sources) -> Result<Verdict, Failure> {
    let Some(tool) = (check.find)() else {
        return Ok(Verdict {
            tool: check.tool,
            version: String::new(),
            status: Status::Missing,
            output: String::new(),
        });
    };
    let (mut clean, mut output) = (true, String::new());
    for top in &sources.tops {
        let (success, said) = tool
            .run(&(check.arguments)(sources, top), &sources.folder)
            .map_err(|error| Failure::new(format!("cannot run {}: {error}", check.tool)))?;
        clean &= success && said.trim().is_empty();
        output += &said;
    }
    Ok(Verdict {
        tool: check.tool,
        version: tool.version(check.version_argument),
        status: if clean {
            Status::Clean
        } else {
            Status::Warnings
        },
        output,
    })
}

fn text(sources: &Sources, verdicts: &[Verdict], clean: bool) -> String {
    let name = |verdict: &Verdict| format!("{} {}", verdict.tool, verdict.version);
    let width = verdicts.iter().map(|v| name(v).len()).max().unwrap_or(0);
    let mut text = String::new();
    for verdict in verdicts {
        let status = match verdict.status {
            Status::Clean => "clean",
            Status::Warnings => "WARNINGS",
            Status::Missing => "missing, see scripts/setup.sh",
        };
        text += &format!("{:<width$}  {status}\n", name(verdict));
        for line in verdict.output.lines().filter(|line| !line.is_empty()) {
            text += &format!("    {line}\n");
        }
    }
    let result = if clean { "clean" } else { "not clean" };
    text + &format!(
        "{}: {result} ({} files)\n",
        sources.tops.join(", "),
        sources.files.len()
    )
}

//! `heddle gen`: the Verilog of a configuration as a folder.

use serde::Serialize;

use crate::args::GenArgs;
use crate::design::{self, Design, ModuleSummary};
use crate::failure::Failure;
use crate::{folder, input, output};

#[derive(Debug, Serialize)]
struct Report<'a> {
    configuration: &'a str,
    top: &'a str,
    output: String,
    modules: &'a [ModuleSummary],
    files: Vec<&'a str>,
}

/// Runs the command.
pub fn run(args: &GenArgs) -> Result<(), Failure> {
    let mut params = input::read_config(&args.config)?;
    if let Some(style) = args.reset {
        params.reset.style = style.into();
    }
    folder::check(&args.output)?;
    let timescale = args.timescale.as_deref();
    let design = design::generate(&params, &args.top, args.style.into(), timescale)?;
    folder::write(&args.output, &design.files)?;
    if args.json {
        return output::print_json(&Report {
            configuration: &params.name,
            top: &design.top,
            output: args.output.display().to_string(),
            modules: &design.modules,
            files: design.files.iter().map(|(name, _)| name.as_str()).collect(),
        });
    }
    output::print(&text(&design, &args.output.display().to_string()))
}

fn text(design: &Design, folder: &str) -> String {
    let mut rows = vec![["module", "ports", "lines"].map(String::from).to_vec()];
    for module in &design.modules {
        rows.push(vec![
            module.name.clone(),
            module.ports.to_string(),
            module.lines.to_string(),
        ]);
    }
    let files = design.files.len();
    output::table(&rows)
        + &format!(
            "wrote {files} files to {folder}, top module {}\n",
            design.top
        )
}

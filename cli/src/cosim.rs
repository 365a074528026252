//! `heddle cosim`: a network on the verilated machine, held against the golden models.

mod report;

use std::path::Path;
use std::time::Duration;

use heddle_arch::params::ResetLevel;
use heddle_arch::{Network, Params};
use heddle_compiler::Program;
use heddle_gen::TextStyle;
use heddle_tb::Model;
use heddle_tb::host::Host;
use heddle_tb::network::{Bench, Image, RunError};
use heddle_tb::verilate::{self, Sources, Trace};
use indicatif::{ProgressBar, ProgressStyle};

use crate::args::CosimArgs;
use crate::design;
use crate::failure::{BAD_INPUT, CHECK_FAILED, Failure};
use crate::{input, output};

/// Runs the command; false when a value or a counter differs from the golden models.
pub fn run(args: &CosimArgs) -> Result<bool, Failure> {
    let mut params = input::read_config(&args.config)?;
    let network = input::read_model(&args.model)?;
    let images = input::images(args.images, &network, &args.model)?;
    let trace = trace(args.trace.as_deref())?;
    let program = heddle_compiler::compile_with(&network, &params, args.mapping.into())
        .map_err(Failure::new)?;
    // The driver of the test bench knows the active-low reset.
    params.reset.level = ResetLevel::Low;

    let mut model = verilated(&params, args.style.into(), trace)?;
    if let Some(path) = &args.trace {
        model.trace_open(path).map_err(Failure::new)?;
    }
    let host = Host::new(model, params.array.rows).map_err(Failure::new)?;
    let mut bench = Bench::new(host, &params, &network, &program).map_err(stopped)?;
    let result = run_images(&mut bench, &network, images);
    if args.trace.is_some() {
        bench.host().model().trace_close();
    }
    result?;
    print(&bench, &params, &program, args.json)?;
    Ok(bench.report().is_exact())
}

/// The format of a wave file, by the end of its name; its folder must exist.
fn trace(path: Option<&Path>) -> Result<Trace, Failure> {
    let Some(path) = path else {
        return Ok(Trace::None);
    };
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        return Err(Failure::new(format!(
            "--trace is {}, but {} is not a folder",
            path.display(),
            folder.display()
        )));
    }
    match path.extension().and_then(|end| end.to_str()) {
        Some("vcd") => Ok(Trace::Vcd),
        Some("fst") => Ok(Trace::Fst),
        _ => Err(Failure::new(format!(
            "--trace is {}, expected a name that ends in .vcd or .fst",
            path.display()
        ))),
    }
}

/// Generates the machine and builds its model, or takes the model from the cache.
fn verilated(params: &Params, style: TextStyle, trace: Trace) -> Result<Model, Failure> {
    let design = design::generate(params, design::TOP, style)?;
    let verilog = |(name, _): &(String, String)| name.ends_with(".v");
    let sources = Sources {
        top: design.top,
        files: design.files.into_iter().filter(verilog).collect(),
        ports: Vec::new(),
    };
    let options = verilate::Options {
        trace,
        ..verilate::Options::default()
    };
    let progress = ProgressBar::new_spinner().with_message("building the model of the Verilog");
    progress.enable_steady_tick(Duration::from_millis(100));
    let library = verilate::build_shared(&sources, &options);
    progress.finish_and_clear();
    let library = library.map_err(|error| Failure {
        code: u8::try_from(error.exit_code()).unwrap_or(BAD_INPUT),
        lines: vec![error.to_string()],
    })?;
    Model::load(&library).map_err(Failure::new)
}

fn run_images(bench: &mut Bench, network: &Network, images: usize) -> Result<(), Failure> {
    let progress = ProgressBar::new(images as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} image {pos} of {len}, {eta} left") {
        progress.set_style(style);
    }
    progress.enable_steady_tick(Duration::from_millis(200));
    let labels = network.labels.iter().map(|label| Some(*label as usize));
    let images: Vec<Image> = (network.images.iter().map(Vec::as_slice))
        .zip(labels)
        .take(images)
        .collect();
    let result = bench.run_images(&images, || progress.inc(1));
    progress.finish_and_clear();
    result.map_err(stopped)
}

/// The machine or its prediction did not come to an end: the check ran and failed.
fn stopped(error: RunError) -> Failure {
    Failure {
        code: CHECK_FAILED,
        lines: vec![error.to_string()],
    }
}

fn print(bench: &Bench, params: &Params, program: &Program, as_json: bool) -> Result<(), Failure> {
    let (found, seconds) = (bench.report(), bench.simulation_time().as_secs_f64());
    if as_json {
        output::print_json(&report::json(found, program, seconds))
    } else {
        output::print(&report::text(found, params, program, seconds))
    }
}

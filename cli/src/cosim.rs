//! `heddle cosim`: a network on the verilated machine, held against the golden models.

mod image;
mod model;
pub mod report;

use std::borrow::Cow;
use std::path::Path;
use std::time::Duration;

use heddle_arch::Params;
use heddle_compiler::{FileError, Options, Program, Rows, compile};
use heddle_network::Network;
use heddle_tb::host::Host;
use heddle_tb::network::{Bench, Image, RunError};
use heddle_tb::verilate::Trace;
use indicatif::{ProgressBar, ProgressStyle};

use crate::args::{CosimArgs, NetworkArgs};
use crate::failure::{CHECK_FAILED, Failure};
use crate::file_form::FileForm;
use crate::outputs::{self, Outputs};
use crate::{input, output, states, zeros};

/// Larger than every program file.
const PROGRAM_BYTES_MAX: u64 = 256 << 20;

/// What a run needs.
pub struct Prepared {
    pub params: Params,
    /// That of the model, or the same with layers in pieces.
    pub network: Network,
    /// How the file of the network has its tensors.
    pub form: FileForm,
    pub program: Program,
    /// What became of the layers of the model.
    pub rows: Rows,
}

/// Reads what a run needs, and compiles the network if no program is given.
pub fn prepared(args: &NetworkArgs) -> Result<Prepared, Failure> {
    outputs::check(args)?;
    let params = input::read_config(&args.config)?;
    let (original, form) = input::read_network(args.model(), args.inputs.as_deref())?;
    states::check(args, &original)?;
    let (network, program) = match &args.program {
        Some(path) => read_program(path, &original, &params)?,
        None => {
            let options = Options {
                zeros: zeros::read(&args.making.engines, &original)?,
                ..(&args.making).into()
            };
            let compiled = compile(&original, &params, &options).map_err(Failure::new)?;
            (compiled.network, compiled.program)
        }
    };
    let rows = program.rows([&original, &network], &form.exact, &params);
    let form = form.of_pieces(&original, &network);
    let mut network = network.into_owned();
    states::read(args, &mut network, &form)?;
    Ok(Prepared {
        params,
        network,
        form,
        program,
        rows,
    })
}

/// A program file, and the network that it is of: that of the model, or its layers in pieces.
fn read_program<'n>(
    path: &Path,
    network: &'n Network,
    params: &Params,
) -> Result<(Cow<'n, Network>, Program), Failure> {
    let text = input::read_text(path, "program", PROGRAM_BYTES_MAX)?;
    let shown = path.display();
    let program = Program::from_json(&text, params).map_err(|error| match error {
        FileError::Form { line, message } => Failure::new(format!("{shown}:{line}: {message}")),
        error => Failure::new(format!("{shown}: {error}")),
    })?;
    let network = program.network_of(network).and_then(|network| {
        program.check_network(&network)?;
        Ok(network)
    });
    let network = network.map_err(|message| Failure::new(format!("{shown}: {message}")))?;
    Ok((network, program))
}

/// The images to run and their labels.
pub fn images_of<'a>(args: &NetworkArgs, network: &'a Network) -> Result<Vec<Image<'a>>, Failure> {
    let images = input::images(args.images, network, args.model())?;
    let label = |image: usize| network.labels.get(image).map(|label| *label as usize);
    let all = network.images.iter().map(Vec::as_slice);
    let all = all
        .enumerate()
        .map(|(number, image)| (image, label(number)));
    Ok(all.take(images).collect())
}

/// Runs the command; false when a value or a counter differs from the golden models.
pub fn run(args: &CosimArgs) -> Result<bool, Failure> {
    if let Some(path) = &args.image.image {
        return image::run(path, args);
    }
    let prepared = prepared(&args.network)?;
    let Prepared {
        params,
        network,
        form,
        program,
        ..
    } = &prepared;
    let images = images_of(&args.network, network)?;
    let mut outputs = Outputs::new(&args.network, network, program);
    let trace = trace(args.trace.as_deref())?;
    let mut model = model::verilated(params, args.style.into(), trace)?;
    if let Some(path) = &args.trace {
        model.trace_open(path).map_err(Failure::new)?;
    }
    let host = Host::new(model, params).map_err(Failure::new)?;
    let mut bench = Bench::new(host, params, network, program).map_err(stopped)?;
    let result = run_images(&mut bench, &images, &mut outputs);
    if let Some(path) = &args.trace {
        let model = bench.host().model();
        model.trace_finish(path).map_err(Failure::new)?;
    }
    result?;
    outputs.write(form)?;
    print(&bench, &prepared, args.json)?;
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

fn run_images(bench: &mut Bench, images: &[Image], outputs: &mut Outputs) -> Result<(), Failure> {
    let progress = progress(images.len());
    let result = bench.run_images(images, |runs| {
        outputs.add(runs);
        progress.inc(1);
    });
    progress.finish_and_clear();
    result.map_err(stopped)
}

fn progress(images: usize) -> ProgressBar {
    let progress = ProgressBar::new(images as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} image {pos} of {len}, {eta} left") {
        progress.set_style(style);
    }
    progress.enable_steady_tick(Duration::from_millis(200));
    progress
}

/// The machine or its prediction did not come to an end: the check ran and failed.
pub fn stopped(error: RunError) -> Failure {
    Failure {
        code: CHECK_FAILED,
        lines: vec![error.to_string()],
    }
}

fn print(bench: &Bench, prepared: &Prepared, as_json: bool) -> Result<(), Failure> {
    let (found, seconds) = (bench.report(), bench.simulation_time().as_secs_f64());
    match as_json {
        true => output::print_json(&report::json(found, prepared, seconds)),
        false => output::print(&report::text(found, prepared, seconds, &report::VERILOG)),
    }
}

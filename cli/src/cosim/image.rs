//! `heddle cosim --image`: the jobs of an image on the verilated machine, held against the golden one.

use std::path::Path;

use heddle_arch::Params;
use heddle_tb::host::Host;
use heddle_tb::image::{ImageBench, ImageError, ImageReport};
use serde_json::{Value, json};

use super::{model, progress, trace};
use crate::args::CosimArgs;
use crate::failure::{CHECK_FAILED, Failure};
use crate::image::{Prepared, prepared, write_outputs};
use crate::output;

/// Runs the inferences of a file of inputs; false when an output or a counter differs from the golden machine.
pub fn run(path: &Path, args: &CosimArgs) -> Result<bool, Failure> {
    let Prepared {
        params,
        file,
        golden,
        images,
    } = prepared(path, &args.network)?;
    let trace = trace(args.trace.as_deref())?;
    let mut model = model::verilated(&params, args.style.into(), trace)?;
    if let Some(path) = &args.trace {
        model.trace_open(path).map_err(Failure::new)?;
    }
    let host = Host::new(model, &params).map_err(Failure::new)?;
    let stopped = |error: ImageError| Failure {
        code: CHECK_FAILED,
        ..Failure::new(format!("{}: {error}", path.display()))
    };
    let mut bench = ImageBench::new(host, golden, &params, &file).map_err(stopped)?;
    let made = run_images(&mut bench, &images);
    if let Some(path) = &args.trace {
        let model = bench.host().model();
        model.trace_finish(path).map_err(Failure::new)?;
    }
    let made = made.map_err(stopped)?;
    let outputs: Vec<_> = bench.outputs().collect();
    write_outputs(&args.network, &outputs, &made)?;
    let (found, seconds) = (bench.report(), bench.simulation_time().as_secs_f64());
    match args.json {
        true => output::print_json(&json(path, found, seconds))?,
        false => output::print(&text(path, &params, found, seconds))?,
    }
    Ok(found.is_exact())
}

/// What the Verilog makes of each inference: bytes of all outputs.
fn run_images(
    bench: &mut ImageBench,
    images: &[Vec<Vec<u8>>],
) -> Result<Vec<Vec<Vec<u8>>>, ImageError> {
    let progress = progress(images.len());
    let mut made = Vec::new();
    let at_once = bench.at_once().min(images.len()).max(1);
    for images in images.chunks(at_once) {
        made.extend(bench.run(images)?);
        progress.inc(images.len() as u64);
    }
    progress.finish_and_clear();
    Ok(made)
}

fn rate(found: &ImageReport, seconds: f64) -> f64 {
    found.simulated_cycles as f64 / seconds.max(1e-9)
}

fn json(path: &Path, found: &ImageReport, seconds: f64) -> Value {
    json!({
        "image": path.display().to_string(),
        "exact": found.is_exact(),
        "simulation": {
            "cycles": found.simulated_cycles,
            "seconds": seconds,
            "cycles_per_second": rate(found, seconds),
        },
        "report": found,
    })
}

/// Tables of the runs and of the outputs, the differences, and a verdict.
fn text(path: &Path, params: &Params, found: &ImageReport, seconds: f64) -> String {
    let mut text = format!(
        "{} on {} ({} x {} processing elements)\n\n{}",
        path.display(),
        params.name,
        params.array.rows,
        params.array.cols,
        tables(found)
    );
    for run in found.runs.iter().chain(&found.in_all) {
        if let Some((image, name, got, want)) = run.wrong_counters.first() {
            text += &format!(
                "run at word {}: image {image}, {name}: Verilog {got}, golden machine {want}\n",
                run.start
            );
        }
    }
    if let Some(all) = found.in_all.iter().find(|_| found.loading) {
        let [verilog, golden] = [all.counted_cycles, all.cycles];
        text += &format!("{verilog} cycles on the Verilog, {golden} on the golden machine\n");
    }
    for output in &found.outputs {
        if let Some((image, at, got, want)) = output.first {
            text += &format!(
                "{}: image {image}, byte {at}: Verilog {got}, golden machine {want}\n",
                output.name
            );
        }
    }
    let verdict = match found.is_exact() {
        true if found.loading => {
            "exact: all outputs are those of the golden machine, and all counters but cycles and stalls, which depend on the memory"
        }
        true => "exact: all outputs and counters are those of the golden machine",
        false => "DIFFERENT from the golden machine",
    };
    // The first one has nothing before it.
    if let Some(clocks) = found.stream_cycles.iter().skip(1).max() {
        text +=
            &format!("\n{clocks} clocks from the end of an image to that of the next at most\n");
    }
    text + &format!(
        "\n{} images\n{} clocks simulated at {:.0} thousand clocks/s\n{verdict}\n",
        found.images,
        found.simulated_cycles,
        rate(found, seconds) / 1e3,
    )
}

fn tables(found: &ImageReport) -> String {
    let wrong = |count: usize| match count {
        0 => "ok".to_string(),
        wrong => format!("{wrong} wrong"),
    };
    let row = |cells: [&str; 3]| cells.map(str::to_string).to_vec();
    let mut runs = vec![row(["run at word", "cycles", "counters"])];
    runs.extend(found.runs.iter().map(|run| {
        let counters = match run.counters {
            0 => "-".to_string(),
            _ => wrong(run.wrong_counters.len()),
        };
        row([&run.start.to_string(), &run.cycles.to_string(), &counters])
    }));
    runs.extend(found.in_all.iter().map(|all| {
        let counters = wrong(all.wrong_counters.len());
        row(["all", &all.cycles.to_string(), &counters])
    }));
    let mut outputs = vec![row(["output", "bytes", "values"])];
    outputs.extend(found.outputs.iter().map(|output| {
        let bytes = output.bytes.to_string();
        row([&output.name, &bytes, &wrong(output.wrong)])
    }));
    format!("{}\n{}", output::table(&runs), output::table(&outputs))
}

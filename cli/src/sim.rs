//! `heddle sim`: a network on the golden machine, held against the golden network.

use heddle_tb::network::{NetworkReport, simulate};
use indicatif::ProgressBar;

use crate::args::SimArgs;
use crate::cosim::{Prepared, images_of, prepared, report, stopped};
use crate::failure::Failure;
use crate::outputs::Outputs;
use crate::{image, output};

/// Runs the command; false when a value or the number of cycles differs from what was expected.
pub fn run(args: &SimArgs) -> Result<bool, Failure> {
    if let Some(image) = &args.image.image {
        return image::simulate(image, args).map(|()| true);
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
    let progress = ProgressBar::new(images.len() as u64);
    let started = std::time::Instant::now();
    let found = simulate(params, network, program, &images, |runs| {
        outputs.add(runs);
        progress.inc(1);
    });
    let seconds = started.elapsed().as_secs_f64();
    progress.finish_and_clear();
    let found: NetworkReport = found.map_err(stopped)?;
    outputs.write(form)?;
    match args.json {
        true => output::print_json(&report::json(&found, &prepared, seconds))?,
        false => output::print(&report::text(
            &found,
            &prepared,
            seconds,
            &report::GOLDEN_MACHINE,
        ))?,
    }
    Ok(found.is_exact())
}

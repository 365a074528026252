//! `heddle import`: from a .tflite or .onnx file to a network file, and what becomes of each operator.

mod check;
mod report;

use std::collections::BTreeMap;
use std::path::Path;

use heddle_compiler::{Exactness, compile};
use heddle_import::{Exact, FileInput, Import, Options, import_with, is_tflite, page};
use heddle_network::Network;
use heddle_network::file::{LayerFile, NetworkFile};
use report::Layers;

use crate::args::ImportArgs;
use crate::failure::Failure;
use crate::file_form::{FileForm, InputForm};
use crate::sidecar::{Sidecars, write_network};
use crate::{input, output, replace};

/// Runs the command; false when operators are listed and not all of them can run, or tensors are not
/// what is said of them.
pub fn run(args: &ImportArgs) -> Result<bool, Failure> {
    let Some(path) = &args.model else {
        return output::print(&page()).map(|()| true);
    };
    if let Some(target) = &args.output {
        replace::check(target, replace::NETWORK)?;
    }
    let options = Options {
        name: args.name.clone().unwrap_or_else(|| name_of(path)),
        until: args.until.clone(),
        inexact: args.inexact.iter().map(|&kind| kind.into()).collect(),
    };
    let bytes = input::read_bytes(path, "network", input::MODEL_BYTES_MAX)?;
    let mut found = imported(path, &bytes, &options)?;
    let reasons = found.reasons();
    let mut checked = None;
    if args.output.is_some() || args.check {
        if !reasons.is_empty() {
            return Err(refused(path, &reasons));
        }
        let form = form(&bytes, &found);
        let images = images(args, path, &form, &found)?;
        if args.check {
            checked = Some(check::check(path, &found, &form, images.clone())?);
        }
        if let Some(target) = &args.output {
            write(target, path, images, found.network.as_mut())?;
        }
    }
    let layers = layers(args, path, &bytes, &found)?;
    let as_reported = checked.as_ref().is_none_or(check::Checked::is_as_reported);
    if args.json {
        let mut summary = report::json(&found, &layers);
        if let Some(checked) = checked {
            summary["check"] = checked.json();
        }
        output::print_json(&summary)?;
    } else {
        let checked = checked.map_or(String::new(), |checked| checked.text());
        output::print(&(report::text(&found, &layers) + &checked))?;
    }
    Ok(reasons.is_empty() && as_reported)
}

/// What the layers need; on a machine that is given, what they are there.
fn layers(args: &ImportArgs, path: &Path, bytes: &[u8], found: &Import) -> Result<Layers, Failure> {
    let params = args.config.as_deref().map(input::read_config);
    let params = params.transpose()?;
    let network = found.network.clone().filter(|_| found.reasons().is_empty());
    let Some(network) = network else {
        return Ok(Layers::Needs(BTreeMap::new()));
    };
    let network = checked(path, network)?;
    let Some(params) = params else {
        return Ok(Layers::Needs(report::needs_of(found, &network)));
    };
    let compiled = compile(&network, &params, &Default::default()).map_err(Failure::new)?;
    let networks = [&network, &*compiled.network];
    let known = form(bytes, found).exact;
    Ok(Layers::Rows(
        compiled.program.rows(networks, &known, &params),
    ))
}

/// The network of a .tflite or .onnx file, all of which must be exact, and how the file has its tensors.
pub fn network(path: &Path, bytes: &[u8]) -> Result<(Network, FileForm), Failure> {
    let options = Options {
        name: name_of(path),
        ..Options::default()
    };
    let found = imported(path, bytes, &options)?;
    let reasons = found.reasons();
    let form = form(bytes, &found);
    match found.network {
        Some(network) if reasons.is_empty() => {
            checked(path, network).map(|network| (network, form))
        }
        _ => Err(refused(path, &reasons)),
    }
}

fn imported(path: &Path, bytes: &[u8], options: &Options) -> Result<Import, Failure> {
    let mut sidecars = Sidecars::of(path);
    let found = import_with(bytes, options, &mut |name| sidecars.bytes(name));
    found.map_err(|error| {
        // The first line says what is wrong, the others are the way out.
        let text = format!("{}: {error}", path.display());
        let mut failure = Failure::new("");
        failure.lines = text.lines().map(str::to_string).collect();
        failure
    })
}

/// How the file has the tensors of the network.
fn form(bytes: &[u8], found: &Import) -> FileForm {
    let network = found.network.as_ref();
    // What is a part of an operator has no name in the file.
    let name = |layer: &LayerFile| {
        let row = found.row(&layer.name);
        row.map_or(String::new(), |row| row.tensor.clone())
    };
    let layers = network.into_iter().flat_map(|network| &network.layers);
    let inputs = found.inputs.iter().map(|input| input.name.clone());
    FileForm {
        interleaved: is_tflite(bytes),
        unsigned: found.unsigned,
        batches: found.batch > 1,
        inputs: input_forms(found, is_tflite(bytes)),
        outputs: found.outputs.clone(),
        names: inputs.chain(layers.map(name)).collect(),
        exact: (found.rows.iter())
            .filter_map(|row| Some((row.layer.clone()?, exactness(row.exact))))
            .collect(),
    }
}

fn exactness(exact: Exact) -> Exactness {
    match exact {
        Exact::Yes => Exactness::SameArithmetic,
        Exact::Compared(found) if exact.is_exact() => Exactness::Compared(found.cases),
        Exact::Compared(found) => Exactness::Differs(found.text()),
        Exact::Rounded => Exactness::Differs("at most 1 away, in float32".to_string()),
    }
}

fn input_forms(found: &Import, is_tflite: bool) -> Vec<InputForm> {
    let scales = found.network.iter().flat_map(|network| {
        let further = network.further_inputs.iter();
        std::iter::once(network.input.scale).chain(further.map(|further| further.input.scale))
    });
    let form = |(input, scale): (&FileInput, f64)| {
        let sizes = match &input.shape[..] {
            [1, sizes @ ..] => sizes,
            sizes => sizes,
        };
        InputForm {
            shape: sizes.iter().map(|&size| size as usize).collect(),
            unsigned: input.unsigned,
            scale,
            float: input.float,
            to_even: input.float && !is_tflite,
        }
    };
    found.inputs.iter().zip(scales).map(form).collect()
}

fn checked(path: &Path, network: NetworkFile) -> Result<Network, Failure> {
    Network::from_file(network).map_err(|errors| Failure::in_file(path, &errors))
}

/// All reasons, and where to read what can run.
fn refused(path: &Path, reasons: &[String]) -> Failure {
    let path = path.display();
    let lines = reasons.iter().map(|reason| format!("{path}: {reason}"));
    let hint = "what can run: heddle import --operators".to_string();
    let mut failure = Failure::new(hint);
    failure.lines = lines.chain(failure.lines).collect();
    failure
}

/// The name of the file without what follows the last point.
fn name_of(path: &Path) -> String {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    name.chars().take(64).collect()
}

/// The images of `--inputs`.
fn images(
    args: &ImportArgs,
    path: &Path,
    form: &FileForm,
    found: &Import,
) -> Result<Option<Vec<Vec<i8>>>, Failure> {
    let (Some(inputs), Some(network)) = (&args.inputs, &found.network) else {
        return Ok(None);
    };
    let network = checked(path, network.clone())?;
    input::read_images(inputs, &network, form).map(Some)
}

/// Writes the network file, once it is found to be right.
fn write(
    target: &Path,
    path: &Path,
    images: Option<Vec<Vec<i8>>>,
    network: Option<&mut NetworkFile>,
) -> Result<(), Failure> {
    let network = network.expect("nothing speaks against it");
    if let Some(images) = images {
        network.test.images = images.into_iter().map(Into::into).collect();
    }
    let checked = checked(path, network.clone())?;
    write_network(target, network, &checked)
}

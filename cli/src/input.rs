//! Reading of the user's files.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use heddle_arch::Params;
use heddle_import::{is_onnx, is_tflite};
use heddle_network::INPUT_NAME;
use heddle_network::Network;
use serde::Deserialize;

use crate::failure::Failure;
use crate::file_form::FileForm;
use crate::sidecar::Sidecars;
use crate::{import, npy, npz};

/// Largest configuration.
const CONFIG_BYTES_MAX: u64 = 1 << 20;
/// Largest file of images.
pub const IMAGES_BYTES_MAX: u64 = 256 << 20;
/// Largest network file.
pub const MODEL_BYTES_MAX: u64 = 64 << 20;
/// What may stand before UTF-8 text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Reads and checks a configuration.
pub fn read_config(path: &Path) -> Result<Params, Failure> {
    let text = read_text(path, "configuration", CONFIG_BYTES_MAX)?;
    Params::from_json(&text).map_err(|errors| Failure::in_file(path, &errors))
}

/// Reads and checks a network, in JSON or of a .tflite or .onnx file.
pub fn read_model(path: &Path) -> Result<Network, Failure> {
    read_either(path).map(|(network, _)| network)
}

/// A network, and how its file has its tensors.
pub fn read_either(path: &Path) -> Result<(Network, FileForm), Failure> {
    let bytes = read_bytes(path, "network", MODEL_BYTES_MAX)?;
    if is_tflite(&bytes) || is_onnx(&bytes) {
        return import::network(path, &bytes);
    }
    let text = decoded(path, bytes, "JSON, or a .tflite or .onnx file")?;
    let mut sidecars = Sidecars::of(path);
    let network = Network::from_json_with(&text, &mut |stored| sidecars.read(stored));
    let network = network.map_err(|errors| Failure::in_file(path, &errors))?;
    let scaled: Scaled = serde_json::from_str(&text)
        .map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
    let inputs = std::iter::once(scaled.input).chain(scaled.further_inputs);
    let scales = inputs.map(|input| input.scale).collect();
    let form = FileForm::of_network(&network, scales);
    Ok((network, form))
}

/// The scales in a network file, which no machine needs.
#[derive(Deserialize)]
struct Scaled {
    input: ScaledInput,
    #[serde(default)]
    further_inputs: Vec<ScaledInput>,
}

#[derive(Deserialize)]
struct ScaledInput {
    scale: f64,
}

/// As [`read_model`], with images in place of those of the network, and how the file has its tensors.
pub fn read_network(path: &Path, inputs: Option<&Path>) -> Result<(Network, FileForm), Failure> {
    let (mut network, form) = read_either(path)?;
    if let Some(inputs) = inputs {
        network.images = read_images(inputs, &network, &form)?;
        network.labels.clear();
    }
    Ok((network, form))
}

/// Images for a network, of a .npy or .npz file.
pub fn read_images(
    path: &Path,
    network: &Network,
    form: &FileForm,
) -> Result<Vec<Vec<i8>>, Failure> {
    let file = read_bytes(path, "data", IMAGES_BYTES_MAX)?;
    let images = match npz::is_npz(&file) {
        true => images_of_archive(&file, network, form),
        false => images_of_array(&file, network, form),
    };
    images.map_err(|message| Failure::new(format!("{}: {message}", path.display())))
}

/// The images of a .npy file, for the only input.
fn images_of_array(
    file: &[u8],
    network: &Network,
    form: &FileForm,
) -> Result<Vec<Vec<i8>>, String> {
    let array = npy::read(file)?;
    match form.own_inputs(network) {
        (places, inputs) if inputs.len() == 1 => form.images(&array, network, places[0]),
        (_, inputs) => Err(format!(
            "is one array, expected a .npz file with one for each input: {}",
            quoted(&inputs)
        )),
    }
}

/// The images of a .npz file: what its arrays have for each input, one after another.
fn images_of_archive(
    file: &[u8],
    network: &Network,
    form: &FileForm,
) -> Result<Vec<Vec<i8>>, String> {
    let arrays = npz::names(file)?;
    let (places, inputs) = form.own_inputs(network);
    let mut images: Vec<Vec<i8>> = Vec::new();
    for (number, &place) in places.iter().enumerate() {
        let name = array_of_input(&arrays, &inputs, number)?;
        let array = npz::read(file, name, IMAGES_BYTES_MAX)?;
        let parts = form.images(&array, network, place);
        let parts = parts.map_err(|message| format!("array {name:?} {message}"))?;
        match number {
            0 => images = parts,
            _ if parts.len() == images.len() => {
                let pairs = images.iter_mut().zip(parts);
                pairs.for_each(|(image, part)| image.extend(part));
            }
            _ => {
                return Err(format!(
                    "array {name:?} holds {} images, expected {} as array {:?} does",
                    parts.len(),
                    images.len(),
                    inputs[0]
                ));
            }
        }
    }
    Ok(images)
}

/// The array that is named like an input; for the only input the only array may have any name.
pub fn array_of_input<'a>(
    arrays: &'a [String],
    inputs: &[&str],
    number: usize,
) -> Result<&'a str, String> {
    let named = |wanted: &str| arrays.iter().find(|name| *name == wanted);
    let array = named(inputs[number]).or_else(|| match (inputs, arrays) {
        ([_], [only]) => Some(only),
        ([_], _) => named(INPUT_NAME),
        _ => None,
    });
    array.map(String::as_str).ok_or_else(|| match inputs {
        [input] => format!(
            "holds {} arrays, expected one, or one named {input:?}",
            arrays.len()
        ),
        _ => format!(
            "holds no array {:?}, expected one for each input: {}",
            inputs[number],
            quoted(inputs)
        ),
    })
}

fn quoted(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
    names.join(", ")
}

/// The number of test images to run: all, or as many as `--images` says.
pub fn images(wanted: Option<usize>, network: &Network, model: &Path) -> Result<usize, Failure> {
    let available = network.images.len();
    let images = wanted.unwrap_or(available);
    if images >= 1 && images <= available {
        return Ok(images);
    }
    let model = model.display();
    Err(Failure::new(match available {
        0 => format!(
            "{model}: test.images is empty, expected at least one image: --inputs gives some"
        ),
        _ => format!("--images is {images}, expected 1 to {available}, the images of {model}"),
    }))
}

/// Reads a JSON or list file of limited size, so that a wrong file cannot fill the memory.
pub fn read_text(path: &Path, what: &str, bytes_max: u64) -> Result<String, Failure> {
    read_utf8(path, what, "JSON", bytes_max)
}

/// As [`read_text`], for files of which `expected` is the format. A byte order mark is left out.
pub fn read_utf8(
    path: &Path,
    what: &str,
    expected: &str,
    bytes_max: u64,
) -> Result<String, Failure> {
    decoded(path, read_bytes(path, what, bytes_max)?, expected)
}

/// The text of a file.
fn decoded(path: &Path, mut bytes: Vec<u8>, expected: &str) -> Result<String, Failure> {
    let shown = path.display();
    // Editors of some systems begin a file with the mark, which RFC 8259 lets a reader ignore.
    if bytes.starts_with(BYTE_ORDER_MARK) {
        bytes.drain(..BYTE_ORDER_MARK.len());
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..at]
            .iter()
            .filter(|b| **b == b'\n')
            .count();
        Failure::new(format!(
            "{shown}:{line}: not UTF-8 text, expected {expected}"
        ))
    })
}

/// Reads a file of limited size.
pub fn read_bytes(path: &Path, what: &str, bytes_max: u64) -> Result<Vec<u8>, Failure> {
    let shown = path.display();
    let unreadable = |error| Failure::new(format!("{shown}: cannot read {what}: {error}"));
    let file = File::open(path).map_err(unreadable)?;
    if file.metadata().map_err(unreadable)?.is_dir() {
        return Err(Failure::new(format!(
            "{shown}: is a folder, expected a {what} file"
        )));
    }
    let mut bytes = Vec::new();
    let mut limited = file.take(bytes_max + 1);
    limited.read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > bytes_max {
        let limit = bytes_max >> 20;
        return Err(Failure::new(format!(
            "{shown}: {what} is too large, expected at most {limit} MiB"
        )));
    }
    Ok(bytes)
}

//! Reading of the user's files.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use heddle_arch::network::Shape;
use heddle_arch::{Network, Params};
use heddle_import::{is_onnx, is_tflite, planes};

use crate::failure::Failure;
use crate::{import, npy};

/// Largest configuration.
const CONFIG_BYTES_MAX: u64 = 1 << 20;
/// Largest file of images.
const IMAGES_BYTES_MAX: u64 = 256 << 20;
/// Largest network file.
pub const MODEL_BYTES_MAX: u64 = 64 << 20;
/// What may stand before UTF-8 text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Reads and checks a configuration.
pub fn read_config(path: &Path) -> Result<Params, Failure> {
    let text = read_text(path, "configuration", CONFIG_BYTES_MAX)?;
    Params::from_json(&text).map_err(|errors| Failure::in_file(path, &errors))
}

/// How a network's file has images.
#[derive(Debug, Clone, Copy, Default)]
pub struct Images {
    /// The channels of a pixel are together.
    pub interleaved: bool,
    /// Bytes have no sign, and are 128 more.
    pub unsigned: bool,
}

/// Reads and checks a network, in JSON or of a .tflite or .onnx file.
pub fn read_model(path: &Path) -> Result<Network, Failure> {
    read_either(path).map(|(network, _)| network)
}

/// A network, and how its file has images.
fn read_either(path: &Path) -> Result<(Network, Images), Failure> {
    let bytes = read_bytes(path, "network", MODEL_BYTES_MAX)?;
    if is_tflite(&bytes) || is_onnx(&bytes) {
        return import::network(path, &bytes);
    }
    let text = decoded(path, bytes, "JSON, or a .tflite or .onnx file")?;
    let network = Network::from_json(&text).map_err(|errors| Failure::in_file(path, &errors))?;
    Ok((network, Images::default()))
}

/// As [`read_model`], with images in place of those of the network.
pub fn read_network(path: &Path, inputs: Option<&Path>) -> Result<Network, Failure> {
    let (mut network, images) = read_either(path)?;
    if let Some(inputs) = inputs {
        network.images = read_images(inputs, network.input, images)?;
        network.labels.clear();
    }
    Ok(network)
}

/// Images for an input, of a .npy file of bytes.
pub fn read_images(path: &Path, input: Shape, kept: Images) -> Result<Vec<Vec<i8>>, Failure> {
    let file = read_bytes(path, "images", IMAGES_BYTES_MAX)?;
    let failure = |message: String| Failure::new(format!("{}: {message}", path.display()));
    let (values, unsigned) = npy::values(&file).map_err(failure)?;
    let size = input.elements();
    if values.is_empty() || values.len() % size != 0 {
        let Shape {
            channels,
            height,
            width,
        } = input;
        return Err(failure(format!(
            "holds {} bytes, expected a multiple of {size}: {height} x {width} pixels of {channels} channels",
            values.len()
        )));
    }
    let images = values.chunks_exact(size).map(|image| {
        let moved = if unsigned && kept.unsigned { 0x80 } else { 0 };
        let image: Vec<i8> = image.iter().map(|&byte| (byte ^ moved) as i8).collect();
        match kept.interleaved {
            true => planes(
                &image,
                input.channels as usize,
                size / input.channels as usize,
            ),
            false => image,
        }
    });
    Ok(images.collect())
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

//! From the file of another program to a network: .tflite and .onnx files with activations of 8 bits.
//!
//! [`import`] turns the bytes of a file into an [`Import`]: the network in the form of its file, if it can run, and what
//! becomes of each operator. What an output byte is follows from the reference kernels of LiteRT, or from the meaning that
//! docs/import.md gives an operator of ONNX; where a layer computes it in another way, the two are compared for all inputs.
//!
//! Elements of a network's tensors lie in the order channels, height, width, as in .onnx files. Those of a .tflite file lie
//! in the order height, width, channels: weights are put in that order here, images with [`planes`].
//!
//! This crate opens no file and knows no simulator.

mod exact;
mod faults;
mod fold;
mod lower;
mod model;
mod onnx;
mod ops;
mod reals;
mod report;
mod scale;
mod tflite;

use heddle_network::Network;
use heddle_network::{Axis, Shape};

pub use exact::{Difference, Function, host, table};
pub use model::{Activation, Quantised};
pub use onnx::{ReadBeside, is_onnx};
pub use ops::bytes::function;
pub use ops::{Support, page, supported};
pub use report::{Exact, FileInput, FileOutput, Import, Inexact, Row, Runs};
pub use tflite::is_tflite;

/// What is asked of an import.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Name of the network.
    pub name: String,
    /// The network ends at this tensor.
    pub until: Option<String>,
    /// Kinds of layers that need not be exact.
    pub inexact: Vec<Inexact>,
}

/// Why a file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ImportError(String);

/// Makes a network of a .tflite or .onnx file.
///
/// # Errors
/// The file is damaged, of another format, or not quantised to 8 bits, or `until` names no tensor. An operator that cannot run is no error: the result says so.
pub fn import(bytes: &[u8], options: &Options) -> Result<Import, ImportError> {
    let refused = "has its elements in another file, expected them in the model: save it with \
                   onnx.save(onnx.load(path), path, save_as_external_data=False)";
    import_with(bytes, options, &mut |_| Err(refused.to_string()))
}

/// As [`import`], of an .onnx file whose constants may lie in other files, which `read` reads by their names.
///
/// # Errors
/// As those of [`import`], and what `read` says.
pub fn import_with(
    bytes: &[u8],
    options: &Options,
    read: ReadBeside<'_>,
) -> Result<Import, ImportError> {
    let mut messages;
    let mut model = if is_tflite(bytes) {
        tflite::read(bytes)
    } else if is_onnx(bytes) {
        messages = onnx::decode(bytes).map_err(ImportError)?;
        onnx::load(&mut messages, read).map_err(ImportError)?;
        onnx::read(&messages, &options.name)
    } else {
        let reason = "is no .tflite file, whose bytes 4 to 7 are TFL3, and no .onnx file of a version and a graph";
        return Err(ImportError(reason.to_string()));
    }
    .map_err(ImportError)?;
    let until = options.until.as_ref().map(|name| model.named(name));
    model.end_with(until.transpose().map_err(ImportError)?);
    let mut found = lower::lower(&model, &options.name, &options.inexact);
    if let Some(Err(errors)) = found.network.clone().map(Network::from_file) {
        faults::place(&mut found, errors.faults());
        found.network = None;
    }
    Ok(found)
}

/// Of each byte of a tensor, in the order of a file, its index in the network: channels, height, width. In a file of places the
/// bytes of each are together, whatever dimension they lie along.
pub fn file_order(
    shape: Shape,
    interleaved: bool,
    places: Option<Axis>,
) -> impl Iterator<Item = usize> {
    let mut axes = if interleaved { [1, 2, 0] } else { [0, 1, 2] };
    if let Some(axis) = places {
        axes.sort_by_key(|&other| other == axis.index());
    }
    let [channels, height, width] = shape.sides().map(|side| side as usize);
    let along = |axis: usize| {
        let (side, stride) = [(channels, height * width), (height, width), (width, 1)][axis];
        (0..side).map(move |place| place * stride)
    };
    let [first, second, third] = axes.map(along);
    first.flat_map(move |a| {
        let third = third.clone();
        let behind = second.clone().map(move |b| a + b);
        behind.flat_map(move |at| third.clone().map(move |c| at + c))
    })
}

/// Puts the elements of an image in the order of a network: channels, height, width.
///
/// # Panics
/// If the image does not have `channels` times `pixels` elements.
#[must_use]
pub fn planes(image: &[i8], channels: usize, pixels: usize) -> Vec<i8> {
    assert_eq!(image.len(), channels * pixels);
    let plane = |channel| (0..pixels).map(move |pixel| image[pixel * channels + channel]);
    (0..channels).flat_map(plane).collect()
}

//! Files of `models/import/tflite_models.py`, and what comes of them.

use std::io::{Cursor, Read};
use std::path::PathBuf;

use heddle_import::{Import, Inexact, Options, Row, file_order, import, planes};
use heddle_network::Layer;
use heddle_network::Network;
use heddle_sim::network::Tensor;
use zip::ZipArchive;

/// A file of NumPy arrays.
pub type Arrays = ZipArchive<Cursor<Vec<u8>>>;

/// Networks as .onnx files.
pub const ONNX_NETWORKS: [&str; 8] = [
    "attention",
    "dense",
    "flattened",
    "gated",
    "heavy",
    "keyword",
    "residual",
    "separable",
];

pub fn read(name: &str) -> Vec<u8> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../import/tests/data");
    std::fs::read(folder.join(name)).unwrap()
}

pub fn arrays(name: &str) -> Arrays {
    ZipArchive::new(Cursor::new(read(name))).unwrap()
}

/// The elements of an array of bytes: what follows the header of its .npy file.
pub fn bytes(arrays: &mut Arrays, name: &str) -> Vec<u8> {
    let mut file = Vec::new();
    let mut member = arrays.by_name(&format!("{name}.npy")).unwrap();
    member.read_to_end(&mut file).unwrap();
    let header = u16::from_le_bytes([file[8], file[9]]);
    file.split_off(10 + usize::from(header))
}

/// The elements of an array of int8.
pub fn int8(arrays: &mut Arrays, name: &str) -> Vec<i8> {
    bytes(arrays, name)
        .into_iter()
        .map(|byte| byte as i8)
        .collect()
}

/// The elements of an array of float32.
pub fn float32(arrays: &mut Arrays, name: &str) -> Vec<f32> {
    let bytes = bytes(arrays, name);
    let words = bytes.chunks_exact(4);
    words
        .map(|word| f32::from_le_bytes(word.try_into().unwrap()))
        .collect()
}

/// Names of the arrays that end in this, without it.
pub fn names(arrays: &Arrays, end: &str) -> Vec<String> {
    let end = format!("{end}.npy");
    let names = arrays
        .file_names()
        .filter_map(|name| name.strip_suffix(&end));
    let mut names: Vec<String> = names.map(str::to_string).collect();
    names.sort();
    names
}

/// Names of the models in a file of arrays.
pub fn models(arrays: &Arrays) -> Vec<String> {
    names(arrays, "/model")
}

pub fn imported(file: &[u8], inexact: &[Inexact]) -> Import {
    let options = Options {
        name: "network".to_string(),
        inexact: inexact.to_vec(),
        ..Options::default()
    };
    import(file, &options).unwrap()
}

/// The rows as lines.
pub fn table(rows: &[Row]) -> String {
    let line = |row: &Row| {
        let runs = row.runs.text();
        let layer = row.layer.as_deref().unwrap_or("-");
        format!(
            "{layer} | {} ({}) | {runs} | {}\n",
            row.operator,
            row.tensor,
            row.exact.text()
        )
    };
    rows.iter().map(line).collect()
}

/// Inputs in the order of the file as a network has them: one plane after the other.
pub fn image(network: &Network, inputs: &[Vec<i8>]) -> Vec<i8> {
    let parts = network.inputs().zip(inputs).map(|(input, values)| {
        let (shape, _) = network.tensor(input);
        planes(
            values,
            shape.channels as usize,
            (shape.height * shape.width) as usize,
        )
    });
    parts.flatten().collect()
}

/// A network's values for inputs in the order of the file, each in that order again.
pub fn run(network: &Network, inputs: &[Vec<i8>]) -> Vec<Vec<i8>> {
    let outputs = heddle_sim::network::run(network, &image(network, inputs)).unwrap();
    let layers = network.layers.iter().zip(&outputs);
    layers
        .map(|(layer, made)| interleaved(layer, made))
        .collect()
}

/// The elements of what a layer makes in the order height, width, channels.
pub fn interleaved(layer: &Layer, tensor: &Tensor) -> Vec<i8> {
    let order = file_order(tensor.shape, true, layer.kind.places());
    order.map(|at| tensor.values[at]).collect()
}

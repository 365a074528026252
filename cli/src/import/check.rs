//! `heddle import --check`: the user's own file in the program it was made for, tensor by tensor.
//!
//! Each layer reads what the reference has made, so that a difference belongs to the layer that shows it.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use heddle_import::{Import, Row, file_order};
use heddle_network::{Layer, Network, Tensor};
use serde_json::{Value, json};

use crate::failure::{Failure, one_line};
use crate::file_form::FileForm;
use crate::npy::{Array, Element};
use crate::scratch::Scratch;
use crate::{npz, output};

/// The program that runs the reference.
const SCRIPT: &str = include_str!("reference.py");
/// How it ends if a package is missing.
const PACKAGE_IS_MISSING: i32 = 3;
/// Random images, if none are given.
const IMAGES: usize = 4;
/// Largest array of a tensor.
const TENSOR_BYTES_MAX: u64 = 1 << 30;
/// Of so many bytes of an .onnx file one may be one step away: onnxruntime computes with float32.
const ONNX_BYTES: usize = 10_000;

/// The bytes of a tensor, for each image.
type Images = Vec<Vec<i8>>;

/// What the tensors of a network are in the reference.
pub struct Checked {
    reference: String,
    images: usize,
    tensors: Vec<CheckedTensor>,
    is_onnx: bool,
}

/// A tensor of the network.
struct CheckedTensor {
    row: Row,
    /// Elements of all images.
    values: usize,
    /// They are those of places, which no rounding moves.
    places: bool,
    found: Found,
}

/// How a tensor is in the reference.
enum Found {
    /// So many bytes differ, and by so much at most.
    Compared { differ: usize, most: u8 },
    /// It has another number of elements, or no bytes.
    Missing,
}

/// Runs the reference on images, or on random ones, and compares.
pub fn check(
    path: &Path,
    found: &Import,
    form: &FileForm,
    images: Option<Images>,
) -> Result<Checked, Failure> {
    let network = found.network.clone().expect("nothing speaks against it");
    let network = super::checked(path, network)?;
    let images = images.unwrap_or_else(|| random_images(network.own_elements()));
    let layers = network.layers.iter();
    let rows: Vec<Option<&Row>> = layers.map(|layer| found.row(&layer.name)).collect();
    let temporary = std::env::temp_dir();
    let scratch = Scratch::inside(&temporary).map_err(|(folder, error)| {
        Failure::new(format!("cannot write {}: {error}", folder.display()))
    })?;
    let folder = scratch.path();
    let request = request(path, &network, form, (&rows, found.batch))?;
    let initial = network.initial_states();
    let inputs = network.inputs().enumerate().map(|(place, input)| {
        // What the reference keeps it has itself.
        let parts = images.iter().map(|image| {
            let image = network.with_states(image, &initial);
            network.part(&image, input).to_vec()
        });
        let parts: Images = parts.collect();
        (place.to_string(), form.array(&network, input, &parts))
    });
    let inputs = npz::write(&inputs.collect::<Vec<_>>()).map_err(Failure::new)?;
    let written = fs::write(folder.join("request.json"), request.to_string());
    let written = written.and_then(|()| fs::write(folder.join("inputs.npz"), inputs));
    written.map_err(|error| Failure::new(format!("cannot write {}: {error}", folder.display())))?;
    let reference = run(path, folder, form)?;
    let outputs = fs::read(folder.join("outputs.npz"));
    let outputs = outputs.map_err(|error| {
        Failure::new(format!(
            "{}: the reference gave no tensors: {error}",
            path.display()
        ))
    })?;
    let mut places = 0..;
    let given = |(row, layer): (&Option<&Row>, &Layer)| {
        let place = (*row).and_then(|_| places.next())?;
        let array = npz::read(&outputs, &place.to_string(), TENSOR_BYTES_MAX).ok()?;
        in_network(&array, layer, images.len())
    };
    let given: Vec<Option<Images>> = rows.iter().zip(&network.layers).map(given).collect();
    Ok(Checked {
        reference,
        images: images.len(),
        tensors: compare(&network, form, &images, (&rows, given))?,
        is_onnx: !form.interleaved,
    })
}

/// Bytes of the same images in every run.
fn random_images(elements: usize) -> Images {
    let mut state = 1u64;
    let mut byte = || {
        // Knuth's linear congruential generator for 64 bits; its high bits are the good ones.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as i8
    };
    let mut image = || (0..elements).map(|_| byte()).collect();
    (0..IMAGES).map(|_| image()).collect()
}

fn request(
    path: &Path,
    network: &Network,
    form: &FileForm,
    (rows, batch): (&[Option<&Row>], u32),
) -> Result<Value, Failure> {
    let model = fs::canonicalize(path);
    let model = model.map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
    let moved = if form.unsigned { 128 } else { 0 };
    let tensors = rows.iter().flatten();
    let tensors = tensors.map(|row| json!({ "name": row.tensor, "index": row.index }));
    let inputs = network.inputs().zip(&form.inputs).map(|(tensor, input)| {
        json!({
            "name": form.names[tensor],
            "scale": input.scale,
            "zero_point": i32::from(network.tensor(tensor).1) + moved,
        })
    });
    Ok(json!({
        "model": model.to_string_lossy(),
        "format": format(form),
        "batch": batch,
        "inputs": inputs.collect::<Vec<_>>(),
        "tensors": tensors.collect::<Vec<_>>(),
    }))
}

fn format(form: &FileForm) -> &'static str {
    if form.interleaved { "tflite" } else { "onnx" }
}

/// Runs the script; gives the name and the version of the reference.
fn run(path: &Path, folder: &Path, form: &FileForm) -> Result<String, Failure> {
    let named = std::env::var_os("HEDDLE_PYTHON").filter(|name| !name.is_empty());
    let python = named.unwrap_or_else(|| OsString::from("python3"));
    let shown = one_line(&python.to_string_lossy());
    let failed = |error: io::Error| {
        let message = format!("cannot run {shown}: {error}");
        Failure {
            lines: vec![
                message,
                "HEDDLE_PYTHON names another interpreter".to_string(),
            ],
            ..Failure::new("")
        }
    };
    let mut child = Command::new(&python)
        .arg("-")
        .arg(folder)
        .arg(format(form))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let mut stdin = child.stdin.take().expect("it is piped");
    // An interpreter that reads nothing says why in another way.
    let _ = stdin.write_all(SCRIPT.as_bytes());
    drop(stdin);
    let result = child.wait_with_output().map_err(failed)?;
    let told = String::from_utf8_lossy(&result.stderr);
    let last = told.lines().last().unwrap_or_default();
    if result.status.code() == Some(PACKAGE_IS_MISSING) {
        let packages = match form.interleaved {
            true => "ai-edge-litert numpy",
            false => "onnx onnxruntime",
        };
        let lines = [
            format!("--check needs the reference: {last}"),
            format!("install it: {shown} -m pip install {packages}"),
            "HEDDLE_PYTHON names another interpreter".to_string(),
        ];
        return Err(Failure {
            lines: lines.to_vec(),
            ..Failure::new("")
        });
    }
    if !result.status.success() {
        let (path, status) = (path.display(), result.status);
        return Err(Failure::new(format!(
            "{path}: the reference failed ({status}): {last}"
        )));
    }
    let name = String::from_utf8_lossy(&result.stdout);
    Ok(one_line(name.lines().next().unwrap_or_default()))
}

/// The images of a tensor as bytes of the network, still in the order of the file.
fn in_network(array: &Array, layer: &Layer, images: usize) -> Option<Images> {
    let moved = match (array.element, layer.kind.places()) {
        (Element::Int8, None) | (Element::Int32, Some(_)) => 0,
        (Element::Uint8, None) => 0x80,
        _ => return None,
    };
    let elements = layer.output.elements();
    let fits = elements > 0 && array.bytes.len() == elements * images;
    let images = array.bytes.chunks_exact(elements.max(1));
    let image = |image: &[u8]| image.iter().map(|byte| (byte ^ moved) as i8).collect();
    fits.then(|| images.map(image).collect())
}

/// Runs each layer on what the reference has made before it.
fn compare(
    network: &Network,
    form: &FileForm,
    images: &[Vec<i8>],
    (rows, given): (&[Option<&Row>], Vec<Option<Images>>),
) -> Result<Vec<CheckedTensor>, Failure> {
    let mut tensors: Vec<Option<CheckedTensor>> = (rows.iter().zip(&network.layers).zip(&given))
        .map(|((row, layer), given)| {
            (*row).map(|row| CheckedTensor {
                row: row.clone(),
                values: images.len() * layer.output.elements(),
                places: layer.kind.places().is_some(),
                found: match given {
                    Some(_) => Found::Compared { differ: 0, most: 0 },
                    None => Found::Missing,
                },
            })
        })
        .collect();
    let mut states = network.initial_states();
    for (number, image) in images.iter().enumerate() {
        let image = &network.with_states(image, &states);
        let mut values = vec![network.given(image, 0)];
        for ((layer, given), tensor) in network.layers.iter().zip(&given).zip(&mut tensors) {
            let inputs: Vec<&Tensor> = layer.inputs.iter().map(|i| &values[i.tensor]).collect();
            let made = network.run_layer(values.len() - 1, image, &inputs);
            let mut made = made.map_err(Failure::new)?;
            if let (Some(images), Some(tensor)) = (given, tensor) {
                let reference = ordered(&images[number], layer, form);
                tensor.found.add(&made.values, &reference);
                made.values = reference;
            }
            values.push(made);
        }
        states = network.kept(&values[1..]);
    }
    Ok(tensors.into_iter().flatten().collect())
}

/// Elements in the order of the network.
fn ordered(values: &[i8], layer: &Layer, form: &FileForm) -> Vec<i8> {
    let mut ordered = vec![0; values.len()];
    let order = file_order(layer.output, form.interleaved, layer.kind.places());
    for (at, &value) in order.zip(values) {
        ordered[at] = value;
    }
    ordered
}

impl Found {
    fn add(&mut self, made: &[i8], reference: &[i8]) {
        let Found::Compared { differ, most } = self else {
            return;
        };
        for apart in made.iter().zip(reference).map(|(a, b)| a.abs_diff(*b)) {
            *differ += usize::from(apart > 0);
            *most = (*most).max(apart);
        }
    }
}

impl CheckedTensor {
    /// Whether it is what the import says of it.
    fn is_as_reported(&self, is_onnx: bool) -> bool {
        match self.found {
            Found::Missing => true,
            Found::Compared { differ: 0, .. } => true,
            Found::Compared { .. } if !self.row.exact.is_exact() => true,
            Found::Compared { differ, most } => {
                is_onnx && !self.places && most <= 1 && differ * ONNX_BYTES <= self.values
            }
        }
    }

    fn text(&self) -> String {
        match self.found {
            Found::Missing => "not compared: the reference has no such bytes".to_string(),
            Found::Compared { differ: 0, .. } => format!("all {} bytes equal", self.values),
            Found::Compared { differ, most } => {
                format!(
                    "{differ} of {} bytes differ, at most by {most}",
                    self.values
                )
            }
        }
    }
}

impl Checked {
    /// Whether every tensor is what the import says of it, and one was compared.
    pub fn is_as_reported(&self) -> bool {
        let mut tensors = self.tensors.iter();
        let compared = self
            .tensors
            .iter()
            .any(|tensor| !matches!(tensor.found, Found::Missing));
        compared && tensors.all(|tensor| tensor.is_as_reported(self.is_onnx))
    }

    /// A line for each tensor, and the verdict.
    pub fn text(&self) -> String {
        let heading = ["tensor", "exact", "reference"];
        let mut rows = vec![heading.map(str::to_string).to_vec()];
        for tensor in &self.tensors {
            rows.push(vec![
                super::report::shown(&tensor.row.tensor),
                tensor.row.exact.text(),
                tensor.text(),
            ]);
        }
        let verdict = match self.is_as_reported() {
            true => "as reported",
            false => "NOT as reported",
        };
        format!(
            "\n{}{verdict}: {} on {} images\n",
            output::list(&rows),
            self.reference,
            self.images
        )
    }

    /// The same as JSON.
    pub fn json(&self) -> Value {
        let tensors = self.tensors.iter().map(|tensor| {
            let (differ, most) = match tensor.found {
                Found::Compared { differ, most } => (Some(differ), Some(most)),
                Found::Missing => (None, None),
            };
            json!({
                "tensor": tensor.row.tensor,
                "values": tensor.values,
                "differ": differ,
                "most": most,
            })
        });
        json!({
            "as_reported": self.is_as_reported(),
            "reference": self.reference,
            "images": self.images,
            "tensors": tensors.collect::<Vec<_>>(),
        })
    }
}

//! `heddle sim --image`: the jobs of an image on the golden machine, without network or program.

use std::path::Path;

use heddle_arch::Params;
use heddle_arch::host::Counter;
use heddle_arch::image::{BYTES_MAX, Element, Tensor};
use heddle_sim::image::{Runner, RunnerError};
use serde_json::json;

use crate::args::{NetworkArgs, SimArgs};
use crate::failure::{BAD_INPUT, CHECK_FAILED, Failure};
use crate::file_form::{InputForm, check_sizes};
use crate::npy::{self, Array};
use crate::{input, npz, output, outputs, replace};

/// Inferences beside one another, each with buffers of its own.
const TOGETHER: usize = 64;

/// What a run of an image needs.
pub struct Prepared {
    pub params: Params,
    pub file: Vec<u8>,
    /// The image in a golden machine, with the jobs that run once.
    pub golden: Runner,
    /// For each inference the bytes of all inputs.
    pub images: Vec<Vec<Vec<u8>>>,
}

/// Reads what a run of an image needs.
pub fn prepared(path: &Path, args: &NetworkArgs) -> Result<Prepared, Failure> {
    outputs::check(args)?;
    let params = input::read_config(&args.config)?;
    let file = input::read_bytes(path, "image", BYTES_MAX)?;
    let golden = Runner::new(&params, &file).map_err(|error| failed(path, &error))?;
    let inputs = args.inputs.as_deref().expect("clap asks for it");
    let tensors: Vec<Tensor> = golden.inputs().cloned().collect();
    let given = input::read_bytes(inputs, "data", input::IMAGES_BYTES_MAX)?;
    let mut images = read_inputs(&given, &tensors)
        .map_err(|message| Failure::new(format!("{}: {message}", inputs.display())))?;
    let count = args.images.unwrap_or(images.len());
    if !(1..=images.len()).contains(&count) {
        let found = images.len();
        let message = format!("--images is {count}, expected 1 to {found}, the images of --inputs");
        return Err(Failure::new(message));
    }
    images.truncate(count);
    Ok(Prepared {
        params,
        file,
        golden,
        images,
    })
}

/// An image that is none, or a run that failed.
fn failed(path: &Path, error: &RunnerError) -> Failure {
    Failure {
        code: match error {
            RunnerError::Image(_) => BAD_INPUT,
            _ => CHECK_FAILED,
        },
        ..Failure::new(format!("{}: {error}", path.display()))
    }
}

/// Runs the inferences of a file of inputs.
pub fn simulate(path: &Path, args: &SimArgs) -> Result<(), Failure> {
    let Prepared {
        mut golden, images, ..
    } = prepared(path, &args.network)?;
    let mut made: Vec<Vec<Vec<u8>>> = Vec::new();
    for images in images.chunks(TOGETHER) {
        let outputs = golden.stream(images);
        made.extend(outputs.map_err(|error| failed(path, &error))?);
    }
    let outputs: Vec<&Tensor> = golden.outputs().collect();
    write_outputs(&args.network, &outputs, &made)?;
    let together = images.chunks(TOGETHER).last().map_or(1, <[_]>::len);
    let runs = golden.counted().len() / together;
    let last = golden.counted().iter().rev().take(runs);
    let counters = last.flat_map(|run| &run.counters);
    let cycles = counters.filter(|(counter, _)| *counter == Counter::Cycles);
    let cycles: u64 = cycles.map(|(_, count)| u64::from(*count)).sum();
    let (shown, count) = (path.display(), images.len());
    let names: Vec<&str> = outputs.iter().map(|tensor| tensor.name.as_str()).collect();
    match args.json {
        true => output::print_json(&json!({
            "image": shown.to_string(), "images": count, "cycles": cycles, "outputs": names,
        })),
        false => output::print(&format!(
            "{shown}: {count} images on the golden machine, {cycles} cycles for the last one; outputs: {}\n",
            names.join(", ")
        )),
    }
}

/// Writes the outputs of all inferences, if a file for them is given.
pub fn write_outputs(
    args: &NetworkArgs,
    outputs: &[&Tensor],
    made: &[Vec<Vec<u8>>],
) -> Result<(), Failure> {
    let Some(file) = &args.outputs else {
        return Ok(());
    };
    let arrays = outputs.iter().enumerate().map(|(number, tensor)| {
        let bytes = made.iter().flat_map(|image| image[number].clone());
        let sizes = tensor.extents.iter().map(|&extent| extent as usize);
        let array = Array {
            element: element(tensor.element),
            shape: std::iter::once(made.len()).chain(sizes).collect(),
            bytes: bytes.collect(),
        };
        (tensor.name.clone(), array)
    });
    let bytes = npz::write(&arrays.collect::<Vec<_>>());
    let bytes = bytes.map_err(|error| Failure::new(format!("{}: {error}", file.display())))?;
    replace::write(file, replace::ARRAYS, &bytes)
}

fn element(element: Element) -> npy::Element {
    match element {
        Element::Int8 => npy::Element::Int8,
        Element::Uint8 => npy::Element::Uint8,
        Element::Int32 => npy::Element::Int32,
        Element::Float32 => npy::Element::Float32,
    }
}

/// For each image the bytes of all inputs.
fn read_inputs(file: &[u8], tensors: &[Tensor]) -> Result<Vec<Vec<Vec<u8>>>, String> {
    let names: Vec<&str> = tensors.iter().map(|tensor| tensor.name.as_str()).collect();
    let arrays = match npz::is_npz(file) {
        true => {
            let all = npz::names(file)?;
            let read = |number| {
                let name = input::array_of_input(&all, &names, number)?;
                npz::read(file, name, input::IMAGES_BYTES_MAX)
            };
            (0..names.len()).map(read).collect::<Result<Vec<_>, _>>()?
        }
        false if names.len() == 1 => vec![npy::read(file)?],
        false => return Err(format!("is one array, expected a .npz file with {names:?}")),
    };
    let mut images: Vec<Vec<Vec<u8>>> = Vec::new();
    for (number, (tensor, array)) in tensors.iter().zip(&arrays).enumerate() {
        let parts = parts(tensor, array)?;
        match number {
            0 => images = parts.into_iter().map(|part| vec![part]).collect(),
            _ if parts.len() == images.len() => {
                let pairs = images.iter_mut().zip(parts);
                pairs.for_each(|(image, part)| image.push(part));
            }
            _ => {
                return Err(format!(
                    "array {:?} holds {} images, expected {} as array {:?} does",
                    tensor.name,
                    parts.len(),
                    images.len(),
                    names[0]
                ));
            }
        }
    }
    Ok(images)
}

/// The bytes that an array has for a tensor of each image.
fn parts(tensor: &Tensor, array: &Array) -> Result<Vec<Vec<u8>>, String> {
    let sizes: Vec<usize> = tensor
        .extents
        .iter()
        .map(|&extent| extent as usize)
        .collect();
    check_sizes(&array.shape, &sizes, &sizes)?;
    let bytes = match tensor.element {
        Element::Float32 => reals(array)?,
        _ => quantised(tensor, array)?,
    };
    let (each, size) = (
        tensor.element.bytes() as usize,
        sizes.iter().product::<usize>(),
    );
    if bytes.is_empty() || bytes.len() % (each * size) != 0 {
        let found = bytes.len() / each;
        return Err(format!(
            "holds {found} elements, expected a multiple of {size}"
        ));
    }
    let images = bytes.chunks_exact(each * size);
    Ok(images.map(<[u8]>::to_vec).collect())
}

/// The bytes of an array for a tensor of bytes; real numbers have its scale.
fn quantised(tensor: &Tensor, array: &Array) -> Result<Vec<u8>, String> {
    let unsigned = tensor.element == Element::Uint8;
    let form = InputForm {
        unsigned,
        scale: tensor.scale.into(),
        ..InputForm::default()
    };
    let moved = if unsigned { 0x80 } else { 0 };
    let zero_point = tensor.zero_point as u8 as i8 ^ moved as i8;
    let values = form.quantised(array, zero_point)?.into_iter();
    Ok(values.map(|value| value as u8 ^ moved).collect())
}

/// The numbers of an array for a tensor that the image quantises.
fn reals(array: &Array) -> Result<Vec<u8>, String> {
    if array.element != npy::Element::Float32 {
        let found = array.element.name();
        return Err(format!(
            "has elements of type {found}, expected float32, which the image quantises"
        ));
    }
    let words = array.bytes.chunks_exact(4);
    let mut values = words.map(|word| f32::from_le_bytes(word.try_into().expect("four bytes")));
    match values.position(f32::is_nan) {
        Some(index) => Err(format!("element {index} is not a number")),
        None => Ok(array.bytes.clone()),
    }
}

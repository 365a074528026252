//! Images of programs, run by the golden machine without program or network.

use std::collections::BTreeSet;

use heddle_arch::image::{Image, Operation};
use heddle_arch::params::Params;
use heddle_compiler::{NoImage, Program, Range, Real, UserForm, image};
use heddle_network::Network;
use heddle_sim::image::Runner;
use heddle_sim::network::run as golden;

/// A user with rows, columns and channels, or with channels, rows and columns, with signs or without.
pub fn form(network: &Network, interleaved: bool, unsigned: bool) -> UserForm {
    let tensors = 0..=network.layers.len();
    let names = tensors.clone().map(|tensor| network.tensor_name(tensor));
    UserForm {
        interleaved,
        names: names.map(str::to_string).collect(),
        unsigned: tensors.filter(|_| unsigned).collect::<BTreeSet<_>>(),
        ..UserForm::default()
    }
}

/// Real value of a step of all tensors.
const SCALE: f32 = 0.5;

/// The same user with real numbers in place of inputs, and in place of outputs or beside them.
pub fn with_reals(mut form: UserForm, network: &Network, bytes: bool) -> UserForm {
    let quantises = [Operation::Quantize, Operation::QuantizeEven];
    for (input, number) in network.inputs().zip(0..) {
        form.quantised.insert(input, quantises[number % 2]);
    }
    let outputs = network.outputs.iter().copied();
    let outputs = outputs.filter(|&output| network.places(output).is_none());
    let real = |tensor: usize| Real {
        tensor,
        name: format!("{}/real", form.names[tensor]),
        bytes,
    };
    form.reals = outputs.map(real).collect();
    // The user's zero point of a byte may be another one than that of the network.
    for tensor in 0..=network.layers.len() {
        let is_output = form.reals.iter().any(|real| real.tensor == tensor);
        let zero_point = network.tensor(tensor).1.wrapping_add(i8::from(is_output));
        let range = Range {
            scale: SCALE,
            zero_point,
        };
        form.ranges.insert(tensor, range);
    }
    form
}

/// The real numbers that bytes of a user stand for, less than half a step away.
fn reals(form: &UserForm, tensor: usize, bytes: &[u8], away: f32) -> Vec<u8> {
    let moved = if form.unsigned.contains(&tensor) {
        0x80
    } else {
        0
    };
    let zero = i32::from(form.ranges[&tensor].zero_point);
    let steps = bytes
        .iter()
        .map(|&byte| i32::from((byte ^ moved) as i8) - zero);
    let values = steps.map(|step| (step as f32 + away) * SCALE);
    values.flat_map(f32::to_le_bytes).collect()
}

/// A tensor of the network in the order of a user.
fn of_user(network: &Network, form: &UserForm, tensor: usize, values: &[i8]) -> Vec<u8> {
    let (shape, _) = network.tensor(tensor);
    let places = network.places(tensor);
    let mut axes: Vec<usize> = if form.interleaved {
        vec![1, 2, 0]
    } else {
        vec![0, 1, 2]
    };
    if let Some(axis) = places {
        axes.retain(|&other| other != axis.index());
        axes.push(axis.index());
    }
    let sides = shape.sides();
    let moved = if form.unsigned.contains(&tensor) && places.is_none() {
        0x80
    } else {
        0
    };
    let mut bytes = Vec::new();
    for a in 0..sides[axes[0]] {
        for b in 0..sides[axes[1]] {
            for c in 0..sides[axes[2]] {
                let mut place = [0; 3];
                (place[axes[0]], place[axes[1]], place[axes[2]]) = (a, b, c);
                bytes.push(values[shape.index(place)] as u8 ^ moved);
            }
        }
    }
    bytes
}

/// Bytes of all inputs in the order of a user.
pub fn inputs_of(network: &Network, form: &UserForm, values: &[i8]) -> Vec<Vec<u8>> {
    let inputs = network.inputs().map(|input| {
        let bytes = of_user(network, form, input, network.part(values, input));
        match form.quantised.contains_key(&input) {
            true => reals(form, input, &bytes, 0.4),
            false => bytes,
        }
    });
    inputs.collect()
}

/// What has an image, and how large it is.
pub struct Made {
    pub image: Image,
    pub bytes: usize,
}

/// Runs some inputs from the image alone: the outputs are those of the golden network.
///
/// # Errors
/// There is no image.
#[track_caller]
pub fn from_image(
    (program, network): (&Program, &Network),
    params: &Params,
    images: &[Vec<i8>],
    form: &UserForm,
) -> Result<Made, NoImage> {
    // Searches for the smallest machine go below what a configuration allows.
    let params = &mut params.clone();
    params.program.words = params.program.words.max(64);
    // What needs a host between the runs has none; all else fits the format.
    let made = match image(program, network, params, form) {
        Err(NoImage::Format(error)) => panic!("{error}"),
        made => made?,
    };
    let file = made.to_bytes().unwrap_or_else(|error| panic!("{error}"));
    let mut runner = Runner::new(params, &file).unwrap_or_else(|error| panic!("{error}"));
    let inputs: Vec<_> = images
        .iter()
        .map(|values| inputs_of(network, form, values))
        .collect();
    let all = runner.clone().stream(&inputs);
    let all = all.unwrap_or_else(|error| panic!("{error}"));
    for ((values, inputs), together) in images.iter().zip(&inputs).zip(all) {
        let found = runner.run(inputs);
        let found = found.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(found, together, "image of {}", network.name);
        let expected = golden(network, values).unwrap();
        let names: Vec<&String> = runner.outputs().map(|output| &output.name).collect();
        let mut wanted = Vec::new();
        for &output in &network.outputs {
            let bytes = of_user(network, form, output, &expected[output - 1].values);
            let mut real = form.reals.iter().filter(|real| real.tensor == output);
            let real = real.next();
            if let Some(real) = real {
                wanted.push((&real.name, reals(form, output, &bytes, 0.0)));
            }
            if real.is_none_or(|real| real.bytes) {
                wanted.push((&form.names[output], bytes));
            }
        }
        assert_eq!(names.len(), wanted.len());
        for (name, wanted) in wanted {
            let at = names.iter().position(|other| *other == name);
            assert_eq!(
                found[at.unwrap()],
                wanted,
                "image of {}: {name}",
                network.name
            );
        }
    }
    assert_eq!(runner.image(), &made);
    Ok(Made {
        image: made,
        bytes: file.len(),
    })
}

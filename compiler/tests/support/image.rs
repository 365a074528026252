//! Images of programs, run by the golden machine without program or network.

use std::collections::BTreeSet;

use heddle_arch::image::Image;
use heddle_arch::params::Params;
use heddle_compiler::{NoImage, Program, UserForm, image};
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
    for values in images {
        let inputs = network.inputs();
        let inputs = inputs.map(|input| of_user(network, form, input, network.part(values, input)));
        let found = runner.run(&inputs.collect::<Vec<_>>());
        let found = found.unwrap_or_else(|error| panic!("{error}"));
        let expected = golden(network, values).unwrap();
        let names: Vec<&String> = runner.outputs().map(|output| &output.name).collect();
        assert_eq!(names.len(), network.outputs.len());
        for &output in &network.outputs {
            let at = names.iter().position(|name| **name == form.names[output]);
            let wanted = of_user(network, form, output, &expected[output - 1].values);
            let name = network.tensor_name(output);
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

//! `--state`: what a network keeps from one image to the next, as a .npz file.

use std::path::Path;

use heddle_network::Network;

use crate::args::NetworkArgs;
use crate::failure::Failure;
use crate::file_form::FileForm;
use crate::input::{IMAGES_BYTES_MAX, read_bytes};
use crate::{npz, replace};

/// Refuses a file that must not be written, before any work is done.
pub fn check(args: &NetworkArgs, network: &Network) -> Result<(), Failure> {
    let Some(file) = &args.state else {
        return Ok(());
    };
    let shown = file.display();
    if network.states.is_empty() {
        return Err(Failure::new(format!(
            "--state is {shown}, but {} keeps nothing from one image to the next, expected a network with states",
            network.name
        )));
    }
    if args.outputs.as_ref() == Some(file) {
        return Err(Failure::new(format!(
            "--state is {shown}, as --outputs is, expected another file"
        )));
    }
    replace::check(file, replace::ARRAYS)
}

/// Lets a network begin with what is in the file, if it is there.
pub fn read(args: &NetworkArgs, network: &mut Network, form: &FileForm) -> Result<(), Failure> {
    let Some(path) = args.state.as_ref().filter(|path| path.exists()) else {
        return Ok(());
    };
    let file = read_bytes(path, "state", IMAGES_BYTES_MAX)?;
    let initial = initial(&file, network, form);
    let initial =
        initial.map_err(|message| Failure::new(format!("{}: {message}", path.display())))?;
    for (state, values) in network.states.iter_mut().zip(initial) {
        state.initial = values;
    }
    Ok(())
}

/// What a file has for each state.
fn initial(file: &[u8], network: &Network, form: &FileForm) -> Result<Vec<Vec<i8>>, String> {
    let states = network.states.iter().map(|state| {
        let mut inputs = network.inputs();
        let number = inputs.position(|input| input == state.input);
        let name = form.array_name(network, state.input);
        let array = npz::read(file, name, IMAGES_BYTES_MAX)?;
        let found = form.images(&array, network, number.unwrap_or(0));
        match found.map_err(|message| format!("array {name:?} {message}"))? {
            mut found if found.len() == 1 => Ok(found.remove(0)),
            found => Err(format!(
                "array {name:?} holds {} images, expected 1: what was kept last",
                found.len()
            )),
        }
    });
    states.collect()
}

/// Writes what is kept at the end.
pub fn write(
    path: &Path,
    network: &Network,
    form: &FileForm,
    kept: &[Vec<i8>],
) -> Result<(), Failure> {
    let arrays = network.states.iter().zip(kept).map(|(state, values)| {
        let name = form.array_name(network, state.input).to_string();
        let values = std::slice::from_ref(values);
        (name, form.array(network, state.input, values))
    });
    let bytes = npz::write(&arrays.collect::<Vec<_>>());
    let bytes = bytes.map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
    replace::write(path, replace::ARRAYS, &bytes)
}

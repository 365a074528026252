//! Which way each layer takes through the array: the combinations of mappings that a network can have, and what each of
//! their layers costs.
//!
//! Only the first layer can have its taps laid over the rows: the host writes its input into every partition that needs it, while a
//! drain leaves each channel in one partition. Depthwise layers make several pixels at a time where that saves cycles, those of their
//! neighbours included. Streamed weights and kept copies of matrices save time and take room.
//!
//! A layer costs the cycles of its own instructions, which do not depend on addresses: nothing is placed here.

mod candidate;
mod choice;
mod layouts;
mod limits;
mod orders;
mod pixels;
mod text;

use heddle_arch::network::{LayerKind, Network};
use heddle_arch::params::Params;

use crate::error::CompileError;
use crate::ir::{Constants, readers};
use crate::options::Options;
use crate::product::Mapping;
use candidate::Costs;
pub(crate) use candidate::{Candidate, Pixels, Switches};
pub(crate) use choice::choices;
pub use choice::{MappingChoice, MappingCost};
pub(crate) use layouts::TensorLayout;
use pixels::PixelChoice;
pub(crate) use text::tables;

/// All combinations: those that are asked for, the one with the fewest cycles first, and then the others.
#[derive(Debug)]
pub(crate) struct Candidates {
    pub all: Vec<Candidate>,
    /// How many are asked for.
    pub asked: usize,
}

/// All combinations of a network.
///
/// # Errors
/// The machine lacks what a layer needs.
pub(crate) fn candidates(
    network: &Network,
    constants: &Constants,
    params: &Params,
    options: Options,
    fits: &dyn Fn(&Candidate) -> bool,
) -> Result<Candidates, CompileError> {
    limits::check(network, constants, params)?;
    let first = flattenable(network);
    let choice = PixelChoice::of(network, params);
    // Where there is no choice, both are the same.
    let both = [false, true];
    let flattened = &both[..1 + usize::from(first.is_some())];
    let all = [Pixels::One, Pixels::Rows, Pixels::Blocks, Pixels::Chosen];
    let pixels = &all[..if choice.is_empty() { 1 } else { 4 }];
    let of_matrices = network
        .layers
        .iter()
        .any(|layer| layer.kind.is_of_matrices());
    let keeps = if of_matrices {
        &[true, false][..]
    } else {
        &[true]
    };

    let is_asked = |candidate: &Candidate| {
        let Switches {
            flattened, pixels, ..
        } = candidate.switches;
        match options.mapping {
            None => true,
            Some(Mapping::Channel) => !flattened && pixels == Pixels::One,
            Some(Mapping::Flattened) => (flattened || first.is_none()) && pixels == Pixels::One,
            Some(Mapping::Toeplitz) => pixels == Pixels::Rows || choice.is_empty(),
            Some(Mapping::Blocks) => pixels == Pixels::Blocks || choice.is_empty(),
        }
    };
    let (mut found, mut costs) = (Vec::<Candidate>::new(), Costs::default());
    let mut candidate = |switches: Switches, mappings: Vec<Mapping>| {
        let matrices = options.matrices;
        Candidate::of(
            network, switches, mappings, constants, params, matrices, &mut costs,
        )
    };
    for (&keeps, &streamed) in keeps
        .iter()
        .flat_map(|keeps| [true, false].iter().map(move |s| (keeps, s)))
    {
        for (&flattened, &pixels) in flattened
            .iter()
            .flat_map(|f| pixels.iter().map(move |p| (f, p)))
        {
            let switches = Switches {
                flattened,
                pixels,
                streamed,
                keeps,
            };
            let mut mappings = vec![Mapping::Channel; network.layers.len()];
            if let Some(first) = first.filter(|_| flattened) {
                mappings[first] = Mapping::Flattened;
            }
            let mappings = match pixels {
                Pixels::One => mappings,
                Pixels::Rows => choice.all(&mappings, Mapping::Toeplitz),
                Pixels::Blocks => choice.all(&mappings, Mapping::Blocks),
                Pixels::Chosen => {
                    let mut of = |mappings| candidate(switches, mappings);
                    choice.best(mappings, &mut of, fits)
                }
            };
            let new = candidate(switches, mappings);
            match found.iter_mut().find(|other| other.is_like(&new)) {
                Some(other) if is_asked(&new) => other.switches = switches,
                Some(_) => {}
                None => found.push(new),
            }
        }
    }
    found.sort_by_key(|candidate| (!is_asked(candidate), candidate.cycles()));
    let asked = found.iter().filter(|candidate| is_asked(candidate)).count();
    Ok(Candidates { all: found, asked })
}

/// The layer that can have its taps laid over the rows: the only one that reads the input of the
/// network, because the host can write that wherever it is needed.
fn flattenable(network: &Network) -> Option<usize> {
    let mut readers = readers(network, 0);
    let first = readers.next()?;
    let layer = &network.layers[first];
    let dense = matches!(layer.kind, LayerKind::Conv2d | LayerKind::FullyConnected);
    (dense && readers.next().is_none() && layer.groups == 1).then_some(first)
}

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
mod missed;
mod orders;
mod search;
mod text;

use heddle_arch::network::{LayerKind, Network};
use heddle_arch::params::Params;

use crate::error::CompileError;
use crate::ir::{Constants, readers};
use crate::options::Options;
use crate::product::Mapping;
use candidate::Costs;
use candidate::Ways;
pub(crate) use candidate::{Candidate, Pixels, Switches};
pub(crate) use choice::choices;
pub use choice::{MappingChoice, MappingCost};
pub(crate) use layouts::TensorLayout;
pub use missed::Missed;
pub(crate) use missed::missed;
pub(crate) use search::Lack;
use search::Search;
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
    lack: Lack,
) -> Result<Candidates, CompileError> {
    limits::check(network, constants, params)?;
    let first = flattenable(network);
    let search = Search::of(network, params);
    // Where there is no choice, both are the same.
    let both = [false, true];
    let flattened = &both[..1 + usize::from(first.is_some())];
    let all = [Pixels::One, Pixels::Rows, Pixels::Blocks, Pixels::Chosen];
    let pixels = &all[..if search.is_empty() { 1 } else { 4 }];
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
            Some(Mapping::Toeplitz) => pixels == Pixels::Rows || search.is_empty(),
            Some(Mapping::Blocks) => pixels == Pixels::Blocks || search.is_empty(),
        }
    };
    let mut costs = Costs::default();
    let mut candidate = |switches: Switches, ways: Ways| {
        let matrices = options.matrices;
        Candidate::of(
            network, switches, ways, constants, params, matrices, &mut costs,
        )
    };
    let mut all = Vec::new();
    for &keeps in keeps {
        for &flattened in flattened {
            for &pixels in pixels {
                for streamed in [true, false] {
                    all.push(Switches {
                        flattened,
                        pixels,
                        streamed,
                        reduced: false,
                        keeps,
                    });
                }
            }
        }
    }
    let mut found = Vec::<Candidate>::new();
    let mut add = |new: Candidate| match found.iter_mut().find(|other| other.is_like(&new)) {
        Some(other) if is_asked(&new) => other.switches = new.switches,
        Some(_) => {}
        None => found.push(new),
    };
    for switches in all {
        let mut ways = Ways {
            mappings: vec![Mapping::Channel; network.layers.len()],
            streams: vec![switches.streamed; network.layers.len()],
        };
        if let Some(first) = first.filter(|_| switches.flattened) {
            ways.mappings[first] = Mapping::Flattened;
        }
        let ways = match switches.pixels {
            Pixels::One => ways,
            Pixels::Rows => search.all(ways, Mapping::Toeplitz),
            Pixels::Blocks => search.all(ways, Mapping::Blocks),
            Pixels::Chosen => search.fastest(ways, &mut |ways| candidate(switches, ways)),
        };
        let new = candidate(switches, ways.clone());
        if is_asked(&new) && switches.streamed {
            let switches = Switches {
                reduced: true,
                ..switches
            };
            let begin = candidate(switches, ways);
            add(search.reduced(begin, &mut |ways| candidate(switches, ways), lack));
        }
        add(new);
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

//! Which way each layer takes through the array: the combinations of mappings that a network can have, and what each of
//! their layers costs.
//!
//! Only the first layer can have its taps laid over the rows: the host writes its input into every partition that needs it, while a
//! drain leaves each channel in one partition. Depthwise layers that can make two rows at a time do so all together or not
//! at all, because their neighbours change with them. Streamed weights and kept copies of matrices save time and take room.
//!
//! A layer costs the cycles of its own instructions, which do not depend on addresses: nothing is placed here.

mod candidate;
mod choice;
mod layouts;
mod limits;
mod orders;
mod text;

use heddle_arch::network::{LayerKind, Network};
use heddle_arch::params::Params;

use crate::error::CompileError;
use crate::ir::{Constants, readers};
use crate::options::Options;
use crate::product::Mapping;
pub(crate) use candidate::{Candidate, Switches};
pub(crate) use choice::choices;
pub use choice::{MappingChoice, MappingCost};
pub(crate) use layouts::TensorLayout;
use orders::toeplitz_layers;
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
) -> Result<Candidates, CompileError> {
    limits::check(network, constants, params)?;
    let first = flattenable(network);
    let pairs = toeplitz_layers(network, params);
    // Where there is no choice, both are the same.
    let both = [false, true];
    let flattened = &both[..1 + usize::from(first.is_some())];
    let paired = &both[..1 + usize::from(!pairs.is_empty())];
    let of_matrices = network
        .layers
        .iter()
        .any(|layer| layer.kind.is_of_matrices());
    let keeps = if of_matrices {
        &[true, false][..]
    } else {
        &[true]
    };

    let mut found: Vec<Candidate> = Vec::new();
    for &keeps in keeps {
        for &streamed in &[true, false] {
            for &flattened in flattened {
                for &paired in paired {
                    let switches = Switches {
                        flattened,
                        paired,
                        streamed,
                        keeps,
                    };
                    let mappings = mappings(network, switches, first, &pairs);
                    let candidate = Candidate::of(
                        network,
                        switches,
                        mappings,
                        constants,
                        params,
                        options.matrices,
                    );
                    if !found.iter().any(|other| other.is_like(&candidate)) {
                        found.push(candidate);
                    }
                }
            }
        }
    }
    let is_asked = |candidate: &Candidate| {
        let Switches {
            flattened, paired, ..
        } = candidate.switches;
        match options.mapping {
            None => true,
            Some(Mapping::Channel) => !flattened && !paired,
            Some(Mapping::Flattened) => (flattened || first.is_none()) && !paired,
            Some(Mapping::Toeplitz) => paired || pairs.is_empty(),
        }
    };
    found.sort_by_key(|candidate| (!is_asked(candidate), candidate.cycles()));
    let asked = found.iter().filter(|candidate| is_asked(candidate)).count();
    Ok(Candidates { all: found, asked })
}

/// The mapping of each layer.
fn mappings(
    network: &Network,
    switches: Switches,
    first: Option<usize>,
    pairs: &[usize],
) -> Vec<Mapping> {
    let mut mappings = vec![Mapping::Channel; network.layers.len()];
    if let Some(first) = first.filter(|_| switches.flattened) {
        mappings[first] = Mapping::Flattened;
    }
    for &layer in pairs.iter().filter(|_| switches.paired) {
        mappings[layer] = Mapping::Toeplitz;
    }
    mappings
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

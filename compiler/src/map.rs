//! Which way each layer takes through the array: the combinations of mappings that a network can have, and what each of
//! their layers costs.
//!
//! Only a layer that alone reads what the host writes can have its taps laid over the rows: the host writes its input into every partition
//! that needs it, while a drain leaves each channel in one partition. Depthwise layers make several pixels at a time where that saves cycles, those of their
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

use heddle_arch::params::Params;
use heddle_network::{LayerKind, Network};

use crate::error::CompileError;
use crate::ir::{Constants, readers};
use crate::options::Options;
use crate::product::Mapping;
pub(crate) use candidate::Candidate;
use candidate::{Costs, Pixels, Switches, Ways};
pub(crate) use choice::choices;
pub use choice::{MappingChoice, MappingCost};
pub(crate) use layouts::TensorLayout;
pub use missed::Missed;
pub(crate) use missed::missed;
pub(crate) use search::Goal;
use search::Search;
pub(crate) use text::tables;

/// All combinations: those that are asked for, the one with the fewest clocks first, and then the others.
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
    goal: Goal,
) -> Result<Candidates, CompileError> {
    limits::check(network, constants, params)?;
    let flattenable = flattenable(network, constants);
    let search = Search::of(network, constants, params, goal);
    let is_asked = |switches: Switches| {
        let Switches {
            flattened, pixels, ..
        } = switches;
        match options.mapping {
            None => true,
            Some(Mapping::Channel) => !flattened && pixels == Pixels::One,
            Some(Mapping::Flattened) => {
                (flattened || flattenable.is_empty()) && pixels == Pixels::One
            }
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
    let mut saving = flattenable.clone();
    if let [Some(by_channel), Some(flattened)] = [false, true].map(|flattened| {
        let switches = Switches::plain(flattened);
        candidate(switches, Ways::new(network, switches, &flattenable)).costs
    }) {
        saving.retain(|&layer| {
            flattened[layer].map(|cost| cost.cycles) < by_channel[layer].map(|cost| cost.cycles)
        });
    }
    let mut found = Vec::<Candidate>::new();
    // Of equal ones the one that is asked for, and of these the one that makes use of the least.
    let rank = |switches: Switches| (!is_asked(switches), switches.count());
    let mut add = |new: Candidate| match found.iter_mut().find(|other| other.is_like(&new)) {
        Some(other) if rank(new.switches) < rank(other.switches) => other.switches = new.switches,
        Some(_) => {}
        None => found.push(new),
    };
    for switches in combinations(network, flattenable.len(), search.is_empty()) {
        let mut of = |ways| candidate(switches, ways);
        let laid = match switches.pixels {
            Pixels::Chosen => &saving,
            _ => &flattenable,
        };
        let ways = Ways::new(network, switches, laid);
        let (ways, maps) = match switches.pixels {
            Pixels::One => (ways, false),
            Pixels::Rows => (search.all(ways, Mapping::Toeplitz), false),
            Pixels::Blocks => (search.all(ways, Mapping::Blocks), false),
            Pixels::Chosen => (ways, true),
        };
        let ways = search.fastest(ways, maps, &mut of);
        let new = of(ways.clone());
        if is_asked(switches) && switches.streamed {
            // A user who asks for taps over the rows gets them where they fit.
            let unflattens = maps || (options.mapping.is_some() && flattenable.len() > 1);
            add(search.reduced(of(ways), unflattens, &mut of));
        }
        add(new);
    }
    found.sort_by_key(|candidate| (!is_asked(candidate.switches), (goal.clocks)(candidate)));
    let asked = found
        .iter()
        .filter(|candidate| is_asked(candidate.switches));
    Ok(Candidates {
        asked: asked.count(),
        all: found,
    })
}

/// The combination without anything special, which takes the least room.
///
/// # Errors
/// The machine lacks what a layer needs.
pub(crate) fn plain(
    network: &Network,
    constants: &Constants,
    params: &Params,
    options: Options,
) -> Result<Candidate, CompileError> {
    limits::check(network, constants, params)?;
    let switches = Switches::plain(false);
    let ways = Ways::new(network, switches, &[]);
    let (matrices, mut costs) = (options.matrices, Costs::default());
    Ok(Candidate::of(
        network, switches, ways, constants, params, matrices, &mut costs,
    ))
}

/// What can be made use of; where there is no choice, one of each.
fn combinations(network: &Network, flattenable: usize, one_pixel: bool) -> Vec<Switches> {
    let pixels: &[Pixels] = match (one_pixel, flattenable) {
        (false, _) => &[Pixels::One, Pixels::Rows, Pixels::Blocks, Pixels::Chosen],
        (true, 2..) => &[Pixels::One, Pixels::Chosen],
        (true, _) => &[Pixels::One],
    };
    let layers = &network.layers;
    let of_matrices = layers.iter().any(|layer| layer.kind.is_of_matrices());
    let mut all = Vec::new();
    for keeps in [true, false].into_iter().take(1 + usize::from(of_matrices)) {
        for flattened in [false, true].into_iter().take(1 + flattenable.min(1)) {
            for &pixels in pixels {
                for streamed in [true, false] {
                    all.push(Switches {
                        flattened,
                        pixels,
                        streamed,
                        keeps,
                    });
                }
            }
        }
    }
    all
}

/// The layers that can have their taps laid over the rows: each is the only reader of a tensor that the host writes, who can do that
/// wherever it is needed.
fn flattenable(network: &Network, constants: &Constants) -> Vec<usize> {
    let by_host = |layer: usize| constants.hosts[layer].is_some();
    let layers = network.layers.iter().enumerate();
    let found = layers.filter(|(index, layer)| {
        let dense = matches!(layer.kind, LayerKind::Conv2d | LayerKind::FullyConnected);
        dense && layer.groups == 1 && !by_host(*index) && {
            let input = layer.inputs[0].tensor;
            let is_written = input.checked_sub(1).is_none_or(by_host);
            is_written && readers(network, input).count() == 1
        }
    });
    found.map(|(index, _)| index).collect()
}

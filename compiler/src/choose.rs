//! The mapping of each layer: of those that a layer can have, the one that takes fewer cycles.
//!
//! Only the first layer can have its taps laid over the rows: the host writes its input into every partition that needs it, while a
//! drain leaves each channel in one partition. Depthwise layers that can make two rows at a time do so all together or not
//! at all, because their neighbours change with them.

use heddle_arch::network::Network;
use heddle_arch::params::Params;

use crate::error::CompileError;
use crate::mapping::{Mapping, MappingChoice};
use crate::orders::toeplitz_layers;
use crate::place::flattenable;
use crate::program::Program;

type Built = Result<Program, CompileError>;

/// The program of a network, whose layers have the mapping that is asked for if they can have it; `build` makes it with a
/// mapping for each layer.
pub(crate) fn choose(
    network: &Network,
    asked: Option<Mapping>,
    params: &Params,
    build: impl Fn(&[Mapping]) -> Built,
) -> Built {
    let program = with_first_layer(network, asked, &build)?;
    let pairs = match asked {
        None | Some(Mapping::Toeplitz) => toeplitz_layers(network, params),
        Some(Mapping::Channel | Mapping::Flattened) => Vec::new(),
    };
    if pairs.is_empty() {
        return Ok(program);
    }
    let layers = program.layers.iter();
    let mut mappings: Vec<Mapping> = layers.map(|layer| layer.choice.mapping).collect();
    for &layer in &pairs {
        mappings[layer] = Mapping::Toeplitz;
    }
    let paired = build(&mappings).map(|mut paired| {
        // What was said of the first layer still holds.
        for (layer, before) in paired.layers.iter_mut().zip(&program.layers) {
            let cost = layer.choice.cost;
            if layer.choice.mapping == before.choice.mapping {
                layer.choice = MappingChoice {
                    cost,
                    ..before.choice.clone()
                };
            }
        }
        paired
    });
    let (mut chosen, other, reason) = match (asked, paired) {
        (Some(_), paired) => (paired?, Some(program), "as asked for"),
        (None, Ok(paired)) if cycles(&paired) < cycles(&program) => {
            (paired, Some(program), "fewer cycles")
        }
        (None, Ok(paired)) => (program, Some(paired), "not more cycles"),
        (None, Err(_)) => (program, None, "toeplitz does not fit"),
    };
    for &layer in &pairs {
        give_reason(&mut chosen, layer, other.as_ref(), reason);
    }
    Ok(chosen)
}

/// The program with all layers by channels, or with the taps of the first one laid over the rows.
fn with_first_layer(
    network: &Network,
    asked: Option<Mapping>,
    build: impl Fn(&[Mapping]) -> Built,
) -> Built {
    let mut mappings = vec![Mapping::Channel; network.layers.len()];
    let channel = build(&mappings);
    let Some(first) = flattenable(network) else {
        return channel;
    };
    mappings[first] = Mapping::Flattened;
    let flattened = build(&mappings);
    let (mut chosen, other, reason) = match (asked, channel, flattened) {
        (Some(Mapping::Channel), channel, flattened) => (channel?, flattened.ok(), "as asked for"),
        (Some(Mapping::Flattened), channel, flattened) => {
            (flattened?, channel.ok(), "as asked for")
        }
        (_, Ok(channel), Ok(flattened)) => {
            let cycles = |program: &Program| program.layers[first].choice.cost.cycles;
            match cycles(&flattened) < cycles(&channel) {
                true => (flattened, Some(channel), "fewer cycles"),
                false => (channel, Some(flattened), "not more cycles"),
            }
        }
        (_, Ok(channel), Err(_)) => (channel, None, "flattened does not fit"),
        (_, Err(_), Ok(flattened)) => (flattened, None, "channel does not fit"),
        (_, Err(error), Err(_)) => return Err(error),
    };
    give_reason(&mut chosen, first, other.as_ref(), reason);
    Ok(chosen)
}

/// Cycles of all runs.
fn cycles(program: &Program) -> u64 {
    program.runs.iter().map(|run| run.cycles).sum()
}

fn give_reason(program: &mut Program, layer: usize, other: Option<&Program>, reason: &str) {
    let choice = &mut program.layers[layer].choice;
    choice.other = other.map(|other| {
        let other = &other.layers[layer].choice;
        (other.mapping, other.cost)
    });
    choice.reason = reason.to_string();
}

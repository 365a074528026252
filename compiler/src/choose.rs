//! Which way each layer takes through the array: the combinations of mappings that a network can have, what each of
//! their layers costs, and the one that fits and takes the fewest clocks.
//!
//! Only a layer that alone reads what the host writes can have its taps laid over the rows: the host writes its input into every partition
//! that needs it, while a drain leaves each channel in one partition. Depthwise layers make several pixels at a time where that saves cycles, those of their
//! neighbours included. Streamed weights and kept copies of matrices save time and take room.

mod choice;
mod missed;
mod search;
mod text;

use heddle_arch::params::Params;
use heddle_network::Work;

use crate::engine::{self, Engines};
use crate::error::CompileError;
use crate::ir::Lowered;
use crate::memory::{Fit, Memories, Room};
use crate::options::{Cuts, Options};
use crate::product::Mapping;
use crate::ways::{Builder, Candidate, Pixels, Switches, Ways};
pub use choice::MappingChoice;
pub(crate) use choice::{Candidates, Choice, choices};
pub use missed::Missed;
pub(crate) use missed::missed;
use search::{Goal, Groups, Search};
pub(crate) use text::tables;

/// The combination that fits and takes the fewest clocks for an image: with all layers at once or, if none does, in segments.
///
/// # Errors
/// The machine is too small, and the network must not be cut.
pub(crate) fn fewest_clocks(
    graph: &Lowered,
    machine: &Params,
    options: &Options,
) -> Result<Choice, CompileError> {
    let builder = Builder::new(graph, machine, options.matrices);
    let memory = Memories::of(graph, machine, options);
    let at_once = graph
        .constants
        .check_tables(&graph.network, machine)
        .and_then(|()| {
            let choice = choose(&builder, &memory, Room::AtOnce, options);
            match choice.taken.is_some() {
                true => Ok(choice),
                false => Err(choice.least_special()),
            }
        });
    let at_once = match at_once {
        Err(error @ CompileError::DoesNotFit { .. })
            if options.moves && machine.programs_move() =>
        {
            moving(&builder, &memory, options, error)
        }
        made => made,
    };
    // What programs load and store knows no segments that a host clears.
    let cuts =
        options.cuts >= Cuts::Network && graph.network.layers.len() > 1 && graph.homes.are_none();
    match at_once {
        Err(error @ CompileError::DoesNotFit { .. }) if cuts => Ok(Choice {
            cut: Some(error),
            ..choose(&builder, &memory, Room::Alone, options)
        }),
        made => made,
    }
}

/// The same if the program loads weights; or why not even that fits.
fn moving(
    builder: &Builder,
    memory: &Memories,
    options: &Options,
    error: CompileError,
) -> Result<Choice, CompileError> {
    let graph = builder.graph;
    if graph.has_matrices() || options.double_buffered {
        return Err(error);
    }
    match choose(builder, memory, Room::Moving, options) {
        choice if choice.taken.is_some() => Ok(Choice {
            cut: Some(error),
            ..choice
        }),
        // Without another way the layer that lacks most is cut.
        choice if !graph.homes.are_none() => Err(choice.least_special()),
        _ => Err(error),
    }
}

/// The choice among the combinations of a network in a room.
fn choose(builder: &Builder, memory: &Memories, room: Room, options: &Options) -> Choice {
    let goal = Goal { memory, room };
    let Candidates { all, asked } = candidates(builder, options, goal);
    let (mut refused, mut fitting, mut others) = (Vec::new(), Vec::new(), Vec::new());
    let mut errors = Vec::new();
    for (number, candidate) in all.into_iter().enumerate() {
        // With all layers at once they come in the order of their clocks.
        let found = room == Room::AtOnce && !fitting.is_empty();
        if found || number >= asked {
            others.push(candidate);
            continue;
        }
        match fit(builder, memory, &candidate, room, options) {
            Ok(taken) => fitting.push((candidate, taken)),
            Err(error) => {
                refused.push(candidate);
                errors.push(error);
            }
        }
    }
    fitting.sort_by_key(|(_, (fit, _))| fit.clocks);
    let (fitting, mut taken): (Vec<_>, Vec<_>) = fitting.into_iter().unzip();
    Choice {
        candidates: Candidates {
            all: refused.into_iter().chain(fitting).chain(others).collect(),
            asked,
        },
        errors,
        taken: (!taken.is_empty()).then(|| taken.swap_remove(0)),
        cut: None,
    }
}

/// Segments, addresses and engines of a combination.
fn fit(
    builder: &Builder,
    memory: &Memories,
    candidate: &Candidate,
    room: Room,
    options: &Options,
) -> Result<(Fit, Engines), CompileError> {
    let engines = engine::choose(builder.graph, candidate, options.engines, builder.params)?;
    let words = builder.words(candidate, &engines.sparse, memory.identities(candidate)?)?;
    let cycles = builder.cycles(candidate, &engines.sparse);
    let fit = memory.fit(candidate, room, words, cycles)?;
    Ok((fit, engines))
}

/// All combinations: those that are asked for, the one with the fewest clocks first, and then the others.
fn candidates(builder: &Builder, options: &Options, goal: Goal) -> Candidates {
    let graph = builder.graph;
    let flattenable = flattenable(graph);
    let groups = &Groups::of(builder);
    let search = Search {
        builder,
        goal,
        groups,
    };
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
            Some(Mapping::Toeplitz) => pixels == Pixels::Rows || groups.is_empty(),
            Some(Mapping::Blocks) => pixels == Pixels::Blocks || groups.is_empty(),
        }
    };
    let layers = graph.network.layers.len();
    let ways = |switches, laid: &[usize]| Ways::new(layers, switches, laid);
    let [by_channel, flattened] = [false, true].map(|flattened| {
        let switches = Switches::plain(flattened);
        builder.candidate(switches, ways(switches, &flattenable))
    });
    let mut saving = flattenable.clone();
    if by_channel.costs.is_some() && flattened.costs.is_some() {
        let cycles = |candidate: &Candidate, layer| candidate.cost(layer).map(|cost| cost.cycles);
        saving.retain(|&layer| cycles(&flattened, layer) < cycles(&by_channel, layer));
    }
    let mut found = Vec::<Candidate>::new();
    // Of equal ones the one that is asked for, and of these the one that makes use of the least.
    let rank = |switches: Switches| (!is_asked(switches), switches.count());
    let mut add = |new: Candidate| match found.iter_mut().find(|other| other.is_like(&new)) {
        Some(other) if rank(new.switches) < rank(other.switches) => other.switches = new.switches,
        Some(_) => {}
        None => found.push(new),
    };
    // Nothing that is done for a layer makes room for all others.
    let is_hopeless = goal.room == Room::AtOnce && exceeds_all(builder);
    for switches in combinations(graph, flattenable.len(), groups.is_empty()) {
        let laid = match switches.pixels {
            Pixels::Chosen => &saving,
            _ => &flattenable,
        };
        let (begin, maps) = match switches.pixels {
            Pixels::One => (ways(switches, laid), false),
            Pixels::Rows => (
                groups.with_all(ways(switches, laid), Mapping::Toeplitz),
                false,
            ),
            Pixels::Blocks => (
                groups.with_all(ways(switches, laid), Mapping::Blocks),
                false,
            ),
            Pixels::Chosen => (ways(switches, laid), true),
        };
        let fastest = search.fastest(switches, begin, maps && !is_hopeless);
        if is_asked(switches) && switches.streamed && !is_hopeless {
            // A user who asks for taps over the rows gets them where they fit.
            let unflattens = maps || (options.mapping.is_some() && flattenable.len() > 1);
            let begin = builder.candidate(switches, fastest.ways.clone());
            add(search.reduced(begin, unflattens));
        }
        add(fastest);
    }
    found.sort_by_key(|candidate| (!is_asked(candidate.switches), goal.clocks(candidate)));
    let asked = found
        .iter()
        .filter(|candidate| is_asked(candidate.switches));
    Candidates {
        asked: asked.count(),
        all: found,
    }
}

/// What can be made use of; where there is no choice, one of each.
fn combinations(graph: &Lowered, flattenable: usize, one_pixel: bool) -> Vec<Switches> {
    let pixels: &[Pixels] = match (one_pixel, flattenable) {
        (false, _) => &[Pixels::One, Pixels::Rows, Pixels::Blocks, Pixels::Chosen],
        (true, 2..) => &[Pixels::One, Pixels::Chosen],
        (true, _) => &[Pixels::One],
    };
    let mut all = Vec::new();
    for keeps in [true, false]
        .into_iter()
        .take(1 + usize::from(graph.has_matrices()))
    {
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

/// The weights of all layers have no room at the same time, be each laid out as it may.
fn exceeds_all(builder: &Builder) -> bool {
    let mut least = vec![u64::MAX; builder.graph.network.layers.len()];
    for candidate in simple(builder) {
        for (least, plan) in least.iter_mut().zip(&candidate.weights) {
            *least = (*least).min(plan.as_ref().map_or(0, |plan| plan.bytes()));
        }
    }
    least.iter().sum::<u64>() > builder.params.work_bytes().into()
}

/// The combination that makes use of nothing special, and those in which all layers that can have one mapping do.
pub(crate) fn simple<'a>(builder: &'a Builder) -> impl Iterator<Item = Candidate> + 'a {
    let graph = builder.graph;
    let flattenable = flattenable(graph);
    let groups = Groups::of(builder);
    Mapping::ALL.into_iter().filter_map(move |mapping| {
        let switches = Switches::plain(mapping == Mapping::Flattened);
        let ways = Ways::new(graph.network.layers.len(), switches, &flattenable);
        let ways = match mapping {
            Mapping::Channel => ways,
            Mapping::Flattened if flattenable.is_empty() => return None,
            Mapping::Flattened => ways,
            Mapping::Toeplitz | Mapping::Blocks if groups.is_empty() => return None,
            Mapping::Toeplitz | Mapping::Blocks => groups.with_all(ways, mapping),
        };
        Some(builder.candidate(switches, ways))
    })
}

/// The layers that can have their taps laid over the rows: each is the only reader of a tensor that the host writes, who can do that
/// wherever it is needed.
fn flattenable(graph: &Lowered) -> Vec<usize> {
    let by_host = |layer: usize| graph.constants.hosts[layer].is_some();
    let layers = graph.network.layers.iter().enumerate();
    let found = layers.filter(|(index, layer)| {
        layer.work() == Work::Weighted && layer.groups == 1 && !by_host(*index) && {
            let input = layer.inputs[0].tensor;
            let is_written = input.checked_sub(1).is_none_or(by_host) && !graph.is_made(input);
            is_written && graph.readers[input].len() == 1
        }
    });
    found.map(|(index, _)| index).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir;

    /// Tensors get addresses at most once for each set of layouts, and nothing is scheduled.
    fn check_search(network: &str, config: &str, least: usize) {
        let read = |path: &str| {
            let path = format!("{}/../{path}.json", env!("CARGO_MANIFEST_DIR"));
            std::fs::read_to_string(path).unwrap()
        };
        let network = heddle_network::Network::from_json(&read(network)).unwrap();
        let mut machine = Params::from_json(&read(config)).unwrap();
        machine.state_buffer.words_per_bank = 64;
        let options = Options::default();
        let graph = ir::lower(&network, &machine, &options).unwrap();
        let builder = Builder::new(&graph, &machine, options.matrices);
        for room in [Room::AtOnce, Room::Alone] {
            let memory = &Memories::of(&graph, &machine, &options);
            let before = builder.layouts();
            let found = candidates(&builder, &options, Goal { memory, room });
            assert!(found.all.len() > 1, "{room:?}");
            let (layouts, allocations) = (builder.layouts(), memory.allocations.get());
            assert!(layouts >= before && layouts >= least, "{layouts} layouts");
            assert!(allocations > 0 || room == Room::AtOnce, "{room:?}");
            assert!(
                allocations <= layouts as u64,
                "{allocations} for {layouts} layouts"
            );
        }
    }

    #[test]
    fn the_search_gives_addresses_once_for_each_set_of_layouts() {
        check_search("models/digits", "configs/edge", 2);
        check_search("models/mobile", "configs/mobile", 4);
    }
}

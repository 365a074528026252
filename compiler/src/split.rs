//! Layers that do not fit alone: which pieces each is cut into.
//!
//! The host keeps what its own layers read, so that of a tensor that only pieces read, nothing but one piece is in the machine.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use heddle_arch::params::Params;
use heddle_network::Network;

use crate::choose::{Choice, simple};
use crate::engine;
use crate::error::{CompileError, Memory, Shortage};
use crate::ir::Lowered;
use crate::memory::{Lacks, Memories, Words};
use crate::options::{Cuts, Options};
use crate::pieces::{Pieces, can_be_cut, rewritten, step};
use crate::rule::Zeros;
use crate::ways::Builder;

/// Elements of a tensor that the host keeps, at most.
const KEPT: usize = 1 << 22;

/// How often smaller bands are tried than those that fit.
const ROUNDS: usize = 5;

/// The host has room for every tensor.
fn can_be_kept(network: &Network) -> bool {
    let outputs = network.layers.iter().map(|layer| layer.output);
    let mut shapes = outputs.chain([network.input]);
    shapes.all(|shape| shape.elements() <= KEPT)
}

/// Cuts layers until each of them fits by itself, and a choice is found for all of them; if that cannot be, or if they may not be cut, the
/// network stays as it is, but for what the host runs.
///
/// # Errors
/// Those of the choice.
pub(crate) fn until_each_fits<'n>(
    graph: Lowered<'n>,
    machine: &Params,
    options: &Options,
    choose: impl Fn(&Lowered) -> Result<Choice, CompileError>,
) -> Result<(Lowered<'n>, Choice), CompileError> {
    let may_be_cut = options.cuts == Cuts::Layers && can_be_kept(&graph.network);
    let mut lacks = match may_be_cut {
        true => too_large(&graph, machine, options),
        false => Lacks::new(),
    };
    if lacks.is_empty() {
        let choice = choose(&graph);
        match choice.as_ref().map(|choice| choice.taken.is_some()) {
            Err(CompileError::DoesNotFit { .. }) | Ok(false) if may_be_cut => {}
            _ => return Ok((graph, choice?)),
        }
    }
    let mut cutter = Cutter {
        graph: &graph,
        machine,
        even: options.moves && machine.programs_move(),
        pieces: BTreeMap::new(),
        hosts: BTreeMap::new(),
    };
    let mut best: Option<(Lowered, Choice)> = None;
    let mut rounds = 0;
    loop {
        let cut = cutter.network(options)?;
        lacks = too_large(&cut, machine, options);
        if lacks.is_empty() {
            let choice = choose(&cut);
            match choice {
                Ok(choice) if choice.taken.is_some() => {
                    rounds += 1;
                    // What LOAD and STORE move may have smaller bands, where that is faster.
                    let moves = !cut.homes.are_none() && rounds < ROUNDS;
                    let faster = choice.faster().filter(|_| moves).cloned();
                    let lacks = faster.map(|error| named(&cut.network, error));
                    let lacks = lacks.unwrap_or_default();
                    let goes_on = !lacks.is_empty() && cutter.cut(&cut, &lacks);
                    let best_clocks = best.as_ref().map_or(u64::MAX, |(_, best)| best.clocks());
                    if choice.clocks() < best_clocks {
                        best = Some((cut, choice));
                    }
                    match best {
                        Some(best) if !goes_on => return Ok(best),
                        _ => continue,
                    }
                }
                Ok(choice) => lacks = named(&cut.network, choice.least_special()),
                Err(error) => lacks = named(&cut.network, error),
            }
        }
        if !cutter.cut(&cut, &lacks) {
            if let Some(best) = best {
                return Ok(best);
            }
            // What the host runs is not what is missing.
            let graph = match cutter.hosts.is_empty() {
                true => graph,
                false => cut,
            };
            let choice = choose(&graph)?;
            return Ok((graph, choice));
        }
    }
}

/// The layers that fit by themselves in none of their ways, or whose tensors do not in the plainest one, and what each lacks in that.
fn too_large(graph: &Lowered, machine: &Params, options: &Options) -> Lacks {
    let builder = Builder::new(graph, machine, options.matrices);
    let memories = Memories::of(graph, machine, options);
    let mut lacks: Option<Lacks> = None;
    for candidate in simple(&builder) {
        let Ok(engines) = engine::choose(graph, &candidate, options.engines, machine) else {
            return Lacks::new();
        };
        let found = memories.identities(&candidate);
        let found = found.and_then(|all| builder.words(&candidate, &engines.sparse, all));
        let found = found.map(|words| Words::of(&memories, words));
        let found = found.and_then(|words| memories.too_large(&candidate, &words));
        // The choice says what the machine cannot do.
        let Ok(found) = found else {
            return Lacks::new();
        };
        let lacks = lacks.get_or_insert_with(|| found.clone());
        lacks.retain(|(layer, lacks)| {
            lacks.iter().any(|lack| lack.memory == Memory::Activations)
                || found.iter().any(|(other, _)| other == layer)
        });
        if lacks.is_empty() {
            break;
        }
    }
    lacks.unwrap_or_default()
}

/// The layer that an error names, and what it lacks.
fn named(network: &Network, error: CompileError) -> Lacks {
    let CompileError::DoesNotFit {
        layer, shortages, ..
    } = error
    else {
        return Lacks::new();
    };
    let mut layers = network.layers.iter();
    let found = layers.position(|found| layer.as_ref() == Some(&found.name));
    found.map(|found| (found, shortages)).into_iter().collect()
}

/// The zeros of the tensors of a network that has those of another one, and more.
fn zeros_of(network: &Network, original: &Lowered) -> Vec<Option<Zeros>> {
    let names = (0..original.zeros.len()).map(|tensor| original.network.tensor_name(tensor));
    let known: BTreeMap<&str, Option<Zeros>> =
        names.zip(original.zeros.iter().copied()).rev().collect();
    let tensors = 0..=network.layers.len();
    let of = |tensor: usize| known.get(network.tensor_name(tensor)).copied().flatten();
    tensors.map(of).collect()
}

/// In which direction a layer is cut.
#[derive(Debug, Clone, Copy)]
enum Direction {
    Channels,
    Rows,
}

/// Finds out which layers must be cut into how many pieces.
struct Cutter<'a, 'n> {
    /// The network as a whole.
    graph: &'a Lowered<'n>,
    machine: &'a Params,
    /// Bands of many rows begin at even ones, so that LOAD and STORE can move them in two phases.
    even: bool,
    /// By layer.
    pieces: BTreeMap<usize, Pieces>,
    /// Layers that cannot be cut, which the host runs, and why.
    hosts: BTreeMap<usize, String>,
}

impl<'n> Cutter<'_, 'n> {
    /// The network in these pieces.
    fn network(&self, options: &Options) -> Result<Lowered<'n>, CompileError> {
        let pieces: Vec<Pieces> = self.pieces.values().cloned().collect();
        let made = rewritten(&self.graph.network, &pieces);
        let hosts = made.origins.iter().enumerate();
        let hosts =
            hosts.filter_map(|(layer, origin)| Some((layer, self.hosts.get(origin)?.clone())));
        let hosts = (true, hosts.collect());
        let mut cut = Lowered::of(Cow::Owned(made.network), self.machine, options, hosts)?;
        cut.zeros = zeros_of(&cut.network, self.graph);
        (cut.pieces, cut.origins) = (pieces, made.origins);
        cut.overlap(self.machine);
        Ok(cut)
    }

    /// Makes pieces smaller, by what layers of the rewritten network lack, or leaves layers to the host; false if nothing can be done.
    fn cut(&mut self, cut: &Lowered, lacks: &Lacks) -> bool {
        let before = self.pieces.clone();
        let of_matrices = lacks.iter().filter(|(layer, _)| cut.is_of_matrices(*layer));
        let of_matrices: Vec<_> = of_matrices.cloned().collect();
        if self.leave(cut, &of_matrices) {
            return true;
        }
        let mut done = BTreeSet::new();
        for (layer, shortages) in lacks {
            let origin = cut.origins[*layer];
            let is_whole = cut.network.layers[*layer].kind.is_for_host()
                && cut.origins.get(layer + 1) != Some(&origin);
            let own = (!is_whole).then_some(origin);
            let is_cut = own.is_some_and(|own| !done.insert(own) || self.shrink(own, shortages));
            if !is_cut {
                for reader in self.readers_of_largest(origin) {
                    if done.insert(reader) {
                        self.shrink(reader, shortages);
                    }
                }
            }
        }
        self.pieces != before || self.leave(cut, lacks)
    }

    /// Leaves those of the layers to the host that cannot be cut; false if there are none.
    fn leave(&mut self, cut: &Lowered, lacks: &Lacks) -> bool {
        let before = self.hosts.len();
        for (layer, shortages) in lacks {
            let (origin, found) = (cut.origins[*layer], &cut.network.layers[*layer]);
            if cut.constants.hosts[*layer].is_none() && !can_be_cut(found) {
                let lack = shortages.first().map(Shortage::brief);
                self.hosts.insert(origin, lack.unwrap_or_default());
            }
        }
        self.hosts.len() > before
    }

    /// The layers that read what takes most room of all that must be there behind a layer.
    fn readers_of_largest(&self, layer: usize) -> Vec<usize> {
        let waiting = |tensor: usize| {
            let readers = self.graph.readers[tensor].iter().copied();
            let later = readers.filter(|&reader| reader > layer && !self.reads_bands(reader));
            later.collect::<Vec<_>>()
        };
        let tensors = (0..=layer + 1).filter(|&tensor| !waiting(tensor).is_empty());
        let largest = tensors.max_by_key(|&tensor| self.graph.network.tensor(tensor).0.elements());
        largest.map_or(Vec::new(), waiting)
    }

    /// What a layer reads need not be there as a whole.
    fn reads_bands(&self, layer: usize) -> bool {
        let rows = self.pieces.get(&layer).map(|pieces| pieces.rows);
        rows.is_some_and(|rows| rows < self.graph.network.layers[layer].output.height)
            || self.graph.constants.hosts[layer].is_some()
    }

    /// Makes the pieces of a layer smaller; false if that cannot be.
    fn shrink(&mut self, index: usize, shortages: &[Shortage]) -> bool {
        let layer = &self.graph.network.layers[index];
        if self.graph.constants.hosts[index].is_some() || !can_be_cut(layer) {
            return false;
        }
        let is_cut = shortages.iter().map(|shortage| {
            let directions: &[Direction] = match shortage.memory {
                Memory::Activations | Memory::Input if layer.groups > 1 => {
                    &[Direction::Rows, Direction::Channels]
                }
                Memory::Activations | Memory::Input => &[Direction::Rows],
                Memory::Weights | Memory::Program => &[Direction::Channels, Direction::Rows],
                Memory::ColumnTiles => &[Direction::Channels],
                Memory::Matrices | Memory::RowOffsets | Memory::Tables => &[],
            };
            let mut directions = directions.iter();
            directions.any(|&direction| self.shrink_in(index, direction, shortage))
        });
        is_cut.fold(false, |all, one| all | one)
    }

    /// The same in one direction: as many pieces as the shortage asks for, and some more than before.
    fn shrink_in(&mut self, index: usize, direction: Direction, shortage: &Shortage) -> bool {
        let layer = &self.graph.network.layers[index];
        let (whole, unit) = match direction {
            Direction::Rows => {
                let many = layer.output.height > 16;
                (layer.output.height, 1 + u32::from(self.even && many))
            }
            Direction::Channels => {
                let step = step(layer);
                let unit = step * self.machine.lanes().div_ceil(step);
                (layer.output.channels, unit)
            }
        };
        let pieces = self.pieces.get(&index).cloned();
        let mut pieces = pieces.unwrap_or_else(|| Pieces {
            layer: layer.name.clone(),
            channels: layer.output.channels,
            rows: layer.output.height,
            reason: shortage.to_string(),
        });
        let size = match direction {
            Direction::Rows => &mut pieces.rows,
            Direction::Channels => &mut pieces.channels,
        };
        if *size <= unit {
            return false;
        }
        let count = u64::from(whole.div_ceil(*size));
        let wanted = (count * shortage.needed).div_ceil(shortage.available.max(1));
        let wanted = wanted.max(count + count / 8 + 1).min(whole.into()) as u32;
        let units = whole.div_ceil(unit).div_ceil(wanted);
        *size = (units * unit).min((*size - 1) / unit * unit);
        let fits = pieces.fits(&self.graph.network);
        if fits {
            self.pieces.insert(index, pieces);
        }
        fits
    }
}

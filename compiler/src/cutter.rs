//! Layers that are too large even alone: which pieces each is cut into.
//!
//! The host keeps what its own layers read, so that of a tensor that only pieces read, nothing but one piece is in the machine.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use heddle_arch::params::Params;
use heddle_network::Network;

use crate::error::{CompileError, Memory, Shortage};
use crate::ir::{self, Constants, readers};
use crate::job::{Found, Job};
use crate::options::Options;
use crate::pieces::{Pieces, Rewritten, can_be_cut, rewritten, step};
use crate::place::Needs;
use crate::rule::Zeros;
use crate::{Compiled, map, segments};

/// Compiles a network whose layers may be too large; gives the network that was compiled as well, which is another one if some are.
///
/// # Errors
/// As [`compile_for`](crate::compile_for), of the network as it is.
pub fn compile_in_pieces<'n>(
    network: &'n Network,
    params: &Params,
    options: Options,
    zeros: &[Option<Zeros>],
) -> Result<(Cow<'n, Network>, Compiled), CompileError> {
    let fitted = fitted(network, params, options, zeros)?;
    let compiled = crate::compiled(&fitted.network, fitted.found, fitted.cut)?;
    Ok((fitted.network, compiled))
}

/// A network, perhaps with layers in pieces, and what became of its combinations of mappings.
pub(crate) struct Fitted<'n> {
    pub network: Cow<'n, Network>,
    pub found: Found,
    /// Why it is cut into segments, if it is.
    pub cut: Option<CompileError>,
}

/// Cuts layers until all of them fit; if they never do the network stays as it is.
pub(crate) fn fitted<'n>(
    network: &'n Network,
    params: &Params,
    options: Options,
    zeros: &[Option<Zeros>],
) -> Result<Fitted<'n>, CompileError> {
    let constants = ir::constants(network, params)?;
    let job = Job::new(network, params, options, zeros);
    let made = job.found(&constants);
    let is_too_large = match &made {
        Ok((found, _)) => found.program.is_none(),
        Err(error) => matches!(error, CompileError::DoesNotFit { .. }),
    };
    let is_too_large = is_too_large && can_be_kept(network);
    let cutter = Cutter {
        job,
        constants: &constants,
        pieces: BTreeMap::new(),
    };
    if let Some(fitted) = is_too_large.then(|| cutter.fitted()).flatten() {
        return Ok(fitted);
    }
    made.map(|(found, cut)| Fitted {
        network: Cow::Borrowed(network),
        found,
        cut,
    })
}

/// Elements of a tensor that the host keeps, at most.
const KEPT: usize = 1 << 22;

/// The host has room for every tensor.
fn can_be_kept(network: &Network) -> bool {
    let outputs = network.layers.iter().map(|layer| layer.output);
    let mut shapes = outputs.chain([network.input]);
    shapes.all(|shape| shape.elements() <= KEPT)
}

/// Layers that do not fit by themselves, and what they lack.
type Lacks = Vec<(usize, Vec<Shortage>)>;

/// The combinations of mappings of a network whose tensors the host keeps.
fn attempt(job: &Job) -> Result<(Found, Option<CompileError>), Lacks> {
    let (network, params) = (job.network, job.params);
    let constants = ir::constants(network, params).map(|mut constants| {
        constants.keep(network);
        constants
    });
    let other = |_| Lacks::new();
    let constants = constants.map_err(other)?;
    let lacks = lacks(job, &constants).map_err(other)?;
    if !lacks.is_empty() {
        return Err(lacks);
    }
    match job.found(&constants) {
        Ok((found, cut)) if found.program.is_some() => Ok((found, cut)),
        Ok((found, _)) => Err(named(network, found.least_special())),
        Err(error) => Err(named(network, error)),
    }
}

/// What each layer lacks by itself, when it makes use of nothing special.
fn lacks(job: &Job, constants: &Constants) -> Result<Lacks, CompileError> {
    let (network, params) = (job.network, job.params);
    let candidate = map::plain(network, constants, params, job.options)?;
    if !candidate.lowered.items.is_empty() {
        return Ok(Lacks::new());
    }
    let alone = segments::alone(network, job.options);
    let needs = Needs::of(network, &candidate, params, &alone);
    let layers = needs.all();
    let of_each = layers.map(|layer| (layer, needs.shortages(&(layer..layer + 1))));
    Ok(of_each.filter(|(_, lacks)| !lacks.is_empty()).collect())
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
fn zeros_of(network: &Network, original: &Network, zeros: &[Option<Zeros>]) -> Vec<Option<Zeros>> {
    let tensors = 0..=network.layers.len();
    let of = |tensor: usize| {
        let name = network.tensor_name(tensor);
        let mut known = (0..zeros.len()).filter(|&other| original.tensor_name(other) == name);
        known.next().and_then(|other| zeros[other])
    };
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
    job: Job<'n>,
    constants: &'a Constants,
    /// By layer.
    pieces: BTreeMap<usize, Pieces>,
}

impl Cutter<'_, '_> {
    /// The network in pieces in which all layers fit.
    fn fitted<'n>(mut self) -> Option<Fitted<'n>> {
        let network = self.job.network;
        loop {
            let pieces: Vec<Pieces> = self.pieces.values().cloned().collect();
            let made = rewritten(network, &pieces);
            let zeros = zeros_of(&made.network, network, self.job.zeros);
            let job = Job {
                network: &made.network,
                zeros: &zeros,
                ..self.job
            };
            match attempt(&job) {
                Ok((mut found, cut)) => {
                    let program = found.program.as_mut()?;
                    program.pieces = pieces;
                    // What the host keeps may leave room for all layers at once.
                    let cut = cut.filter(|_| !program.segments.is_empty());
                    let network = Cow::Owned(made.network);
                    return Some(Fitted {
                        network,
                        found,
                        cut,
                    });
                }
                Err(lacks) if self.cut(&made, &lacks) => {}
                Err(_) => return None,
            }
        }
    }

    /// Makes pieces smaller, by what layers of the rewritten network lack; false if there is nothing to cut.
    fn cut(&mut self, rewritten: &Rewritten, lacks: &Lacks) -> bool {
        let before = self.pieces.clone();
        let mut done = BTreeSet::new();
        for (layer, shortages) in lacks {
            let origin = rewritten.origins[*layer];
            let is_whole = rewritten.network.layers[*layer].kind.is_for_host()
                && rewritten.origins.get(layer + 1) != Some(&origin);
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
        self.pieces != before
    }

    /// The layers that read what takes most room of all that must be there behind a layer.
    fn readers_of_largest(&self, layer: usize) -> Vec<usize> {
        let waiting = |tensor: usize| {
            let readers = readers(self.job.network, tensor);
            let later = readers.filter(|&reader| reader > layer && !self.reads_bands(reader));
            later.collect::<Vec<_>>()
        };
        let tensors = (0..=layer + 1).filter(|&tensor| !waiting(tensor).is_empty());
        let largest = tensors.max_by_key(|&tensor| self.job.network.tensor(tensor).0.elements());
        largest.map_or(Vec::new(), waiting)
    }

    /// What a layer reads need not be there as a whole.
    fn reads_bands(&self, layer: usize) -> bool {
        let rows = self.pieces.get(&layer).map(|pieces| pieces.rows);
        rows.is_some_and(|rows| rows < self.job.network.layers[layer].output.height)
            || self.constants.hosts[layer].is_some()
    }

    /// Makes the pieces of a layer smaller; false if that cannot be.
    fn shrink(&mut self, index: usize, shortages: &[Shortage]) -> bool {
        let layer = &self.job.network.layers[index];
        if self.constants.hosts[index].is_some() || !can_be_cut(layer) {
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
        let layer = &self.job.network.layers[index];
        let (whole, unit) = match direction {
            Direction::Rows => (layer.output.height, 1),
            Direction::Channels => {
                let step = step(layer);
                let unit = step * self.job.params.lanes().div_ceil(step);
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
        let fits = pieces.fits(self.job.network);
        if fits {
            self.pieces.insert(index, pieces);
        }
        fits
    }
}

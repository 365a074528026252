//! What a network asks for: its layers as operations on planes or on matrices, what the host runs, and exact constants.

mod constants;
mod graph;
mod homes;
mod hosts;
mod join;
mod joined;
mod limits;
mod lying;
mod matrices;
mod needs;
mod overlap;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use heddle_arch::params::Params;
use heddle_network::Network;

use crate::error::CompileError;
use crate::options::Options;
use crate::pieces::Pieces;
use crate::rule::Zeros;
pub(crate) use constants::{Constants, TablePart};
pub use graph::{Graph, Node, Place};
pub(crate) use homes::Home;
use homes::Homes;
pub(crate) use joined::Joined;
pub(crate) use matrices::{Id, MatrixWork, Operation};
pub use needs::{Need, needs};

/// A network as operations.
#[derive(Debug, Clone)]
pub(crate) struct Lowered<'n> {
    pub network: Cow<'n, Network>,
    /// Exact constants, and what the host runs.
    pub constants: Constants,
    /// Tensors that programs load and store.
    pub homes: Homes,
    /// Tensors that are made in parts.
    pub joined: Joined,
    /// Tensors that are loaded while the layer before their reader runs, or stored while the one behind their maker does.
    pub overlapped: Vec<bool>,
    /// The layers that read each tensor.
    pub readers: Vec<Vec<usize>>,
    /// Operations on matrices; in the second one transposed copies stay for later layers.
    pub matrices: [MatrixWork; 2],
    /// Layers of the network as it was given that are cut into pieces.
    pub pieces: Vec<Pieces>,
    /// For each layer that of the network as it was given which it belongs to.
    pub origins: Vec<usize>,
    /// Zeros of the tensors, as far as they are known.
    pub zeros: Vec<Option<Zeros>>,
}

/// Lowers a network. Nothing is cut, and the host keeps nothing.
///
/// # Errors
/// The machine lacks what a layer needs.
pub(crate) fn lower<'n>(
    network: &'n Network,
    machine: &Params,
    options: &Options,
) -> Result<Lowered<'n>, CompileError> {
    let hosts = BTreeMap::new();
    let mut lowered = Lowered::of(Cow::Borrowed(network), machine, options, (false, hosts))?;
    limits::check(&lowered, machine)?;
    lowered.overlap(machine);
    lowered.zeros.clone_from(&options.zeros);
    Ok(lowered)
}

impl<'n> Lowered<'n> {
    /// A network whose tensors the host keeps where it can, if so; it also runs these layers, for these reasons.
    pub fn of(
        network: Cow<'n, Network>,
        machine: &Params,
        options: &Options,
        (keeps, hosts): (bool, BTreeMap<usize, String>),
    ) -> Result<Self, CompileError> {
        let readers = hosts::readers(&network);
        let mut constants = constants::constants((&network, &readers), hosts, machine)?;
        // The sparse cluster beside LOAD and STORE of tensors was not tried.
        let moves = options.moves && machine.programs_move() && !machine.has_cluster();
        let homes = match moves {
            true => Homes::of(&network, &constants.hosts, &readers),
            false => Homes::default(),
        };
        if keeps && homes.are_none() {
            constants.keep(&network, &readers);
        }
        let work = |keep| {
            matrices::lower(
                (&network, &readers),
                &constants,
                options.matrices,
                keep,
                machine.array.cols,
            )
        };
        let mut lowered = Self {
            matrices: [work(false), work(true)],
            origins: (0..network.layers.len()).collect(),
            network,
            constants,
            homes,
            joined: Joined::default(),
            overlapped: Vec::new(),
            readers,
            pieces: Vec::new(),
            zeros: Vec::new(),
        };
        for tensor in 0..=lowered.network.layers.len() {
            let end = lowered.lifetime(tensor).end;
            let matrices = lowered.matrices.iter_mut();
            matrices.for_each(|work| work.live(tensor, end));
        }
        Ok(lowered)
    }

    /// All layers.
    pub fn layers(&self) -> Range<usize> {
        0..self.network.layers.len()
    }

    /// The array or the cluster makes a layer of planes.
    pub fn is_of_planes(&self, layer: usize) -> bool {
        let work = self.network.layers[layer].work();
        work.is_of_planes() && self.constants.hosts[layer].is_none()
    }

    /// It is made of operations on matrices.
    pub fn is_of_matrices(&self, layer: usize) -> bool {
        self.matrices[0].is_of_matrices(layer)
    }

    /// So many layers that they cannot be looked at one by one: pieces of a layer go the same way.
    pub fn is_large(&self) -> bool {
        self.network.layers.len() >= 256
    }

    /// What layers that go the same way have in common.
    pub fn kin(&self, layer: usize) -> usize {
        match self.is_large() {
            true => self.origins[layer],
            false => layer,
        }
    }

    /// Something lies as matrices.
    pub fn has_matrices(&self) -> bool {
        !self.matrices[0].items.is_empty()
    }

    /// Steps in which a tensor is needed. In step i + 1 layer i runs; the host writes the input in step 0 and reads the
    /// outputs in the last one. What it keeps it reads in the step that makes it.
    pub fn lifetime(&self, tensor: usize) -> Range<usize> {
        let readers = &self.readers[tensor];
        if self.joined.part(tensor).is_some() {
            return tensor..tensor;
        }
        if self.homes.tensor(tensor).is_some() {
            return self.lifetime_at_home(tensor);
        }
        if self.constants.kept.get(tensor) == Some(&true) {
            let layers = readers.iter().copied().chain(tensor.checked_sub(1));
            let machine = layers.filter(|&layer| self.constants.hosts[layer].is_none());
            return tensor..machine.max().map_or(tensor, |last| last + 2);
        }
        let end = self.network.layers.len() + 1;
        let last = match self.network.outputs.contains(&tensor) {
            true => end,
            false => readers.last().map_or(end, |reader| reader + 1),
        };
        self.joined.first(tensor).unwrap_or(tensor)..last + 1
    }

    /// The machine makes or reads a tensor.
    pub fn is_of_machine(&self, tensor: usize) -> bool {
        let machine = |layer: usize| self.constants.hosts[layer].is_none();
        let mut readers = self.readers[tensor].iter();
        self.is_made(tensor) || readers.any(|&reader| machine(reader))
    }

    /// The machine makes a tensor.
    pub fn is_made(&self, tensor: usize) -> bool {
        let made = tensor.checked_sub(1);
        self.joined.first(tensor).is_some()
            || made.is_some_and(|made| self.constants.hosts[made].is_none())
    }

    /// The machine reads a tensor of the host's memory that it does not make.
    pub fn is_loaded(&self, tensor: usize) -> bool {
        let reads = self.homes.tensor(tensor).is_some() && self.is_of_machine(tensor);
        reads && !self.is_made(tensor)
    }

    /// A program can clear the halos of a tensor: it makes or loads it.
    pub fn is_cleared(&self, tensor: usize) -> bool {
        self.is_made(tensor) || self.homes.tensor(tensor).is_some()
    }

    /// Neither the machine nor LOAD and STORE do a layer.
    pub fn is_of_host(&self, layer: usize) -> bool {
        self.constants.hosts[layer].is_some() && !self.homes.do_layer(layer)
    }

    /// A run of the machine ends with a tensor: the host reads it.
    pub fn is_read_behind(&self, tensor: usize) -> bool {
        let kept = &self.constants.kept;
        self.network.outputs.contains(&tensor) || kept.get(tensor) == Some(&true)
    }

    /// The first layer of the machine behind one.
    pub fn machine_behind(&self, layer: usize) -> Option<usize> {
        let mut behind = layer + 1..self.network.layers.len();
        behind.find(|&layer| self.constants.hosts[layer].is_none())
    }
}

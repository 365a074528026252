//! What a machine needs to run a network.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use heddle_arch::host::ClusterStream;
use heddle_arch::isa::Instruction;
use heddle_arch::word::WordBytes;
use heddle_network::Network;

use super::{Load, Segment, SyncCount};
use crate::choose::MappingChoice;
use crate::layout::TensorPlan;
use crate::memory::{HostTensor, LINE, SCRATCH};
use crate::pieces::{Pieces, rewritten};
use crate::rule::{Engine, EngineChoice};
use crate::schedule::Schedule;

/// Everything that a host writes to a machine to run a network, and where it finds the tensors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Name of the network.
    pub network: String,
    /// Layers of the network that are cut into pieces: those of the program are of the network that this makes.
    pub pieces: Vec<Pieces>,
    /// The host keeps what runs make, or what it has written: its layers take their inputs from there and not from the machine.
    pub keeps: bool,
    /// What the host loads for a segment lies beside what it loads for the next one.
    pub double_buffered: bool,
    /// The layers in the order in which they run.
    pub layers: Vec<LayerPlan>,
    /// What the host starts, one after the other: all layers, or each of them.
    pub runs: Vec<RunPlan>,
    /// What the host writes once. Its words of the state buffer are zeros wherever tensors and their halos lie, and weights.
    pub once: Load,
    /// What the host writes for each image between runs, if not everything fits at once; else none.
    pub segments: Vec<Segment>,
    /// Words of the state buffer that the program loads, one LOAD behind the other; offsets of LOADs are bytes of these.
    pub moved: Vec<WordBytes>,
    /// Tensors of the host's memory that the program loads and stores.
    pub host: Vec<HostTensor>,
    /// Words for the streams of the sparse cluster, written once in this order: it takes each of them when it needs it.
    pub cluster: Vec<(ClusterStream, u64)>,
    /// The input of the network, then the output of each layer.
    pub tensors: Vec<TensorPlan>,
    /// The instructions with their dependencies, without waiting and without HALT.
    pub schedule: Schedule,
}

/// A layer of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayerPlan {
    /// Name.
    pub name: String,
    /// The host runs it.
    pub host: bool,
    /// Neither the host nor an engine does it: LOADs and STOREs move its tensors, or its parts lie where the whole does.
    pub moved: bool,
    /// Its engine and why; none if there is no choice.
    pub engine: Option<EngineChoice>,
    /// Instructions.
    pub instructions: u32,
    /// Multiply-accumulates of the layer for one image, padding included.
    pub macs: u64,
    /// Tensor slots that the layer takes: the counter VECTORS.
    pub vectors: u64,
    /// Operands of the layer: tensor slots times the rows that have a tap.
    pub operands: u64,
    /// How the taps are laid over the rows.
    pub choice: MappingChoice,
    /// Inputs for which its outputs were compared with what is meant, and equal: all there are. None if it is the same
    /// arithmetic.
    pub compared: Option<u64>,
    /// Indices of the inputs among the tensors of the program.
    pub inputs: Vec<usize>,
    /// Index of the output among the tensors of the program.
    pub output: usize,
}

/// Instructions that the host starts at once; they end with HALT.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunPlan {
    /// Name: that of the layer, or of the network.
    pub name: String,
    /// The host makes the output of the layer of what its inputs hold; there are no instructions.
    pub host: bool,
    /// Program word at which it starts.
    pub start_pc: u32,
    /// Instructions, HALT included.
    pub instructions: u32,
    /// The layers.
    pub layers: Range<usize>,
    /// Cycles of one image: the counter CYCLES.
    pub cycles: u64,
    /// The cycles are an estimate: those of layers on the sparse cluster depend on the values.
    pub estimated: bool,
    /// What became of the dependencies of its instructions.
    pub sync: SyncCount,
}

impl LayerPlan {
    /// The engine of a layer that does not run on the host.
    #[must_use]
    pub fn engine_of(&self) -> Engine {
        let choice = self.engine.as_ref();
        choice.map_or(Engine::Dense, |choice| choice.engine)
    }
}

impl Program {
    /// What the host writes before it starts a run, beside what it has written once; where two segments lie beside each other, as early as
    /// it may: what the next segment needs.
    pub fn loads_before(&self, run: usize) -> impl Iterator<Item = &Load> {
        let begins = |segment: &Segment| segment.runs.start == run;
        let number = self.segments.iter().position(begins);
        let (first, count) = match (number, self.double_buffered) {
            (None, _) => (0, 0),
            (Some(number), false) => (number, 1),
            (Some(0), true) => (0, 2),
            (Some(number), true) => (number + 1, 1),
        };
        let segments = self.segments.iter().skip(first).take(count);
        segments.map(|segment| &segment.load)
    }

    /// The instruction words of a run, HALT included; none of a run of the host.
    #[must_use]
    pub fn words_of(&self, run: usize) -> &[u32] {
        let plan = &self.runs[run];
        let (load, first) = self.load_of(run);
        let load = match load.checked_sub(1) {
            Some(segment) => &self.segments[segment].load,
            None => &self.once,
        };
        let words = load.words.get(first..).unwrap_or_default();
        let end = (0..plan.instructions).fold(0, |end, _| {
            Instruction::decode(&words[end..]).map_or(end, |(_, length)| end + length)
        });
        &words[..end]
    }

    /// Which load has the instruction words of a run, 0 for what is written once and else the number of the segment from 1 on, and the
    /// first of these words.
    pub(crate) fn load_of(&self, run: usize) -> (usize, usize) {
        let mut segments = self.segments.iter();
        let own = segments.position(|segment| segment.runs.contains(&run));
        let own = own.filter(|&segment| !self.segments[segment].load.words.is_empty());
        let load = own.map_or(&self.once, |segment| &self.segments[segment].load);
        let first = self.runs[run].start_pc.saturating_sub(load.first_word);
        (own.map_or(0, |segment| segment + 1), first as usize)
    }

    /// Words of tensors that the host writes for each image, and those that it reads.
    #[must_use]
    pub fn tensor_words(&self, network: &Network) -> [u64; 2] {
        let tensors = self.words_of_tensors(network).into_iter();
        tensors.fold([0, 0], |all, one| [all[0] + one[0], all[1] + one[1]])
    }

    /// For each tensor the words that the host writes for an image, with all copies, and those that it reads of what the machine
    /// makes: outputs of the network and inputs of its own layers.
    pub(crate) fn words_of_tensors(&self, network: &Network) -> Vec<[u64; 2]> {
        let mut outputs = BTreeSet::new();
        outputs.extend(network.outputs.iter().map(|&o| network.tensor_name(o)));
        let by_host = self.layers.iter().filter(|layer| layer.host);
        let inputs: BTreeSet<&usize> = by_host.flat_map(|layer| &layer.inputs).collect();
        let tensors = self.tensors.iter().enumerate();
        let words = tensors.map(|(tensor, plan)| {
            let is_written = tensor == 0 || self.layers[tensor - 1].host;
            let is_read = inputs.contains(&tensor) || outputs.contains(plan.name.as_str());
            match (is_written, is_read) {
                (true, _) => [plan.written_words(), 0],
                (false, true) => [0, plan.word_places().len() as u64],
                (false, false) => [0, 0],
            }
        });
        words.collect()
    }

    /// Name of a run that no other run has: where several have that of the network, its first and its last layer.
    #[must_use]
    pub fn run_name(&self, run: usize) -> String {
        let RunPlan { name, layers, .. } = &self.runs[run];
        let [first, last] = [layers.start, layers.end - 1].map(|layer| &self.layers[layer].name);
        match self.runs.iter().filter(|other| other.name == *name).count() {
            2.. => format!("{first} to {last}"),
            _ => name.clone(),
        }
    }

    /// Bytes of the host's memory that only programs load and store.
    #[must_use]
    pub fn scratch_bytes(&self) -> u32 {
        self.host_end(SCRATCH).next_multiple_of(LINE)
    }

    /// The end of the tensors in a region that programs load and store.
    pub(crate) fn host_end(&self, region: u32) -> u32 {
        let tensors = self.host.iter().filter(|own| own.region == region);
        tensors.map(HostTensor::end).max().unwrap_or(0)
    }

    /// Instruction words of all runs.
    #[must_use]
    pub fn program_words(&self) -> usize {
        let segments = self.segments.iter();
        self.once.words.len() + segments.map(|s| s.load.words.len()).sum::<usize>()
    }

    /// Whether the program, read from a file, can be that of a network: names, inputs and work of all layers, shapes and
    /// zero points of all tensors.
    ///
    /// # Errors
    /// What differs.
    pub fn check_network(&self, network: &Network) -> Result<(), String> {
        let (found, expected) = (self.layers.len(), network.layers.len());
        if found != expected {
            return Err(format!(
                "program of {} with {found} layers, {} has {expected}",
                self.network, network.name
            ));
        }
        let same = |what: &str, found: String, expected: String| match found == expected {
            true => Ok(()),
            false => Err(format!(
                "program of {}: {what} is {found}, expected {expected}",
                self.network
            )),
        };
        same("network", self.network.clone(), network.name.clone())?;
        for (plan, layer) in self.layers.iter().zip(&network.layers) {
            let inputs: Vec<usize> = layer.inputs.iter().map(|input| input.tensor).collect();
            let at = |field| format!("{field} of layer {}", layer.name);
            same(&at("name"), plan.name.clone(), layer.name.clone())?;
            same(&at("macs"), plan.macs.to_string(), layer.macs().to_string())?;
            same(
                &at("inputs"),
                format!("{:?}", plan.inputs),
                format!("{inputs:?}"),
            )?;
        }
        for run in &self.runs {
            let first = &network.layers[run.layers.start].name;
            let name = match run.layers.len() {
                1 if run.name == *first => first,
                _ => &network.name,
            };
            same("name of a run", run.name.clone(), name.clone())?;
        }
        for &output in &network.outputs {
            if !self.runs.iter().any(|run| run.layers.end == output) {
                return Err(format!(
                    "program of {}: no run ends with {}, an output of {}",
                    self.network,
                    network.tensor_name(output),
                    network.name
                ));
            }
        }
        for (index, tensor) in self.tensors.iter().enumerate() {
            let name = network.tensor_name(index);
            same(
                &format!("name of tensor {index}"),
                tensor.name.clone(),
                name.to_string(),
            )?;
            let (shape, zero_point) = network.tensor(index);
            if (tensor.shape, tensor.zero_point) != (shape, zero_point) {
                return Err(format!(
                    "program of {}: tensor {} is not like {} of {}",
                    self.network,
                    tensor.name,
                    network.tensor_name(index),
                    network.name
                ));
            }
        }
        Ok(())
    }

    /// The network that the program is of: the one that is given, or its layers in pieces.
    ///
    /// # Errors
    /// A layer of which the program has pieces is not there, or cannot be cut so.
    pub fn network_of<'n>(&self, network: &'n Network) -> Result<Cow<'n, Network>, String> {
        let mut pieces = self.pieces.iter();
        match pieces.find(|pieces| !pieces.fits(network)) {
            Some(Pieces { layer, .. }) => Err(format!(
                "program of {}: {} has no layer {layer} that can be cut as pieces.{layer} says",
                self.network, network.name
            )),
            None if self.pieces.is_empty() => Ok(Cow::Borrowed(network)),
            None => Ok(Cow::Owned(rewritten(network, &self.pieces).network)),
        }
    }
}

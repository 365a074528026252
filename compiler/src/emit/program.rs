//! What a machine needs to run a network.

use std::ops::Range;

use heddle_arch::host::{ClusterStream, ColumnScale};
use heddle_arch::network::Network;

use super::SyncCount;
use crate::layout::TensorPlan;
use crate::map::MappingChoice;
use crate::rule::{Engine, EngineChoice};
use crate::schedule::Schedule;

/// Everything that a host writes to a machine to run a network, and where it finds the tensors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Name of the network.
    pub network: String,
    /// Instruction words from program word 0 on.
    pub words: Vec<u32>,
    /// The layers in the order in which they run.
    pub layers: Vec<LayerPlan>,
    /// What the host starts, one after the other: all layers, or each of them.
    pub runs: Vec<RunPlan>,
    /// Column parameters of all layers.
    pub columns: Vec<ColumnParam>,
    /// State-buffer words (partition, word, bytes), written once with HOST_ZERO = 0: weights, and
    /// zeros wherever tensors and their halos lie.
    pub image: Vec<(u32, u32, [u8; 8])>,
    /// Offset tables of the rows (row, entry, offset or none), written once.
    pub row_offsets: Vec<(u32, u32, Option<u16>)>,
    /// Tables of functions of one byte, from number 1 on: 256 stored bytes each, written once.
    pub tables: Vec<Vec<u8>>,
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

/// Bias and scale of one output channel, and where they belong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColumnParam {
    /// Array column.
    pub column: u32,
    /// Column tile.
    pub tile: u32,
    /// Bias.
    pub bias: i32,
    /// Scale.
    pub scale: ColumnScale,
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
}

//! The whole network: instructions of all layers, column parameters, image.
//!
//! A program is made in three stages, each of which can be printed: [`Graph`](crate::Graph), [`Schedule`], and the
//! instructions themselves.

use std::ops::Range;

use heddle_arch::isa::{Instruction, Matmul, ROW_TENSOR, Wait};
use heddle_arch::network::{Layer, Network};
use heddle_arch::params::{MachineUnit, Params};
use heddle_arch::requantise::Scale;

use crate::choose::choose;
use crate::cycles::cycles;
use crate::error::{CompileError, Memory, Shortage};
use crate::layer::{PlacedLayer, check_layer, check_scales};
use crate::mapping::{Mapping, MappingChoice, MappingCost, Options};
use crate::place::{Placement, place};
use crate::schedule::Schedule;
use crate::sync::{SyncCount, synchronise};
use crate::tensor::TensorPlan;

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
    /// Program word at which it starts.
    pub start_pc: u32,
    /// Instructions, HALT included.
    pub instructions: u32,
    /// The layers.
    pub layers: Range<usize>,
    /// Cycles of one image: the counter CYCLES.
    pub cycles: u64,
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
    pub scale: Scale,
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

/// Compiles a network for a machine.
///
/// # Errors
/// [`CompileError`]: the machine lacks traversal rows or loops, or memory.
pub fn compile(network: &Network, params: &Params) -> Result<Program, CompileError> {
    compile_with(network, params, Options::default())
}

/// Compiles a network for a machine.
///
/// # Errors
/// As [`compile`].
pub fn compile_with(
    network: &Network,
    params: &Params,
    options: Options,
) -> Result<Program, CompileError> {
    let traversal = &params.traversal;
    for (field, found) in [
        ("traversal.rows", traversal.rows),
        ("traversal.loops", traversal.loops),
    ] {
        if found < 2 {
            return Err(CompileError::Traversal { field, found });
        }
    }
    // Loads walk the words of a tile and the tiles, and then a tail; the least of products are a prologue and two
    // loops of operands, of drains two loops of pixels.
    for (unit, needed) in [
        (MachineUnit::Weights, &[2, 1][..]),
        (MachineUnit::Stream, &[0, 2]),
        (MachineUnit::Drain, &[2]),
    ] {
        let loops = traversal.unit_loops(unit);
        if loops.len() < needed.len() || loops.iter().zip(needed).any(|(has, needs)| has < needs) {
            let field = traversal.unit_field(unit, "traversal.loops");
            return Err(CompileError::Unit {
                field,
                loops,
                needed,
            });
        }
    }
    let check = |what: fn(&Layer, &Params) -> Result<(), String>| {
        let mut layers = network.layers.iter();
        layers.try_for_each(|layer| {
            what(layer, params).map_err(|message| CompileError::Layer {
                layer: layer.name.clone(),
                message,
            })
        })
    };
    check(check_scales)?;
    let mut layers = network.layers.iter();
    if layers.any(|layer| layer.kind.is_of_matrices()) {
        return crate::matrices::build(network, options, params);
    }
    check(check_layer)?;
    let with = |mappings: &[Mapping]| build(network, mappings, options.whole, params);
    choose(network, options.mapping, params, with)
}

/// The program with a mapping for each layer.
fn build(
    network: &Network,
    mappings: &[Mapping],
    whole: bool,
    params: &Params,
) -> Result<Program, CompileError> {
    let does_not_fit = |shortages| CompileError::DoesNotFit {
        network: network.name.clone(),
        configuration: params.name.clone(),
        shortages,
    };
    // Streamed weights may take more words.
    let placement = place(network, mappings, true, params)
        .or_else(|_| place(network, mappings, false, params))
        .map_err(does_not_fit)?;
    let mut program = Program {
        network: network.name.clone(),
        words: Vec::new(),
        layers: Vec::new(),
        runs: Vec::new(),
        columns: Vec::new(),
        image: image(network, &placement),
        row_offsets: placement.tables.offsets(),
        tensors: placement.tensors.clone(),
        schedule: Schedule::default(),
    };
    for placed in placed_layers(network, &placement, params) {
        let instructions = placed.instructions();
        let (index, name) = (program.layers.len(), &placed.layer.name);
        let plan = layer_plan(&placed, mappings[index], &instructions, index);
        program.layers.push(plan);
        let inputs = placed.inputs.iter();
        let tensors = inputs.map(|input| input.base..input.base + input.bytes);
        program
            .schedule
            .push_layer(name, instructions, &tensors.collect::<Vec<_>>());
        push_columns(&mut program.columns, &placed);
    }
    program.schedule.connect();
    let count = network.layers.len();
    match whole {
        true => push_run(&mut program, &network.name, 0..count, params),
        false => {
            for index in 0..count {
                let name = &network.layers[index].name;
                push_run(&mut program, name, index..index + 1, params);
            }
        }
    }
    let needed = program.words.len() as u64;
    match Shortage::of(Memory::Program, needed, params.program.words.into()) {
        Some(shortage) => Err(does_not_fit(vec![shortage])),
        None => Ok(program),
    }
}

fn placed_layers<'a>(
    network: &'a Network,
    placement: &'a Placement,
    params: &'a Params,
) -> Vec<PlacedLayer<'a>> {
    let mut first_column_tile = 0;
    let mut placed = Vec::new();
    for (index, layer) in network.layers.iter().enumerate() {
        let (weights, weight_base) = &placement.weights[index];
        let inputs = layer.inputs.iter();
        placed.push(PlacedLayer {
            layer,
            params,
            inputs: inputs
                .map(|input| &placement.tensors[input.tensor])
                .collect(),
            output: &placement.tensors[index + 1],
            weights,
            weight_base: *weight_base,
            first_column_tile,
            first_entries: &placement.tables.first[index],
        });
        first_column_tile += weights.column_tiles;
    }
    placed
}

/// Adds the instructions of some layers, and HALT behind them.
pub(crate) fn push_run(program: &mut Program, name: &str, layers: Range<usize>, params: &Params) {
    let (instructions, sync) = synchronise(&program.schedule, layers.clone());
    let instructions = halted(instructions);
    let start_pc = program.words.len() as u32;
    for instruction in &instructions {
        debug_assert_eq!(instruction.check_machine(params), Ok(()));
        program.words.extend(instruction.encode());
    }
    program.runs.push(RunPlan {
        name: name.to_string(),
        start_pc,
        instructions: instructions.len() as u32,
        layers,
        cycles: cycles(&instructions, params) + u64::from(params.fetch_cycles()),
        sync,
    });
}

fn layer_plan(
    placed: &PlacedLayer<'_>,
    mapping: Mapping,
    instructions: &[Instruction],
    index: usize,
) -> LayerPlan {
    let input_bytes: u64 = placed
        .inputs
        .iter()
        .map(|input| u64::from(input.bytes))
        .sum();
    LayerPlan {
        name: placed.layer.name.clone(),
        instructions: instructions.len() as u32,
        macs: placed.layer.macs(),
        vectors: placed.vectors(),
        operands: placed.operands(),
        choice: MappingChoice {
            mapping,
            cost: MappingCost {
                cycles: alone(instructions, placed.params),
                buffer_bytes: input_bytes + placed.weights.bytes(),
            },
            other: None,
            reason: "its input has no copies".to_string(),
        },
        inputs: placed
            .layer
            .inputs
            .iter()
            .map(|input| input.tensor)
            .collect(),
        output: index + 1,
    }
}

/// Cycles of a layer that runs alone.
fn alone(instructions: &[Instruction], params: &Params) -> u64 {
    cycles(&halted(instructions.to_vec()), params)
}

/// Tensor slots of an instruction: what the counter VECTORS counts.
pub(crate) fn tensor_slots(instruction: &Instruction) -> u64 {
    let Instruction::Matmul(Matmul { record, repeat, .. }) = instruction else {
        return 0;
    };
    let Some(block) = record.rows.iter().find(|block| block.row == ROW_TENSOR) else {
        return 0;
    };
    let loops = block.loops.iter();
    let trips = loops.map(|l| l.end.div_ceil(l.step.max(1)).max(1));
    let once = trips.fold(1, |slots: u64, trips| slots.saturating_mul(trips.into()));
    once.saturating_mul(repeat.map_or(1, |repeat| repeat.times.into()))
}

/// The instructions and HALT.
pub(crate) fn halted(mut instructions: Vec<Instruction>) -> Vec<Instruction> {
    instructions.push(Instruction::Halt {
        wait: Wait::default(),
    });
    instructions
}

fn push_columns(columns: &mut Vec<ColumnParam>, placed: &PlacedLayer<'_>) {
    let (layer, plan) = (placed.layer, placed.weights);
    for tile in 0..plan.column_tiles {
        for column in 0..plan.columns(layer, tile) {
            let (channel, _) = plan.output(tile, column);
            columns.push(ColumnParam {
                column,
                tile: placed.first_column_tile + tile,
                bias: layer.bias[channel as usize],
                scale: layer.scales[channel as usize],
            });
        }
    }
}

fn image(network: &Network, placement: &Placement) -> Vec<(u32, u32, [u8; 8])> {
    let mut image = Vec::new();
    let partitions = placement.tensors.iter().map(|tensor| tensor.planes.len());
    for partition in 0..partitions.max().unwrap_or(0) as u32 {
        let words = 0..placement.activation_bytes / 8;
        let words = words.chain(placement.input_words.clone());
        image.extend(words.map(|word| (partition, word, [0; 8])));
        for (layer, (weights, base)) in network.layers.iter().zip(&placement.weights) {
            if partition < weights.rows {
                let words = (base / 8..).zip(weights.words(layer, partition));
                image.extend(words.map(|(word, data)| (partition, word, data)));
            }
        }
    }
    image
}

//! The whole network: instructions of all layers, column parameters, image.

use heddle_arch::isa::{Instruction, Wait};
use heddle_arch::network::Network;
use heddle_arch::params::Params;
use heddle_arch::requantise::Scale;

use crate::cycles::cycles;
use crate::error::{CompileError, Memory, Shortage};
use crate::layer::PlacedLayer;
use crate::mapping::{Mapping, MappingChoice, MappingCost, Options};
use crate::place::{Placement, place};
use crate::tensor::TensorPlan;

/// Everything that a host writes to a machine to run a network, and where it finds the tensors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Instruction words from program word 0 on.
    pub words: Vec<u32>,
    /// The layers in the order in which they run.
    pub layers: Vec<LayerPlan>,
    /// Column parameters of all layers.
    pub columns: Vec<ColumnParam>,
    /// State-buffer words (partition, word, bytes), written once with HOST_ZERO = 0: weights, and
    /// zeros wherever tensors and their halos lie.
    pub image: Vec<(u32, u32, [u8; 8])>,
    /// Offset tables of the rows (row, entry, offset or none), written once.
    pub row_offsets: Vec<(u32, u32, Option<u16>)>,
    /// The input of the network, then the output of each layer.
    pub tensors: Vec<TensorPlan>,
}

/// A layer of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayerPlan {
    /// Name.
    pub name: String,
    /// Program word at which the layer starts; it ends with HALT.
    pub start_pc: u32,
    /// Instructions, HALT included.
    pub instructions: u32,
    /// Multiply-accumulates of the layer for one image, padding included.
    pub macs: u64,
    /// Tensor slots that the layer takes: the counter VECTORS.
    pub vectors: u64,
    /// Operands of the layer: tensor slots times the rows that have a tap.
    pub operands: u64,
    /// How the taps are laid over the rows.
    pub choice: MappingChoice,
    /// Index of the input among the tensors of the program.
    pub input: usize,
    /// Index of the output among the tensors of the program.
    pub output: usize,
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

/// Compiles a network for a machine.
///
/// # Errors
/// [`CompileError`]: the machine lacks traversal rows or loops, or memory.
pub fn compile(network: &Network, params: &Params) -> Result<Program, CompileError> {
    compile_with(network, params, Options::default())
}

/// Compiles a network for a machine. Only the first layer can have its taps laid over the rows:
/// the host writes its input into every partition that needs it, while a drain leaves each channel
/// in one partition.
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
    let build = |mapping| build(network, mapping, params);
    let (channel, flattened) = (build(Mapping::Channel), build(Mapping::Flattened));
    let (chosen, other, reason) = match (options.mapping, channel, flattened) {
        (Some(Mapping::Channel), channel, flattened) => (channel?, flattened.ok(), "as asked for"),
        (Some(Mapping::Flattened), channel, flattened) => {
            (flattened?, channel.ok(), "as asked for")
        }
        (None, Ok(channel), Ok(flattened)) => {
            let faster = first_cycles(&flattened) < first_cycles(&channel);
            match faster {
                true => (flattened, Some(channel), "fewer cycles"),
                false => (channel, Some(flattened), "not more cycles"),
            }
        }
        (None, Ok(channel), Err(_)) => (channel, None, "flattened does not fit"),
        (None, Err(_), Ok(flattened)) => (flattened, None, "channel does not fit"),
        (None, Err(error), Err(_)) => return Err(error),
    };
    let mut program = chosen;
    let first = &mut program.layers[0].choice;
    first.other = other.map(|other| other.layers[0].choice.cost);
    first.reason = reason.to_string();
    Ok(program)
}

fn first_cycles(program: &Program) -> u64 {
    program.layers[0].choice.cost.cycles
}

/// The program with this mapping of the first layer.
fn build(network: &Network, mapping: Mapping, params: &Params) -> Result<Program, CompileError> {
    let does_not_fit = |shortages| CompileError::DoesNotFit {
        network: network.name.clone(),
        configuration: params.name.clone(),
        shortages,
    };
    let placement = place(network, mapping, params).map_err(does_not_fit)?;
    let mut program = Program {
        words: Vec::new(),
        layers: Vec::new(),
        columns: Vec::new(),
        image: image(network, &placement),
        row_offsets: Vec::new(),
        tensors: placement.tensors.clone(),
    };
    let mut first_column_tile = 0;
    for (index, layer) in network.layers.iter().enumerate() {
        let (weights, weight_base) = &placement.weights[index];
        let placed = PlacedLayer {
            layer,
            params,
            input: &placement.tensors[index],
            output: &placement.tensors[index + 1],
            weights,
            weight_base: *weight_base,
            first_column_tile,
        };
        push_layer(&mut program, &placed, index);
        push_columns(&mut program.columns, &placed);
        program.row_offsets.extend(placed.row_offsets());
        first_column_tile += weights.column_tiles;
    }
    let needed = program.words.len() as u64;
    match Shortage::of(Memory::Program, needed, params.program.words.into()) {
        Some(shortage) => Err(does_not_fit(vec![shortage])),
        None => Ok(program),
    }
}

fn push_layer(program: &mut Program, placed: &PlacedLayer<'_>, index: usize) {
    let start_pc = program.words.len() as u32;
    let mut instructions = placed.instructions();
    instructions.push(Instruction::Halt {
        wait: Wait::default(),
    });
    for instruction in &instructions {
        debug_assert_eq!(instruction.check_machine(placed.params), Ok(()));
        program.words.extend(instruction.encode());
    }
    program.layers.push(LayerPlan {
        name: placed.layer.name.clone(),
        start_pc,
        instructions: instructions.len() as u32,
        macs: placed.layer.macs(),
        vectors: placed.vectors(),
        operands: placed.operands(),
        choice: MappingChoice {
            mapping: match placed.weights.flattening {
                Some(_) => Mapping::Flattened,
                None => Mapping::Channel,
            },
            cost: MappingCost {
                cycles: cycles(&instructions, placed.params),
                buffer_bytes: u64::from(placed.input.bytes) + placed.weights.bytes(),
            },
            other: None,
            reason: "its input has no copies".to_string(),
        },
        input: index,
        output: index + 1,
    });
}

fn push_columns(columns: &mut Vec<ColumnParam>, placed: &PlacedLayer<'_>) {
    let channels = placed.layer.bias.iter().zip(&placed.layer.scales);
    for (channel, (&bias, &scale)) in (0..).zip(channels) {
        columns.push(ColumnParam {
            column: channel % placed.weights.lanes,
            tile: placed.first_column_tile + channel / placed.weights.lanes,
            bias,
            scale,
        });
    }
}

fn image(network: &Network, placement: &Placement) -> Vec<(u32, u32, [u8; 8])> {
    let mut image = Vec::new();
    let partitions = placement.tensors.iter().map(|tensor| tensor.planes.len());
    for partition in 0..partitions.max().unwrap_or(0) as u32 {
        let words = 0..placement.activation_bytes / 8;
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

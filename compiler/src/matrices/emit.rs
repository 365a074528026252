//! The program of a network of matrices.

use heddle_arch::isa::Instruction;
use heddle_arch::network::Network;
use heddle_arch::params::Params;
use heddle_arch::requantise::Scale;

use super::lower::{Lowered, Operation};
use super::place::Placed;
use super::{IdentitySource, MatrixOptions};
use crate::cycles::cycles;
use crate::error::{CompileError, Memory, Shortage};
use crate::mapping::{Mapping, MappingChoice, MappingCost, Options};
use crate::matrix::{
    DrainForm, MatrixError, MatrixPlace, Portions, Product, Scaling, Transpose, WideTranspose,
};
use crate::program::{ColumnParam, LayerPlan, Program, halted, push_run, tensor_slots};
use crate::schedule::Schedule;
use crate::sync::synchronise;
use crate::tensor::{MatrixTensor, TensorPlan};

/// Makes the program.
pub(super) fn emit(
    network: &Network,
    lowered: &Lowered,
    placed: &Placed,
    options: Options,
    params: &Params,
) -> Result<Program, CompileError> {
    let does_not_fit = |memory, needed: u64, available: u32| {
        let shortage = Shortage::of(memory, needed, available.into())?;
        Some(CompileError::DoesNotFit {
            network: network.name.clone(),
            configuration: params.name.clone(),
            shortages: vec![shortage],
        })
    };
    let tiles = lowered.tiles.len() as u64 + u64::from(transposes(lowered));
    if let Some(error) = does_not_fit(Memory::ColumnTiles, tiles, params.column_tiles) {
        return Err(error);
    }
    let emitter = Emitter {
        lowered,
        placed,
        options: options.matrices,
        tile: unit_tile(lowered, options.matrices, params),
        params,
    };
    let mut program = Program {
        network: network.name.clone(),
        words: Vec::new(),
        layers: Vec::new(),
        runs: Vec::new(),
        columns: emitter.columns(),
        image: emitter.image(),
        row_offsets: Vec::new(),
        tensors: emitter.tensors(network),
        schedule: Schedule::default(),
    };
    for (index, layer) in network.layers.iter().enumerate() {
        let instructions = emitter.layer(index).map_err(|error| CompileError::Layer {
            layer: layer.name.clone(),
            message: error.to_string(),
        })?;
        program.schedule.push_layer(&layer.name, instructions, &[]);
    }
    program.schedule.connect();
    program.schedule.connect_banks(params.bank_bytes());
    for index in 0..network.layers.len() {
        let plan = emitter.plan(network, index, &program.schedule);
        program.layers.push(plan);
    }
    let count = network.layers.len();
    match options.whole {
        true => push_run(&mut program, &network.name, 0..count, params),
        false => {
            for (index, layer) in network.layers.iter().enumerate() {
                push_run(&mut program, &layer.name, index..index + 1, params);
            }
        }
    }
    let words = program.words.len() as u64;
    match does_not_fit(Memory::Program, words, params.program.words) {
        Some(error) => Err(error),
        None => Ok(program),
    }
}

/// Whether something is transposed.
fn transposes(lowered: &Lowered) -> bool {
    let mut operations = lowered.layers.iter().flatten();
    operations.any(|operation| !matches!(operation, Operation::Product { .. }))
}

/// The column tile with bias 0 and scale 1. Pauses between sums and drains are made of the tiles before it.
fn unit_tile(lowered: &Lowered, options: MatrixOptions, params: &Params) -> u8 {
    let tile = match options.form {
        DrainForm::Direct | DrainForm::All => lowered.tiles.len() as u32,
        DrainForm::Row | DrainForm::Part => params.column_tiles - 1,
    };
    u8::try_from(tile).expect("a machine has at most 256 column tiles")
}

struct Emitter<'a> {
    lowered: &'a Lowered,
    placed: &'a Placed,
    options: MatrixOptions,
    tile: u8,
    params: &'a Params,
}

impl Emitter<'_> {
    /// The instructions of a layer.
    fn layer(&self, index: usize) -> Result<Vec<Instruction>, MatrixError> {
        let mut instructions = Vec::new();
        if self.options.identity == IdentitySource::Built && self.first_transpose() == Some(index) {
            for build in self.placed.builds(self.tile) {
                instructions.extend(build.instructions(self.params)?);
            }
        }
        for operation in &self.lowered.layers[index] {
            instructions.extend(self.operation(operation)?);
        }
        Ok(instructions)
    }

    /// The first layer that needs the identity.
    fn first_transpose(&self) -> Option<usize> {
        let mut layers = self.lowered.layers.iter();
        layers.position(|operations| {
            let mut operations = operations.iter();
            operations.any(|operation| matches!(operation, Operation::Transpose { .. }))
        })
    }

    fn operation(&self, operation: &Operation) -> Result<Vec<Instruction>, MatrixError> {
        let (items, params) = (&self.placed.items, self.params);
        match operation {
            Operation::Product {
                weights,
                moving,
                result,
                scale,
            } => {
                let product = Product {
                    weights: items[*weights],
                    moving: items[*moving],
                    result: items[*result],
                    scaling: Scaling {
                        zero_point: scale.zero_point,
                        tile: scale.tile as u8,
                        tile_per_group: scale.per_column,
                        rounding: scale.rounding,
                        bounds: scale.bounds,
                    },
                };
                product.instructions(params)
            }
            Operation::Transpose {
                source,
                destination,
            } => {
                let transpose = Transpose {
                    source: items[*source],
                    destination: items[*destination],
                    identity: self.placed.identity(*source),
                    tile: self.tile,
                    form: self.options.form,
                };
                transpose.instructions(params)
            }
            Operation::Wide {
                source,
                planes,
                destination,
            } => {
                let spread = self.placed.spread(planes[0], planes.len() as u32);
                let transpose = WideTranspose {
                    source: items[*source],
                    destination: items[*destination],
                    planes: planes.iter().map(|&plane| items[plane]).collect(),
                    identity: self.placed.loaded(*source),
                    portions: Portions::Placed(spread),
                    tile: self.tile,
                };
                transpose.instructions(params)
            }
        }
    }

    /// Bias and scale of all columns.
    fn columns(&self) -> Vec<ColumnParam> {
        let unit = vec![(0, Scale::reciprocal(1))];
        let unit = transposes(self.lowered).then_some((self.tile.into(), unit));
        let tiles = (0..).zip(self.lowered.tiles.iter().cloned()).chain(unit);
        let columns = tiles.flat_map(|(tile, scales)| {
            let columns = 0..self.params.array.cols;
            // One for all, or one for each column; columns that are not used may have any.
            let scales = scales.into_iter().cycle().zip(columns);
            scales.map(move |((bias, scale), column)| ColumnParam {
                column,
                tile,
                bias,
                scale,
            })
        });
        columns.collect()
    }

    /// Zeros wherever something lies, and what is stored.
    fn image(&self) -> Vec<(u32, u32, [u8; 8])> {
        let partitions = 0..self.params.array.rows;
        let words = |partition| {
            let words = self.placed.words.iter().cloned().flatten();
            words.map(move |word| ((partition, word), [0u8; 8]))
        };
        let mut image: std::collections::BTreeMap<(u32, u32), [u8; 8]> =
            partitions.flat_map(words).collect();
        let stored = self.lowered.items.iter().zip(&self.placed.items);
        let stored = stored.filter_map(|(item, place)| Some((place, item.content.as_ref()?)));
        let helpers = self.placed.written.iter();
        for (place, content) in stored.chain(helpers.map(|(place, content)| (place, content))) {
            write(&mut image, place, content);
        }
        let words = image.into_iter();
        words
            .map(|((partition, word), bytes)| (partition, word, bytes))
            .collect()
    }

    fn tensors(&self, network: &Network) -> Vec<TensorPlan> {
        let tensors = self.lowered.tensors.iter().enumerate();
        tensors
            .map(|(index, value)| {
                let (shape, zero_point) = network.tensor(index);
                let matrices = MatrixTensor {
                    matrices: value.matrices,
                    turned: value.turned,
                    places: value.ids.iter().map(|&id| self.placed.items[id]).collect(),
                };
                let name = network.tensor_name(index);
                TensorPlan::of_matrices(name, shape, zero_point, matrices)
            })
            .collect()
    }

    fn plan(&self, network: &Network, index: usize, schedule: &Schedule) -> LayerPlan {
        let layer = &network.layers[index];
        let (instructions, _) = synchronise(schedule, index..index + 1);
        let vectors = instructions.iter().map(tensor_slots).sum();
        let operands = instructions.iter().map(|instruction| match instruction {
            Instruction::Matmul(matmul) => tensor_slots(instruction) * u64::from(matmul.rows),
            _ => 0,
        });
        let operations = self.lowered.layers[index].iter();
        let mut ids: Vec<usize> = operations.flat_map(Operation::items).collect();
        ids.sort_unstable();
        ids.dedup();
        let bytes = ids
            .iter()
            .map(|&id| u64::from(self.placed.items[id].bytes()));
        LayerPlan {
            name: layer.name.clone(),
            instructions: instructions.len() as u32,
            macs: layer.macs(),
            vectors,
            operands: operands.sum(),
            choice: MappingChoice {
                mapping: Mapping::Channel,
                cost: MappingCost {
                    cycles: cycles(&halted(instructions), self.params),
                    buffer_bytes: bytes.sum(),
                },
                other: None,
                reason: "it is of matrices".to_string(),
            },
            inputs: layer.inputs.iter().map(|input| input.tensor).collect(),
            output: index + 1,
        }
    }
}

/// Elements of a matrix, row by row, into the words of an image.
fn write(
    image: &mut std::collections::BTreeMap<(u32, u32), [u8; 8]>,
    place: &MatrixPlace,
    content: &[i8],
) {
    let cols = place.shape.cols;
    for (at, &value) in (0..).zip(content) {
        let (partition, address) = place.element(at / cols, at % cols);
        let word = image.entry((partition, address / 8)).or_default();
        word[(address % 8) as usize] = value as u8;
    }
}

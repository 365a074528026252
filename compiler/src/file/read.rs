//! From a file to the program.

use std::collections::BTreeMap;
use std::ops::Range;

use heddle_arch::host::ClusterStream;
use heddle_arch::isa::Instruction;
use heddle_arch::network::{Shape, Table};
use heddle_arch::params::Params;

use super::FileError;
use super::form::{Content, EngineFile, LayerFile, MappingFile, OrderFile, RunFile, TensorFile};
use super::limit::Limit;
use crate::cost::{operand_slots, tensor_slots};
use crate::emit::{ColumnParam, LayerPlan, Program, RunPlan, SyncCount};
use crate::layout::{Phases, PixelOrder, TensorPlan};
use crate::map::{MappingChoice, MappingCost};
use crate::product::Mapping;
use crate::rule::{Engine, EngineChoice};
use crate::schedule::Schedule;

/// Bytes of a text of hexadecimal digits, in groups.
fn digits(field: &str, text: &str, group: usize) -> Result<Vec<u8>, FileError> {
    let wrong = |found: String| FileError::Value {
        field: field.to_string(),
        found,
        expected: format!("groups of {} hexadecimal digits", 2 * group),
    };
    if !text.is_ascii() || text.len() % (2 * group) != 0 {
        return Err(wrong(format!("a text of {} bytes", text.len())));
    }
    let byte = |at: usize| {
        let pair = &text[at..at + 2];
        u8::from_str_radix(pair, 16).map_err(|_| wrong(format!("{pair:?} at {at}")))
    };
    (0..text.len()).step_by(2).map(byte).collect()
}

/// The program, all of whose values are in range for the machine.
pub(super) fn content(file: Content, params: &Params) -> Result<Program, FileError> {
    let words = digits("words", &file.words, 4)?;
    let words: Vec<u32> = words
        .chunks_exact(4)
        .map(|b| u32::from_be_bytes([b[0], b[1], b[2], b[3]]))
        .collect();
    let limit = Limit { params };
    limit.below(
        "words",
        words.len() as u64,
        u64::from(params.program.words) + 1,
    )?;
    let instructions = decoded(&words, params)?;
    limit.name("network", &file.network)?;
    let layers: Vec<LayerPlan> = (file.layers.into_iter().enumerate())
        .map(|(index, layer)| layer_plan(layer, index))
        .collect();
    let tensors: Result<Vec<TensorPlan>, FileError> = file
        .tensors
        .into_iter()
        .map(|tensor| tensor_plan(tensor, &limit))
        .collect();
    let tensors = tensors?;
    for (index, layer) in layers.iter().enumerate() {
        limit.name(&format!("layers[{index}].name"), &layer.name)?;
        limit.name(&format!("layers[{index}].reason"), &layer.choice.reason)?;
        let engine = layer.engine.as_ref();
        let reason = engine.map_or("array", |choice| &choice.reason);
        limit.text(&format!("layers[{index}].engine"), reason)?;
    }
    limit.equal("tensors", tensors.len() as u64, layers.len() as u64 + 1)?;
    let mut next = 0;
    for run in &file.runs {
        limit.equal("runs.layers", run.layers[0] as u64, next)?;
        limit.below("runs.layers", next, run.layers[1] as u64)?;
        limit.name("runs.name", &run.name)?;
        next = run.layers[1] as u64;
        if run.host {
            limit.equal(
                "layers of a run of the host",
                next - run.layers[0] as u64,
                1,
            )?;
            continue;
        }
        limit.below("runs.start_pc", run.start_pc.into(), words.len() as u64)?;
        let steps = instructions
            .range(run.start_pc as usize..)
            .map(|(_, step)| step);
        let own: Vec<&Instruction> = steps.take_while(|step| !is_halt(step)).collect();
        let steps = own.len() as u64 + 1;
        limit.equal("runs.instructions", run.instructions.into(), steps)?;
        let sum = |slots: fn(&Instruction) -> u64| {
            own.iter()
                .fold(0, |sum: u64, step| sum.saturating_add(slots(step)))
        };
        let (vectors, slots) = (sum(tensor_slots), sum(operand_slots));
        let of_layers = layers.get(run.layers[0]..run.layers[1]).unwrap_or_default();
        let found = of_layers
            .iter()
            .fold(0, |sum: u64, layer| sum.saturating_add(layer.vectors));
        limit.equal("vectors of the layers of a run", found, vectors)?;
        for layer in of_layers {
            let most = match layer.engine_of() {
                Engine::Dense => layer.vectors,
                Engine::Sparse => slots,
            };
            let most = most.saturating_mul(params.array.rows.into());
            limit.below("layers.operands", layer.operands, most.saturating_add(1))?;
        }
    }
    limit.equal("runs.layers", next, layers.len() as u64)?;
    for tensor in &tensors {
        limit.tensor(tensor)?;
    }
    for (row, entry, _) in &file.row_offsets {
        limit.below("row_offsets row", (*row).into(), params.array.rows.into())?;
        let entries = params.state_buffer.row_offsets;
        limit.below("row_offsets entry", (*entry).into(), entries.into())?;
    }
    let columns: Result<Vec<ColumnParam>, FileError> = file
        .columns
        .into_iter()
        .map(|column| limit.column(column))
        .collect();
    limit.below(
        "tables",
        file.tables.len() as u64,
        u64::from(params.post.activations) + 1,
    )?;
    let tables = file.tables.iter();
    let tables: Result<Vec<Vec<u8>>, FileError> = tables
        .map(|table| digits("tables", table, Table::ENTRIES))
        .collect();
    let cluster = file.cluster.iter().map(|word| cluster_word(word));
    let cluster = cluster.collect::<Result<Vec<_>, FileError>>()?;
    if !params.has_cluster() {
        limit.equal("words for a sparse cluster", cluster.len() as u64, 0)?;
    }
    let mut image = Vec::new();
    for piece in file.image {
        let bytes = digits("image.bytes", &piece.bytes, 8)?;
        let end = u64::from(piece.word) + bytes.len() as u64 / 8;
        limit.below(
            "image.partition",
            piece.partition.into(),
            params.array.rows.into(),
        )?;
        limit.below("image.word", end, limit.words() + 1)?;
        for (word, bytes) in (piece.word..).zip(bytes.chunks_exact(8)) {
            let bytes = bytes.try_into().expect("eight bytes");
            image.push((piece.partition, word, bytes));
        }
    }
    Ok(Program {
        network: file.network,
        words,
        layers,
        runs: file
            .runs
            .into_iter()
            .map(|run| run_plan(run, params))
            .collect(),
        columns: columns?,
        image,
        row_offsets: file.row_offsets,
        tables: tables?,
        cluster,
        tensors,
        schedule: Schedule::default(),
    })
}

/// The instructions by their first word, all of which are legal for the machine.
fn decoded(words: &[u32], params: &Params) -> Result<BTreeMap<usize, Instruction>, FileError> {
    let mut instructions = BTreeMap::new();
    let mut at = 0;
    while at < words.len() {
        let legal = Instruction::decode(&words[at..]).and_then(|(instruction, length)| {
            instruction.check_machine(params)?;
            Ok((instruction, length))
        });
        let (instruction, length) = legal.map_err(|error| FileError::Value {
            field: "words".to_string(),
            found: "no program".to_string(),
            expected: format!("word {at}: {error}"),
        })?;
        instructions.insert(at, instruction);
        at += length;
    }
    Ok(instructions)
}

fn is_halt(instruction: &Instruction) -> bool {
    matches!(instruction, Instruction::Halt { .. })
}

fn run_plan(run: RunFile, params: &Params) -> RunPlan {
    let [dependencies, kept_by_the_machine, redundant, waits] = run.sync;
    RunPlan {
        name: run.name,
        host: run.host,
        start_pc: run.start_pc,
        instructions: run.instructions,
        layers: Range {
            start: run.layers[0],
            end: run.layers[1],
        },
        cycles: match run.host {
            true => 0,
            false => run.cycles.saturating_add(params.fetch_cycles().into()),
        },
        estimated: run.estimated,
        sync: SyncCount {
            dependencies,
            kept_by_the_machine,
            redundant,
            waits,
        },
    }
}

fn layer_plan(layer: LayerFile, index: usize) -> LayerPlan {
    let cost = |[cycles, buffer_bytes]: [u64; 2]| MappingCost {
        cycles,
        buffer_bytes,
    };
    LayerPlan {
        name: layer.name,
        host: layer.host,
        engine: layer.engine.map(engine),
        instructions: layer.instructions,
        macs: layer.macs,
        vectors: layer.vectors,
        operands: layer.operands,
        choice: MappingChoice {
            mapping: mapping(layer.mapping),
            cost: cost(layer.cost),
            other: layer.other.map(|(other, of)| (mapping(other), cost(of))),
            reason: layer.reason,
        },
        compared: layer.compared,
        inputs: layer.inputs,
        output: index + 1,
    }
}

fn engine((engine, reason): (EngineFile, String)) -> EngineChoice {
    let engine = match engine {
        EngineFile::Dense => Engine::Dense,
        EngineFile::Sparse => Engine::Sparse,
    };
    EngineChoice { engine, reason }
}

/// A word of a stream of the sparse cluster.
fn cluster_word(text: &str) -> Result<(ClusterStream, u64), FileError> {
    let stream = match text.len() {
        8 => ClusterStream::Commands,
        _ => ClusterStream::Weights,
    };
    let bytes = digits("cluster", text, if text.len() == 8 { 4 } else { 8 })?;
    let word = bytes
        .iter()
        .fold(0, |word, byte| word << 8 | u64::from(*byte));
    match bytes.len() {
        4 | 8 => Ok((stream, word)),
        _ => Err(FileError::Value {
            field: "cluster".to_string(),
            found: format!("{} digits", text.len()),
            expected: "8 or 16 hexadecimal digits".to_string(),
        }),
    }
}

fn mapping(mapping: MappingFile) -> Mapping {
    match mapping {
        MappingFile::Channel => Mapping::Channel,
        MappingFile::Flattened => Mapping::Flattened,
        MappingFile::Toeplitz => Mapping::Toeplitz,
        MappingFile::Blocks => Mapping::Blocks,
    }
}

fn tensor_plan(tensor: TensorFile, limit: &Limit) -> Result<TensorPlan, FileError> {
    let matrices = match &tensor.matrices {
        Some(file) => Some(limit.matrices(&tensor, file)?),
        None => None,
    };
    let [channels, height, width] = tensor.shape;
    Ok(TensorPlan {
        name: tensor.name,
        shape: Shape {
            channels,
            height,
            width,
        },
        zero_point: tensor.zero_point,
        planes: tensor.planes,
        order: match tensor.order {
            OrderFile::Plain => PixelOrder::Plain,
            OrderFile::SplitRows => PixelOrder::Split(Phases::Rows),
            OrderFile::SplitBlocks => PixelOrder::Split(Phases::Blocks),
            OrderFile::JoinedRows => PixelOrder::Joined(Phases::Rows),
            OrderFile::JoinedBlocks => PixelOrder::Joined(Phases::Blocks),
            OrderFile::Phased => PixelOrder::Phased,
        },
        base: tensor.base,
        bytes: tensor.bytes,
        origin: tensor.origin,
        pitch: tensor.pitch,
        plane_stride: tensor.plane_stride,
        matrices,
    })
}

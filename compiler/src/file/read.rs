//! From a file to the program.

use std::ops::Range;

use heddle_arch::host::ClusterStream;
use heddle_arch::params::Params;
use heddle_arch::word::{BYTE_BITS, WORD_BYTES};
use heddle_network::Shape;

use super::error::{FileError, digits};
use super::form::{
    Content, EngineFile, LayerFile, MappingFile, OrderFile, PiecesFile, RunFile, TensorFile,
};
use super::limit::Limit;
use super::runs::Loads;
use super::{load, runs};
use crate::choose::MappingChoice;
use crate::emit::{LayerPlan, Program, RunPlan, SyncCount};
use crate::layout::{Phases, PixelOrder, TensorPlan};
use crate::pieces::Pieces;
use crate::product::Mapping;
use crate::rule::{Engine, EngineChoice};
use crate::schedule::Schedule;
use crate::ways::MappingCost;

/// The program, all of whose values are in range for the machine.
pub(super) fn content(mut file: Content, params: &Params) -> Result<Program, FileError> {
    let limit = Limit { params };
    let (once, segments, instructions) = load::loads(&mut file, &limit)?;
    limit.name("network", &file.network)?;
    let layers: Vec<LayerPlan> = (file.layers.into_iter().enumerate())
        .map(|(index, layer)| layer_plan(layer, index))
        .collect();
    let tensors = file.tensors.into_iter();
    let tensors = tensors.map(|tensor| tensor_plan(tensor, &limit));
    let tensors = tensors.collect::<Result<Vec<TensorPlan>, FileError>>()?;
    for (index, layer) in layers.iter().enumerate() {
        limit.name(&format!("layers[{index}].name"), &layer.name)?;
        limit.name(&format!("layers[{index}].reason"), &layer.choice.reason)?;
        let engine = layer.engine.as_ref();
        let reason = engine.map_or("array", |choice| &choice.reason);
        limit.text(&format!("layers[{index}].engine"), reason)?;
    }
    limit.equal("tensors", tensors.len() as u64, layers.len() as u64 + 1)?;
    let loads = Loads {
        once: &once,
        segments: &segments,
        instructions: &instructions,
    };
    runs::check(&file.runs, &layers, &loads, &limit)?;
    let pieces = file.pieces.into_iter().map(|file| pieces(file, &limit));
    let pieces = pieces.collect::<Result<Vec<Pieces>, FileError>>()?;
    for (index, tensor) in tensors.iter().enumerate() {
        let mut hosts = file.runs.iter().filter(|run| run.host);
        let is_written = index == 0 || hosts.any(|run| run.layers[1] == index);
        limit.tensor(tensor, file.keeps && is_written)?;
    }
    let cluster = file.cluster.iter().map(|word| cluster_word(word));
    let cluster = cluster.collect::<Result<Vec<_>, FileError>>()?;
    if !params.has_cluster() {
        limit.equal("words for a sparse cluster", cluster.len() as u64, 0)?;
    }
    let runs = file.runs.into_iter();
    Ok(Program {
        network: file.network,
        pieces,
        keeps: file.keeps,
        double_buffered: file.double_buffered,
        layers,
        runs: runs.map(|run| run_plan(run, params)).collect(),
        once,
        segments,
        // A file has no memory of a host beside it.
        moved: Vec::new(),
        host: Vec::new(),
        cluster,
        tensors,
        schedule: Schedule::default(),
    })
}

fn pieces(file: PiecesFile, limit: &Limit) -> Result<Pieces, FileError> {
    limit.name("pieces.layer", &file.layer)?;
    limit.text("pieces.reason", &file.reason)?;
    Ok(Pieces {
        layer: file.layer,
        channels: file.channels,
        rows: file.rows,
        reason: file.reason,
    })
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
        moved: false,
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

/// Bytes of a word of commands of the sparse cluster.
const COMMAND_BYTES: usize = 4;

/// A word of a stream of the sparse cluster.
fn cluster_word(text: &str) -> Result<(ClusterStream, u64), FileError> {
    // Two digits for each byte.
    let (stream, size) = match text.len() == 2 * COMMAND_BYTES {
        true => (ClusterStream::Commands, COMMAND_BYTES),
        false => (ClusterStream::Weights, WORD_BYTES as usize),
    };
    let bytes = digits("cluster", text, size)?;
    let word = bytes
        .iter()
        .fold(0, |word, byte| word << BYTE_BITS | u64::from(*byte));
    match bytes.len() {
        length if length == size => Ok((stream, word)),
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

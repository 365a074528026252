//! From a program to its file.

use heddle_arch::host::{ClusterStream, ColumnScale};
use heddle_arch::params::Params;
use heddle_arch::word::{WORD_BYTES, WordBytes};
use heddle_network::Shape;

use super::form::{
    ColumnFile, Content, EngineFile, ImageFile, LayerFile, MappingFile, MatricesFile, OrderFile,
    PiecesFile, RunFile, SegmentFile, TensorFile,
};
use super::machine::MachineFile;
use crate::emit::{ColumnParam, LayerPlan, Program, RunPlan, Segment};
use crate::layout::{Phases, PixelOrder, TensorPlan};
use crate::pieces::Pieces;
use crate::product::Mapping;
use crate::rule::{Engine, EngineChoice};
use crate::ways::MappingCost;

/// Everything that the checksum covers.
pub(super) fn content(program: &Program, params: &Params) -> Content {
    Content {
        network: program.network.clone(),
        machine: MachineFile::of(params),
        pieces: program.pieces.iter().map(pieces_file).collect(),
        keeps: program.keeps,
        double_buffered: program.double_buffered,
        runs: (program.runs.iter())
            .map(|run| run_file(run, params))
            .collect(),
        layers: program.layers.iter().map(layer_file).collect(),
        tensors: program.tensors.iter().map(tensor_file).collect(),
        columns: program.once.columns.iter().map(column_file).collect(),
        row_offsets: program.once.row_offsets.clone(),
        tables: program.once.tables.iter().map(|table| hex(table)).collect(),
        cluster: program.cluster.iter().map(cluster_file).collect(),
        words: hex_words(&program.once.words),
        image: image_file(&program.once.image),
        segments: program.segments.iter().map(segment_file).collect(),
    }
}

fn pieces_file(pieces: &Pieces) -> PiecesFile {
    PiecesFile {
        layer: pieces.layer.clone(),
        channels: pieces.channels,
        rows: pieces.rows,
        reason: pieces.reason.clone(),
    }
}

fn segment_file(Segment { runs, load }: &Segment) -> SegmentFile {
    SegmentFile {
        runs: [runs.start, runs.end],
        columns: load.columns.iter().map(column_file).collect(),
        row_offsets: load.row_offsets.clone(),
        tables: load.tables.iter().map(|table| hex(table)).collect(),
        words: hex_words(&load.words),
        first_word: load.first_word,
        image: image_file(&load.image),
    }
}

fn hex_words(words: &[u32]) -> String {
    words.iter().map(|word| format!("{word:08x}")).collect()
}

fn run_file(run: &RunPlan, params: &Params) -> RunFile {
    let sync = run.sync;
    RunFile {
        name: run.name.clone(),
        host: run.host,
        start_pc: run.start_pc,
        instructions: run.instructions,
        layers: [run.layers.start, run.layers.end],
        cycles: match run.host {
            true => 0,
            false => run.cycles - u64::from(params.fetch_cycles()),
        },
        estimated: run.estimated,
        sync: [
            sync.dependencies,
            sync.kept_by_the_machine,
            sync.redundant,
            sync.waits,
        ],
    }
}

fn layer_file(layer: &LayerPlan) -> LayerFile {
    let choice = &layer.choice;
    let cost = |cost: MappingCost| [cost.cycles, cost.buffer_bytes];
    LayerFile {
        name: layer.name.clone(),
        host: layer.host,
        engine: layer.engine.as_ref().map(engine_file),
        instructions: layer.instructions,
        macs: layer.macs,
        vectors: layer.vectors,
        operands: layer.operands,
        mapping: mapping_file(choice.mapping),
        cost: cost(choice.cost),
        other: choice
            .other
            .map(|(mapping, other)| (mapping_file(mapping), cost(other))),
        reason: choice.reason.clone(),
        compared: layer.compared,
        inputs: layer.inputs.clone(),
    }
}

fn engine_file(choice: &EngineChoice) -> (EngineFile, String) {
    let engine = match choice.engine {
        Engine::Dense => EngineFile::Dense,
        Engine::Sparse => EngineFile::Sparse,
    };
    (engine, choice.reason.clone())
}

fn cluster_file((stream, word): &(ClusterStream, u64)) -> String {
    match stream {
        ClusterStream::Commands => format!("{word:08x}"),
        ClusterStream::Weights => format!("{word:016x}"),
    }
}

fn mapping_file(mapping: Mapping) -> MappingFile {
    match mapping {
        Mapping::Channel => MappingFile::Channel,
        Mapping::Flattened => MappingFile::Flattened,
        Mapping::Toeplitz => MappingFile::Toeplitz,
        Mapping::Blocks => MappingFile::Blocks,
    }
}

fn tensor_file(tensor: &TensorPlan) -> TensorFile {
    let Shape {
        channels,
        height,
        width,
    } = tensor.shape;
    TensorFile {
        name: tensor.name.clone(),
        shape: [channels, height, width],
        zero_point: tensor.zero_point,
        planes: tensor.planes.clone(),
        order: match tensor.order {
            PixelOrder::Plain => OrderFile::Plain,
            PixelOrder::Split(Phases::Rows) => OrderFile::SplitRows,
            PixelOrder::Split(Phases::Blocks) => OrderFile::SplitBlocks,
            PixelOrder::Joined(Phases::Rows) => OrderFile::JoinedRows,
            PixelOrder::Joined(Phases::Blocks) => OrderFile::JoinedBlocks,
            PixelOrder::Phased => OrderFile::Phased,
        },
        base: tensor.base,
        bytes: tensor.bytes,
        origin: tensor.origin,
        pitch: tensor.pitch,
        plane_stride: tensor.plane_stride,
        matrices: tensor.matrices.as_ref().map(|tensor| MatricesFile {
            shape: [tensor.matrices.rows, tensor.matrices.cols],
            turned: tensor.turned,
            bases: tensor.places.iter().map(|place| place.base).collect(),
        }),
    }
}

fn column_file(column: &ColumnParam) -> ColumnFile {
    let (multiplier, shift, factors) = match column.scale {
        ColumnScale::Single(scale) => (scale.multiplier(), scale.shift(), None),
        ColumnScale::Dual(scale) => (0, scale.shift() as i32, Some(scale.factors())),
    };
    ColumnFile {
        column: column.column,
        tile: column.tile,
        bias: column.bias,
        multiplier,
        shift,
        factors,
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn image_file(image: &[(u32, u32, WordBytes)]) -> Vec<ImageFile> {
    let mut pieces: Vec<ImageFile> = Vec::new();
    for (partition, word, bytes) in image {
        let hex = hex(bytes);
        match pieces.last_mut() {
            Some(last)
                if last.partition == *partition
                    && last.word + last.bytes.len() as u32 / (2 * WORD_BYTES) == *word =>
            {
                last.bytes += &hex;
            }
            _ => pieces.push(ImageFile {
                partition: *partition,
                word: *word,
                bytes: hex,
            }),
        }
    }
    pieces
}

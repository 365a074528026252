//! Programs as files: JSON with words in hexadecimal, guarded by a checksum.
//!
//! A file belongs to one network and to machines of one shape; whoever reads it says which machine there is. A
//! file that was cut off or changed is refused as a whole.

use std::ops::Range;

use heddle_arch::isa::disassemble;
use heddle_arch::network::Shape;
use heddle_arch::params::Params;
use heddle_arch::requantise::Scale;
use serde::{Deserialize, Serialize};

use crate::mapping::{Mapping, MappingChoice, MappingCost};
use crate::program::{ColumnParam, LayerPlan, Program, RunPlan};
use crate::schedule::Schedule;
use crate::sync::SyncCount;
use crate::tensor::TensorPlan;

/// Name and version of the format.
const FORMAT: &str = "heddle-program-1";

/// Why a file is no program for a machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// It is no JSON, or not of this form.
    #[error("line {line}: {message}")]
    Form {
        /// Line, counted from 1.
        line: usize,
        /// What was found and what is allowed.
        message: String,
    },
    /// The checksum does not belong to the content.
    #[error("crc is {found:08x}, expected {expected:08x}: the file was changed or damaged")]
    Checksum {
        /// In the file.
        found: u32,
        /// Of the content.
        expected: u32,
    },
    /// It was made for another machine.
    #[error("made for {field} {found}, this machine has {expected}")]
    Machine {
        /// Field of the configuration.
        field: &'static str,
        /// In the file.
        found: u32,
        /// Of the machine.
        expected: u32,
    },
    /// A value is out of range.
    #[error("{field} is {found}, expected {expected}")]
    Value {
        /// Place in the file.
        field: String,
        /// The value.
        found: String,
        /// What is allowed.
        expected: String,
    },
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProgramFile {
    format: String,
    crc: String,
    program: Content,
}

/// What the checksum covers.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    network: String,
    machine: MachineFile,
    runs: Vec<RunFile>,
    layers: Vec<LayerFile>,
    tensors: Vec<TensorFile>,
    columns: Vec<ColumnFile>,
    row_offsets: Vec<(u32, u32, Option<u16>)>,
    words: String,
    image: Vec<ImageFile>,
}

/// What a machine must have for the program to mean the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MachineFile {
    rows: u32,
    cols: u32,
    banks: u32,
    words_per_bank: u32,
    results_depth: u32,
    column_tiles: u32,
    row_offsets: u32,
    loops: u32,
    program_words: u32,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RunFile {
    name: String,
    start_pc: u32,
    instructions: u32,
    layers: [usize; 2],
    cycles: u64,
    sync: [usize; 4],
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LayerFile {
    name: String,
    instructions: u32,
    macs: u64,
    vectors: u64,
    operands: u64,
    flattened: bool,
    cost: [u64; 2],
    other: Option<[u64; 2]>,
    reason: String,
    inputs: Vec<usize>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TensorFile {
    name: String,
    shape: [u32; 3],
    zero_point: i8,
    planes: Vec<Vec<u32>>,
    base: u32,
    bytes: u32,
    origin: u32,
    pitch: u32,
    plane_stride: u32,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ColumnFile {
    column: u32,
    tile: u32,
    bias: i32,
    multiplier: i32,
    shift: i32,
}

/// Words of a partition that follow each other.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ImageFile {
    partition: u32,
    word: u32,
    bytes: String,
}

impl MachineFile {
    fn of(params: &Params) -> Self {
        Self {
            rows: params.array.rows,
            cols: params.array.cols,
            banks: params.state_buffer.banks,
            words_per_bank: params.state_buffer.words_per_bank,
            results_depth: params.results_buffer.depth,
            column_tiles: params.column_tiles,
            row_offsets: params.state_buffer.row_offsets,
            loops: params.traversal.loops,
            program_words: params.program.words,
        }
    }

    fn check(self, params: &Params) -> Result<(), FileError> {
        let machine = Self::of(params);
        for (field, found, expected) in [
            ("array.rows", self.rows, machine.rows),
            ("array.cols", self.cols, machine.cols),
            ("state_buffer.banks", self.banks, machine.banks),
            (
                "state_buffer.words_per_bank",
                self.words_per_bank,
                machine.words_per_bank,
            ),
            (
                "results_buffer.depth",
                self.results_depth,
                machine.results_depth,
            ),
            ("column_tiles", self.column_tiles, machine.column_tiles),
            (
                "state_buffer.row_offsets",
                self.row_offsets,
                machine.row_offsets,
            ),
            ("traversal.loops", self.loops, machine.loops),
            ("program.words", self.program_words, machine.program_words),
        ] {
            if found != expected {
                return Err(FileError::Machine {
                    field,
                    found,
                    expected,
                });
            }
        }
        Ok(())
    }
}

impl Program {
    /// The program as a file for machines of this shape.
    #[must_use]
    pub fn to_json(&self, params: &Params) -> String {
        let program = Content {
            network: self.network.clone(),
            machine: MachineFile::of(params),
            runs: self.runs.iter().map(run_file).collect(),
            layers: self.layers.iter().map(layer_file).collect(),
            tensors: self.tensors.iter().map(tensor_file).collect(),
            columns: self.columns.iter().map(column_file).collect(),
            row_offsets: self.row_offsets.clone(),
            words: self
                .words
                .iter()
                .map(|word| format!("{word:08x}"))
                .collect(),
            image: image_file(&self.image),
        };
        let file = ProgramFile {
            format: FORMAT.to_string(),
            crc: format!("{:08x}", checksum(&program)),
            program,
        };
        let text = serde_json::to_string_pretty(&file).expect("a program is JSON");
        text + "\n"
    }

    /// Reads a file. It has no schedule: that is not needed to run it.
    ///
    /// # Errors
    /// [`FileError`]
    pub fn from_json(text: &str, params: &Params) -> Result<Self, FileError> {
        let file: ProgramFile = serde_json::from_str(text).map_err(|error| FileError::Form {
            line: error.line(),
            message: error.to_string(),
        })?;
        let wrong = |field: &str, found: &str, expected: &str| FileError::Value {
            field: field.to_string(),
            found: format!("{found:?}"),
            expected: expected.to_string(),
        };
        if file.format != FORMAT {
            return Err(wrong("format", &file.format, FORMAT));
        }
        let found = u32::from_str_radix(&file.crc, 16);
        let found = found.map_err(|_| wrong("crc", &file.crc, "eight hexadecimal digits"))?;
        let expected = checksum(&file.program);
        if found != expected {
            return Err(FileError::Checksum { found, expected });
        }
        file.program.machine.check(params)?;
        content(file.program, params)
    }
}

/// CRC-32 of the content as compact JSON.
fn checksum(content: &Content) -> u32 {
    let text = serde_json::to_vec(content).expect("a program is JSON");
    crc32fast::hash(&text)
}

fn run_file(run: &RunPlan) -> RunFile {
    let sync = run.sync;
    RunFile {
        name: run.name.clone(),
        start_pc: run.start_pc,
        instructions: run.instructions,
        layers: [run.layers.start, run.layers.end],
        cycles: run.cycles,
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
        instructions: layer.instructions,
        macs: layer.macs,
        vectors: layer.vectors,
        operands: layer.operands,
        flattened: choice.mapping == Mapping::Flattened,
        cost: cost(choice.cost),
        other: choice.other.map(cost),
        reason: choice.reason.clone(),
        inputs: layer.inputs.clone(),
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
        base: tensor.base,
        bytes: tensor.bytes,
        origin: tensor.origin,
        pitch: tensor.pitch,
        plane_stride: tensor.plane_stride,
    }
}

fn column_file(column: &ColumnParam) -> ColumnFile {
    ColumnFile {
        column: column.column,
        tile: column.tile,
        bias: column.bias,
        multiplier: column.scale.multiplier(),
        shift: column.scale.shift(),
    }
}

fn image_file(image: &[(u32, u32, [u8; 8])]) -> Vec<ImageFile> {
    let mut pieces: Vec<ImageFile> = Vec::new();
    for (partition, word, bytes) in image {
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        match pieces.last_mut() {
            Some(last)
                if last.partition == *partition
                    && last.word + last.bytes.len() as u32 / 16 == *word =>
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
fn content(file: Content, params: &Params) -> Result<Program, FileError> {
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
    disassemble(&words).map_err(|error| FileError::Value {
        field: "words".to_string(),
        found: "no program".to_string(),
        expected: error.message,
    })?;
    let layers: Vec<LayerPlan> = (file.layers.into_iter().enumerate())
        .map(|(index, layer)| layer_plan(layer, index))
        .collect();
    let tensors: Vec<TensorPlan> = file.tensors.into_iter().map(tensor_plan).collect();
    limit.equal("tensors", tensors.len() as u64, layers.len() as u64 + 1)?;
    let mut next = 0;
    for run in &file.runs {
        limit.equal("runs.layers", run.layers[0] as u64, next)?;
        limit.below("runs.layers", next, run.layers[1] as u64)?;
        limit.below("runs.start_pc", run.start_pc.into(), words.len() as u64)?;
        next = run.layers[1] as u64;
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
        runs: file.runs.into_iter().map(run_plan).collect(),
        columns: columns?,
        image,
        row_offsets: file.row_offsets,
        tensors,
        schedule: Schedule::default(),
    })
}

/// What a machine allows.
struct Limit<'a> {
    params: &'a Params,
}

impl Limit<'_> {
    fn below(&self, field: &str, found: u64, limit: u64) -> Result<(), FileError> {
        match found < limit {
            true => Ok(()),
            false => Err(FileError::Value {
                field: field.to_string(),
                found: found.to_string(),
                expected: format!("less than {limit}"),
            }),
        }
    }

    fn equal(&self, field: &str, found: u64, expected: u64) -> Result<(), FileError> {
        match found == expected {
            true => Ok(()),
            false => Err(FileError::Value {
                field: field.to_string(),
                found: found.to_string(),
                expected: expected.to_string(),
            }),
        }
    }

    /// Words of a partition.
    fn words(&self) -> u64 {
        u64::from(self.params.bank_bytes()) * u64::from(self.params.state_buffer.banks) / 8
    }

    fn tensor(&self, tensor: &TensorPlan) -> Result<(), FileError> {
        let place = |what: &str| format!("tensor {}: {what}", tensor.name);
        let shape = tensor.shape;
        for side in [shape.channels, shape.height, shape.width] {
            self.below(&place("shape"), u64::from(side).wrapping_sub(1), 4096)?;
        }
        let rows = self.params.array.rows;
        self.below(
            &place("planes"),
            tensor.planes.len() as u64,
            u64::from(rows) + 1,
        )?;
        let mut most = 0;
        let mut held = vec![false; shape.channels as usize];
        for planes in &tensor.planes {
            most = most.max(planes.len() as u64);
            for &channel in planes {
                self.below(&place("channel"), channel.into(), shape.channels.into())?;
                held[channel as usize] = true;
            }
        }
        let missing = held.iter().position(|held| !held);
        self.equal(
            &place("channels in partitions"),
            missing.unwrap_or(held.len()) as u64,
            held.len() as u64,
        )?;
        let last = u64::from(tensor.origin)
            + most.saturating_sub(1) * u64::from(tensor.plane_stride)
            + u64::from(shape.height - 1) * u64::from(tensor.pitch)
            + u64::from(shape.width.next_multiple_of(8));
        self.below(&place("end"), last, 8 * self.words() + 1)?;
        self.equal(&place("origin modulo 8"), u64::from(tensor.origin % 8), 0)?;
        self.equal(&place("pitch modulo 8"), u64::from(tensor.pitch % 8), 0)?;
        self.equal(
            &place("plane_stride modulo 8"),
            u64::from(tensor.plane_stride % 8),
            0,
        )
    }

    fn column(&self, column: ColumnFile) -> Result<ColumnParam, FileError> {
        let params = self.params;
        self.below(
            "columns.column",
            column.column.into(),
            params.array.cols.into(),
        )?;
        self.below(
            "columns.tile",
            column.tile.into(),
            params.column_tiles.into(),
        )?;
        let scale = Scale::new(column.multiplier, column.shift);
        let scale = scale.map_err(|fault| FileError::Value {
            field: format!("columns.{}", fault.field),
            found: format!("{} with shift {}", column.multiplier, column.shift),
            expected: fault.message,
        })?;
        Ok(ColumnParam {
            column: column.column,
            tile: column.tile,
            bias: column.bias,
            scale,
        })
    }
}

fn run_plan(run: RunFile) -> RunPlan {
    let [dependencies, kept_by_the_machine, redundant, waits] = run.sync;
    RunPlan {
        name: run.name,
        start_pc: run.start_pc,
        instructions: run.instructions,
        layers: Range {
            start: run.layers[0],
            end: run.layers[1],
        },
        cycles: run.cycles,
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
        instructions: layer.instructions,
        macs: layer.macs,
        vectors: layer.vectors,
        operands: layer.operands,
        choice: MappingChoice {
            mapping: match layer.flattened {
                true => Mapping::Flattened,
                false => Mapping::Channel,
            },
            cost: cost(layer.cost),
            other: layer.other.map(cost),
            reason: layer.reason,
        },
        inputs: layer.inputs,
        output: index + 1,
    }
}

fn tensor_plan(tensor: TensorFile) -> TensorPlan {
    let [channels, height, width] = tensor.shape;
    TensorPlan {
        name: tensor.name,
        shape: Shape {
            channels,
            height,
            width,
        },
        zero_point: tensor.zero_point,
        planes: tensor.planes,
        base: tensor.base,
        bytes: tensor.bytes,
        origin: tensor.origin,
        pitch: tensor.pitch,
        plane_stride: tensor.plane_stride,
    }
}

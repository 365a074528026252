//! The program file as it stands in JSON.

use heddle_arch::params::Params;
use serde::{Deserialize, Serialize};

use super::FileError;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProgramFile {
    pub format: String,
    pub crc: String,
    pub program: Content,
}

/// What the checksum covers.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Content {
    pub network: String,
    pub machine: MachineFile,
    pub runs: Vec<RunFile>,
    pub layers: Vec<LayerFile>,
    pub tensors: Vec<TensorFile>,
    pub columns: Vec<ColumnFile>,
    pub row_offsets: Vec<(u32, u32, Option<u16>)>,
    pub words: String,
    pub image: Vec<ImageFile>,
}

/// What a machine must have for the program to mean the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MachineFile {
    pub rows: u32,
    pub cols: u32,
    /// Those that operands may lie in: where the program lies is not part of it.
    pub banks: u32,
    #[serde(default, skip_serializing_if = "is_none")]
    pub input_banks: u32,
    pub words_per_bank: u32,
    pub results_depth: u32,
    pub column_tiles: u32,
    pub row_offsets: u32,
    pub loops: u32,
    pub program_words: u32,
    /// Slots to a stored sum: where sums enter the array at the top, streamed weights may be lost.
    #[serde(default, skip_serializing_if = "is_none")]
    pub sum_distance: u32,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RunFile {
    pub name: String,
    pub start_pc: u32,
    pub instructions: u32,
    pub layers: [usize; 2],
    /// From the first word on: the way from program banks is that of the machine.
    pub cycles: u64,
    pub sync: [usize; 4],
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LayerFile {
    pub name: String,
    pub instructions: u32,
    pub macs: u64,
    pub vectors: u64,
    pub operands: u64,
    pub mapping: MappingFile,
    pub cost: [u64; 2],
    pub other: Option<(MappingFile, [u64; 2])>,
    pub reason: String,
    pub inputs: Vec<usize>,
}

/// How the taps of a layer are laid over the rows.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum MappingFile {
    Channel,
    Flattened,
    Toeplitz,
}

/// Which rows of its channel a plane holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum OrderFile {
    #[default]
    Plain,
    Split,
    Paired,
}

impl OrderFile {
    fn is_plain(&self) -> bool {
        *self == Self::Plain
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TensorFile {
    pub name: String,
    pub shape: [u32; 3],
    pub zero_point: i8,
    pub planes: Vec<Vec<u32>>,
    #[serde(default, skip_serializing_if = "OrderFile::is_plain")]
    pub order: OrderFile,
    pub base: u32,
    pub bytes: u32,
    pub origin: u32,
    pub pitch: u32,
    pub plane_stride: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matrices: Option<MatricesFile>,
}

/// The matrices of a tensor.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MatricesFile {
    /// Rows and columns of each.
    pub shape: [u32; 2],
    pub turned: bool,
    pub bases: Vec<u32>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ColumnFile {
    pub column: u32,
    pub tile: u32,
    pub bias: i32,
    pub multiplier: i32,
    pub shift: i32,
}

/// Words of a partition that follow each other.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ImageFile {
    pub partition: u32,
    pub word: u32,
    pub bytes: String,
}

fn is_none(count: &u32) -> bool {
    *count == 0
}

impl MachineFile {
    pub fn of(params: &Params) -> Self {
        Self {
            rows: params.array.rows,
            cols: params.array.cols,
            banks: params.operand_banks(),
            input_banks: params.state_buffer.input_banks,
            words_per_bank: params.state_buffer.words_per_bank,
            results_depth: params.results_buffer.depth,
            column_tiles: params.column_tiles,
            row_offsets: params.state_buffer.row_offsets,
            loops: params.traversal.loops,
            program_words: params.program.words,
            sum_distance: params.sum_distance(),
        }
    }

    pub fn check(self, params: &Params) -> Result<(), FileError> {
        let machine = Self::of(params);
        let banks = match params.program_banks() {
            0 => "state_buffer.banks",
            _ => "state_buffer.banks without those of the program",
        };
        for (field, found, expected) in [
            ("array.rows", self.rows, machine.rows),
            ("array.cols", self.cols, machine.cols),
            (banks, self.banks, machine.banks),
            (
                "state_buffer.input_banks",
                self.input_banks,
                machine.input_banks,
            ),
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
            (
                "slots to a stored sum (array.partial_sums)",
                self.sum_distance,
                machine.sum_distance,
            ),
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

//! The program file as it stands in JSON.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::machine::MachineFile;

/// A program of a network for machines of one shape.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ProgramFile {
    /// Name and version of this format.
    pub format: String,
    /// CRC-32 of `program` as compact JSON, eight hexadecimal digits.
    pub crc: String,
    /// What the host writes, and what it means.
    pub program: Content,
}

/// What the checksum covers.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Content {
    /// Name of the network.
    pub network: String,
    /// The machine that it was made for.
    pub machine: MachineFile,
    /// Layers that are cut into pieces, if there are any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pieces: Vec<PiecesFile>,
    /// Layers of the host take their inputs from what runs have made, and not from the machine.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keeps: bool,
    /// What the host loads for a segment lies beside what it loads for the next one, so that it may load them while the segment runs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub double_buffered: bool,
    /// What the host starts, one after the other.
    pub runs: Vec<RunFile>,
    /// Layers in the order in which they run.
    pub layers: Vec<LayerFile>,
    /// The input of the network, then the output of each layer.
    pub tensors: Vec<TensorFile>,
    /// Column parameters, written once.
    pub columns: Vec<ColumnFile>,
    /// Row, entry and offset (null: none) of the tables of row offsets, written once.
    pub row_offsets: Vec<(u32, u32, Option<u16>)>,
    /// Tables of functions of one byte, from number 1 on: 256 stored bytes each, two hexadecimal digits each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<String>,
    /// Words for the sparse cluster, written once in this order: of commands eight hexadecimal digits, of weights sixteen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cluster: Vec<String>,
    /// Instruction words from program word 0 on, eight hexadecimal digits each.
    pub words: String,
    /// State-buffer words, written once with HOST_ZERO = 0.
    pub image: Vec<ImageFile>,
    /// What the host writes for each image between runs, if not everything fits at once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub segments: Vec<SegmentFile>,
}

/// A layer of the network that is cut into pieces.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PiecesFile {
    /// Its name in the network.
    pub layer: String,
    /// Output channels of a piece.
    pub channels: u32,
    /// Output rows of a piece.
    pub rows: u32,
    /// What it lacks as a whole.
    pub reason: String,
}

/// Runs, and what the host writes before the first of them, beside what it has written once.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SegmentFile {
    /// The first run, and the one after the last.
    pub runs: [usize; 2],
    /// Column parameters.
    pub columns: Vec<ColumnFile>,
    /// Row, entry and offset (null: none) of the tables of row offsets.
    pub row_offsets: Vec<(u32, u32, Option<u16>)>,
    /// Tables of functions of one byte, from number 1 on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<String>,
    /// Instruction words: its runs start among them. Empty if all words are written once.
    pub words: String,
    /// Program word of the first of them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub first_word: u32,
    /// State-buffer words, written with HOST_ZERO = 0.
    pub image: Vec<ImageFile>,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Instructions that the host starts at once; they end with HALT.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RunFile {
    /// Name: that of the layer, or of the network.
    pub name: String,
    /// The host runs its layer; there are no instructions.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub host: bool,
    /// Program word at which it starts: START_PC.
    pub start_pc: u32,
    /// Instructions, HALT included.
    pub instructions: u32,
    /// The first layer, and the one after the last.
    pub layers: [usize; 2],
    /// From the first word on: the way from program banks is that of the machine.
    pub cycles: u64,
    /// The cycles are an estimate.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
    /// Dependencies of the instructions: all of them, kept by the machine, implied by others, waits.
    pub sync: [usize; 4],
}

/// A layer.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LayerFile {
    /// Name.
    pub name: String,
    /// The host runs it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub host: bool,
    /// Its engine and why, on a machine with two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "(EngineFile, String)")]
    pub engine: Option<(EngineFile, String)>,
    /// Instructions, HALT not included.
    pub instructions: u32,
    /// Multiply-accumulates of one image, padding included.
    pub macs: u64,
    /// Tensor slots: the counter VECTORS.
    pub vectors: u64,
    /// Operands: tensor slots times the rows that have a tap.
    pub operands: u64,
    /// How the taps are laid over the rows.
    pub mapping: MappingFile,
    /// Cycles of the layer alone, and bytes of its input and weights in each partition.
    pub cost: [u64; 2],
    /// The mapping that was not taken and its cost.
    pub other: Option<(MappingFile, [u64; 2])>,
    /// Why.
    pub reason: String,
    /// Inputs for which its outputs were compared with what is meant, and equal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compared: Option<u64>,
    /// Indices of the inputs among the tensors.
    pub inputs: Vec<usize>,
}

/// An engine.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum EngineFile {
    Dense,
    Sparse,
}

/// How the taps of a layer are laid over the rows.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum MappingFile {
    Channel,
    Flattened,
    Toeplitz,
    Blocks,
}

/// Which pixels of its channel a plane holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum OrderFile {
    #[default]
    Plain,
    SplitRows,
    SplitBlocks,
    JoinedRows,
    JoinedBlocks,
    Phased,
}

impl OrderFile {
    fn is_plain(&self) -> bool {
        *self == Self::Plain
    }
}

/// A tensor in the state buffer; addresses and sizes are the same in all partitions.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TensorFile {
    /// Name of the layer that makes it; "input" for the input of the network.
    pub name: String,
    /// Channels, height, width.
    pub shape: [u32; 3],
    /// Zero point; HOST_ZERO for the words of this tensor.
    pub zero_point: i8,
    /// Channels of each partition, in the order of its planes; a channel may lie in several. None if the host alone has the tensor. Where phases lie apart, numbers from the channels on are none.
    pub planes: Vec<Vec<u32>>,
    /// Which pixels of its channel a plane holds.
    #[serde(default, skip_serializing_if = "OrderFile::is_plain")]
    pub order: OrderFile,
    /// Byte address of the region, halos included.
    pub base: u32,
    /// Bytes of the region in each partition.
    pub bytes: u32,
    /// Byte address of row 0, column 0 of the first plane.
    pub origin: u32,
    /// Bytes from row to row.
    pub pitch: u32,
    /// Bytes from plane to plane.
    pub plane_stride: u32,
    /// The matrices, if it has such instead of planes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matrices: Option<MatricesFile>,
}

/// The matrices of a tensor.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct MatricesFile {
    /// Rows and columns of each.
    pub shape: [u32; 2],
    /// Each of them lies transposed.
    pub turned: bool,
    /// Byte address of each.
    pub bases: Vec<u32>,
}

/// Bias and scale of a column for a column tile.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ColumnFile {
    /// Column of the array.
    pub column: u32,
    /// Column tile.
    pub tile: u32,
    /// Bias.
    pub bias: i32,
    /// Multiplier of the scale, 0 to 2^31 - 1. Of a dual scale 0.
    pub multiplier: i32,
    /// Shift of the scale, positive to the left; of a dual scale to the right.
    pub shift: i32,
    /// Of a dual scale: the factors of the two inputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub factors: Option<[u32; 2]>,
}

/// Words of a partition that follow each other.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ImageFile {
    /// Partition.
    pub partition: u32,
    /// Its first word.
    pub word: u32,
    /// Bytes of the words, two hexadecimal digits each, byte 0 first.
    pub bytes: String,
}

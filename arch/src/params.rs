//! The parameters of a machine: one JSON document describes one configuration.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::fault::{ConfigErrors, Fault};
use crate::word::{COLUMNS_PER_WORD, WORD_BYTES};
use crate::{json, rules};

mod counters;
mod offsets;
mod post;
mod program;
mod slices;
mod sparse;
mod sparse_tile;
mod system;

pub use counters::CounterSet;
pub use offsets::{Index, Offsets, Spread};
pub use post::Post;
pub(crate) use program::program_banks;
pub use program::{Program, ProgramMemory};
pub use slices::{MaskPlace, PackEnd, PackNetwork, ReadOrder, SliceWrite, SlicedMemory, Slices};
pub(crate) use slices::{mask_units, units};
pub use sparse::{MapLayout, Sparse, SparseNetwork};
pub use sparse_tile::{SparseTile, TileKind};
pub use system::{Dma, RegisterBus, System};

/// A machine configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Name of the configuration, printed into the headers of generated files: a lower-case
    /// letter, then at most 31 lower-case letters, digits and underscores.
    #[schemars(length(min = 1, max = 32), extend("pattern" = "^[a-z][a-z0-9_]*$"))]
    pub name: String,
    /// The array of processing elements.
    pub array: Array,
    /// The traversal units, which make the addresses of all streams.
    pub traversal: Traversal,
    /// The memory of activations and weights, one partition for each array row.
    pub state_buffer: StateBuffer,
    /// The memory of sums that wait for further K tiles, one partition for each array column.
    pub results_buffer: ResultsBuffer,
    /// Column tiles for which bias and scale of every column are stored, a power of two. A layer
    /// takes ceil(output channels / lanes) of them.
    #[schemars(extend("enum" = powers(1, 1024), "x-allowed" = "a power of two from 1 to 1024"))]
    pub column_tiles: u32,
    /// The program memory.
    pub program: Program,
    /// Ports of the memories that the host writes at rest only: the program (not in banks), biases, scales, activation
    /// tables, row offsets. Default: one for writes and one for reads.
    #[serde(default, skip_serializing_if = "TableMemory::is_two_ports")]
    #[schemars(!skip_serializing_if)]
    pub table_memory: TableMemory,
    /// Performance counters that the host can read, those of the sparse cluster included. A program does not depend on them, and the
    /// golden machine has all of them. Default: all.
    #[serde(default, skip_serializing_if = "CounterSet::is_full")]
    #[schemars(!skip_serializing_if)]
    pub counters: CounterSet,
    /// Pooling and activation functions on the way of results. Default: none.
    #[serde(default, skip_serializing_if = "Post::is_plain")]
    #[schemars(!skip_serializing_if)]
    pub post: Post,
    /// The stand-alone sliced memory. Default: one bank of the state buffer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sliced: Option<SlicedMemory>,
    /// The stand-alone offset unit and GEMM core. Default: all options at their defaults.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offsets: Option<Offsets>,
    /// The sparse cluster. Default: all options at their defaults.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sparse: Option<Sparse>,
    /// The system around the engine. Default: none, the machine has its host port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<System>,
    /// The reset input. Default: synchronous, active low.
    #[serde(default)]
    pub reset: Reset,
}

/// Ports of a memory that is written at rest only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TableMemory {
    /// One for writes and one for reads: `heddle_ram_1r1w`.
    #[default]
    TwoPorts,
    /// One for both: `heddle_ram_1rw`.
    OnePort,
}

impl TableMemory {
    fn is_two_ports(&self) -> bool {
        *self == TableMemory::TwoPorts
    }
}

/// The array of processing elements.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Array {
    /// Rows of processing elements, and partitions of the state buffer.
    #[schemars(range(min = 1, max = 256))]
    pub rows: u32,
    /// Columns of processing elements, and partitions of the results buffer.
    #[schemars(range(min = 1, max = 256))]
    pub cols: u32,
    /// Where the sum of the K tiles before joins that of the next one. Default: at the foot of a column.
    #[serde(default, skip_serializing_if = "PartialSums::is_foot")]
    #[schemars(!skip_serializing_if)]
    pub partial_sums: PartialSums,
}

/// Where a stored partial sum is added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PartialSums {
    /// By an adder of the results buffer, to the sum that leaves the column.
    #[default]
    Foot,
    /// It enters the column at the top, as first partial sum; the array is the only adder.
    Top,
}

impl PartialSums {
    fn is_foot(&self) -> bool {
        *self == PartialSums::Foot
    }
}

/// The traversal units.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Traversal {
    /// Rows: address sequences of one instruction (prologue, tensor, epilogue, more).
    #[schemars(range(min = 1, max = 8))]
    pub rows: u32,
    /// Nested loops of one row.
    #[schemars(range(min = 1, max = 8))]
    pub loops: u32,
    /// Bits of initial value, step, end and offset of a loop; not more than address_bits.
    #[schemars(extend("enum" = [16, 24, 32]))]
    pub offset_bits: u32,
    /// Bits of base and address.
    #[schemars(extend("enum" = [16, 24, 32]))]
    pub address_bits: u32,
    /// Rows and loops of each unit of the machine. Default: all have the rows and loops above.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub units: Option<UnitLoops>,
    /// What the stand-alone unit has beyond the units of the machine.
    #[serde(default)]
    pub unit: TraversalUnit,
}

/// Loops of each row of the units of the machine, row 0 first. At most as many rows and loops as the
/// section has, and at least one loop; a row without loops is a single address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UnitLoops {
    /// Weight unit: loads and copies.
    #[schemars(length(min = 1, max = 8), inner(range(min = 0, max = 8)))]
    pub weights: Vec<u32>,
    /// Stream unit: prologue, tensor, epilogue.
    #[schemars(length(min = 1, max = 3), inner(range(min = 0, max = 8)))]
    pub stream: Vec<u32>,
    /// Drain unit.
    #[schemars(length(min = 1, max = 8), inner(range(min = 0, max = 8)))]
    pub drain: Vec<u32>,
}

impl From<[&[u32]; 3]> for UnitLoops {
    /// Weight, stream and drain unit.
    fn from(units: [&[u32]; 3]) -> Self {
        let [weights, stream, drain] = units.map(<[u32]>::to_vec);
        Self {
            weights,
            stream,
            drain,
        }
    }
}

/// A unit of the machine that walks records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MachineUnit {
    /// Weight unit.
    Weights,
    /// Stream unit.
    Stream,
    /// Drain unit.
    Drain,
}

impl MachineUnit {
    /// All units.
    pub const ALL: [Self; 3] = [Self::Weights, Self::Stream, Self::Drain];
}

impl Traversal {
    /// Loops of each row of a unit.
    pub fn unit_loops(&self, unit: MachineUnit) -> Vec<u32> {
        match (&self.units, unit) {
            (None, _) => vec![self.loops; self.rows as usize],
            (Some(units), MachineUnit::Weights) => units.weights.clone(),
            (Some(units), MachineUnit::Stream) => units.stream.clone(),
            (Some(units), MachineUnit::Drain) => units.drain.clone(),
        }
    }

    /// Loops of a row of a unit; 0 if there is no such row.
    pub fn row_loops(&self, unit: MachineUnit, row: u8) -> u32 {
        let loops = self.unit_loops(unit);
        loops.get(usize::from(row)).copied().unwrap_or(0)
    }

    /// The field that says how many rows or loops a unit has: `common`, if all have the same.
    pub fn unit_field(&self, unit: MachineUnit, common: &'static str) -> &'static str {
        match (&self.units, unit) {
            (None, _) => common,
            (Some(_), MachineUnit::Weights) => "traversal.units.weights",
            (Some(_), MachineUnit::Stream) => "traversal.units.stream",
            (Some(_), MachineUnit::Drain) => "traversal.units.drain",
        }
    }
}

/// Options of the stand-alone traversal unit, `heddle gen --top traversal`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TraversalUnit {
    /// Registers are doubled: the next record is loaded while a traversal runs.
    pub double_buffer: bool,
    /// Rows may end their loops by equality.
    pub equality: bool,
    /// Rows may give the number of iterations instead of an end.
    pub trips: bool,
    /// Prologues and epilogues may belong to an inner loop.
    pub attach: bool,
    /// Initial values, steps and ends may come in an instruction each.
    pub group_setup: bool,
    /// Register stages of the address sum.
    #[schemars(range(min = 1, max = 4))]
    pub sum_stages: u32,
    /// Which register holds a loop.
    pub arrangement: Arrangement,
    /// Offsets in the table of `traversal_table`, a power of two.
    #[schemars(extend("enum" = powers(16, 4096), "x-allowed" = "a power of two from 16 to 4096"))]
    pub table_words: u32,
}

impl Default for TraversalUnit {
    fn default() -> Self {
        Self {
            double_buffer: true,
            equality: false,
            trips: true,
            attach: true,
            group_setup: false,
            sum_stages: 4,
            arrangement: Arrangement::Rows,
            table_words: 256,
        }
    }
}

/// Which register of a traversal unit holds loop c (0 is the innermost) of row r.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Arrangement {
    /// Register (r, c).
    #[default]
    Rows,
    /// Register (r, N - 1 - c): the leftmost loop is the innermost.
    Mirrored,
    /// Register (c, r): one column is one variable.
    Transposed,
}

/// One partition of the state buffer; there are as many as array rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StateBuffer {
    /// Banks of a partition. Each has one read and one write port.
    #[schemars(extend("enum" = [2, 4, 8]))]
    pub banks: u32,
    /// A partition has at least as many banks as clients in a clock: operands, weights and the drain. It changes no
    /// hardware; fewer banks are refused.
    #[serde(default, skip_serializing_if = "is_false")]
    #[schemars(!skip_serializing_if)]
    pub bank_per_client: bool,
    /// Banks of a partition that hold the input of the network alone: the last ones. The host writes them, operands are
    /// read from them; neither weights nor results may lie there. At least two other banks are left.
    #[serde(default, skip_serializing_if = "is_none")]
    #[schemars(!skip_serializing_if)]
    #[schemars(range(min = 0, max = 6))]
    pub input_banks: u32,
    /// Words of 8 bytes in one bank, a power of two. A partition holds at most 65536 bytes.
    #[schemars(extend("enum" = powers(16, 4096), "x-allowed" = "a power of two from 16 to 4096"))]
    pub words_per_bank: u32,
    /// How a bank keeps the non-zero units of a word.
    pub slices: Slices,
    /// A read of the word that is written in the same clock gets the new word, by way of registers. Without it what is
    /// read is undefined; the compiler makes no such read.
    #[serde(default, skip_serializing_if = "is_false")]
    #[schemars(!skip_serializing_if)]
    pub bypass: bool,
    /// Entries of the offset table of each partition, a power of two. A layer whose taps are laid
    /// over the rows takes one for each K tile.
    #[serde(default = "row_offsets_default")]
    #[schemars(extend("enum" = powers(16, 256), "x-allowed" = "a power of two from 16 to 256"))]
    pub row_offsets: u32,
}

fn is_false(value: &bool) -> bool {
    !value
}

fn is_none(count: &u32) -> bool {
    *count == 0
}

fn row_offsets_default() -> u32 {
    32
}

/// One partition of the results buffer; there are as many as array columns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResultsBuffer {
    /// Sums of 32 bits in each of the two banks, a power of two.
    #[schemars(extend("enum" = powers(16, 4096), "x-allowed" = "a power of two from 16 to 4096"))]
    pub depth: u32,
}

/// The reset input.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reset {
    /// Whether reset acts at the clock edge or at once.
    #[serde(default)]
    pub style: ResetStyle,
    /// Level at which reset is active.
    #[serde(default)]
    pub level: ResetLevel,
}

/// When reset acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ResetStyle {
    /// At the rising edge of the clock.
    #[default]
    Sync,
    /// At once.
    Async,
}

/// Level of an active reset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ResetLevel {
    /// 0: the input is called rst_n.
    #[default]
    Low,
    /// 1: the input is called rst.
    High,
}

/// The greatest common divisor.
pub fn common_divisor(a: u32, b: u32) -> u32 {
    match b {
        0 => a,
        _ => common_divisor(b, a % b),
    }
}

impl Params {
    /// Largest number of bytes of a partition: addresses of the wave have 16 bits.
    pub const PARTITION_BYTES_MAX: u32 = 65536;
    /// Clients of a partition in one clock of a run: operands, weights, and results of a drain.
    pub const PARTITION_CLIENTS: u32 = 3;
    /// Fewest banks beside the input and program banks: operands and weights of one clock lie apart.
    pub const WORK_BANKS_MIN: u32 = 2;

    /// Reads a configuration.
    ///
    /// # Errors
    /// All faults of the document, each with its line, field, value and what is allowed.
    pub fn from_json(text: &str) -> Result<Params, ConfigErrors> {
        let mut document = json::Document::parse(text)?;
        if let Some(fault) = other_kind(&document.value) {
            return Err(document.errors(vec![fault]));
        }
        let mut faults = document.check(&schema());
        sparse::follow_array(&mut document.value);
        rules::check(&document.value, &mut faults);
        document.read(faults)
    }

    /// Checks parameters that were not read by [`Params::from_json`].
    ///
    /// # Errors
    /// As [`Params::from_json`], the lines being those of [`Params::to_json`].
    pub fn validate(&self) -> Result<(), ConfigErrors> {
        Params::from_json(&self.to_json()).map(|_| ())
    }

    /// The document, with all optional fields that change the hardware.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("parameters are strings and numbers")
    }

    /// Bytes of a partition, at most [`Params::PARTITION_BYTES_MAX`].
    pub fn partition_bytes(&self) -> u32 {
        self.state_buffer.banks * self.bank_bytes()
    }

    /// Slots from one that stores a sum to the first one that can start from it: with sums at the top a sum
    /// passes the array in between. 0 at the foot, where sums are forwarded.
    pub fn sum_distance(&self) -> u32 {
        match self.array.partial_sums {
            PartialSums::Foot => 0,
            PartialSums::Top => self.array.rows + 3,
        }
    }

    /// Bytes of a bank.
    pub fn bank_bytes(&self) -> u32 {
        self.state_buffer.words_per_bank * WORD_BYTES
    }

    /// Banks that operands may lie in: all but the program banks.
    pub fn operand_banks(&self) -> u32 {
        self.state_buffer.banks - self.program_banks()
    }

    /// Bytes of the banks that operands may lie in. The program banks begin here.
    pub fn operand_bytes(&self) -> u32 {
        self.operand_banks() * self.bank_bytes()
    }

    /// Banks that weights and results may lie in: all but the input and program banks.
    pub fn work_banks(&self) -> u32 {
        self.operand_banks() - self.state_buffer.input_banks
    }

    /// Bytes of the banks that weights and results may lie in. The input banks begin here.
    pub fn work_bytes(&self) -> u32 {
        self.work_banks() * self.bank_bytes()
    }

    /// Words of a partition.
    pub fn partition_words(&self) -> u32 {
        self.partition_bytes() / WORD_BYTES
    }

    /// Channels that are computed at once: the smaller of rows and columns.
    pub fn lanes(&self) -> u32 {
        self.array.rows.min(self.array.cols)
    }

    /// Greatest common divisor of rows and columns: the step in which a drain chooses the partition of
    /// column 0.
    pub fn partition_step(&self) -> u32 {
        common_divisor(self.array.rows, self.array.cols)
    }

    /// Partitions that column 0 can drain into; 1 for a square array.
    pub fn rotations(&self) -> u32 {
        self.array.rows / self.partition_step()
    }

    /// Weight words of one K tile in each partition: ceil(columns / 8).
    pub fn weight_words(&self) -> u32 {
        self.array.cols.div_ceil(COLUMNS_PER_WORD)
    }

    /// Units of the first data slice of a bank.
    pub fn first_slice(&self) -> u32 {
        self.state_buffer.slices.widths[0]
    }

    /// The stand-alone sliced memory: that of the section `sliced`, or one bank.
    pub fn sliced_memory(&self) -> SlicedMemory {
        self.sliced.clone().unwrap_or_else(|| SlicedMemory {
            words: self.state_buffer.words_per_bank,
            slices: self.state_buffer.slices.clone(),
        })
    }

    /// Options of the offset unit and the GEMM core: those of the section `offsets`, with rows and
    /// columns given.
    pub fn offset_unit(&self) -> Offsets {
        let section = self.offsets.clone().unwrap_or_default();
        Offsets {
            rows: section.rows.or(Some(self.array.rows)),
            cols: section.cols.or(Some(self.array.cols)),
            ..section
        }
    }

    /// Another array. A cluster that is an engine follows it.
    pub fn set_array(&mut self, [rows, cols]: [u32; 2]) {
        (self.array.rows, self.array.cols) = (rows, cols);
        if let Some(section) = self.sparse.as_mut().filter(|section| section.engine) {
            section.channels = cols;
            section.load_lanes = None;
        }
    }

    /// Whether a DMA moves words while programs run.
    pub fn has_dma(&self) -> bool {
        self.dma().is_some()
    }

    /// Whether programs have LOAD and STORE. One in banks is fetched by the wave that a DMA needs.
    pub fn programs_move(&self) -> bool {
        self.has_dma() && self.program_banks() == 0
    }

    /// Its DMA.
    pub fn dma(&self) -> Option<&Dma> {
        self.system.as_ref()?.dma.as_ref()
    }

    /// Whether the machine has the sparse cluster as a second engine.
    pub fn has_cluster(&self) -> bool {
        self.sparse.as_ref().is_some_and(|section| section.engine)
    }

    /// Options of the sparse cluster: those of the section `sparse`, with lanes and memories given, no more entries at once than lanes, and no
    /// census of sums.
    pub fn sparse_cluster(&self) -> Sparse {
        let section = self.sparse.clone().unwrap_or_default();
        let lanes = section
            .load_lanes
            .unwrap_or(self.array.rows.min(Sparse::LANES_MAX));
        Sparse {
            load_lanes: Some(lanes),
            load_entries: section.load_entries.min(1 << lanes.ilog2()),
            census: section.census && section.post,
            memories: section.memories.or(Some(section.units)),
            ..section
        }
    }
}

/// A network or a program where a configuration should be: only these name a format.
fn other_kind(document: &Value) -> Option<Fault> {
    let format = document.get("format")?.as_str()?;
    let known = [("network", "model"), ("program", "program")];
    let is_of = |kind: &str| format.starts_with(&format!("heddle-{kind}-"));
    let (kind, option) = known.into_iter().find(|(kind, _)| is_of(kind))?;
    let message = format!(
        "format is {format:?}: the file is a {kind}, expected a configuration; --{option} takes it"
    );
    Some(Fault {
        line: None,
        field: "format".to_string(),
        message,
    })
}

/// JSON schema of a configuration. [`Params::from_json`] checks against this schema itself.
pub fn schema() -> Value {
    json::schema_of::<Params>()
}

/// The powers of two from `low` to `high`.
fn powers(low: u64, high: u64) -> Value {
    let list = std::iter::successors(Some(low), |n| Some(n * 2)).take_while(|n| *n <= high);
    json!(list.collect::<Vec<_>>())
}

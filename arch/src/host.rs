//! The host port: register numbers, address regions and counters of `docs/isa.md`.

use crate::isa::ErrorCode;
use crate::isa::fields::{
    activation_at, buffer_at, cluster_at, cluster_count_at, column_at, ctrl, dual_factors,
    dual_shift, multiplier, pair_at, program_at, register_at, row_table_at, row_table_data, shift,
    status,
};
use crate::requantise::{DualScale, Scale};

/// Value of [`Register::Id`].
pub const ID: u32 = 0x4845_4401;

/// Registers, with their index. The byte address is eight times the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u32)]
pub enum Register {
    /// Constant [`ID`].
    Id = 0,
    /// Starts the machine at [`Register::StartPc`].
    Ctrl = 1,
    /// Word address of the first instruction, 16 bits.
    StartPc = 2,
    /// See [`Status`].
    Status = 3,
    /// Zero point of the bytes that pass the host port, 8 bits.
    HostZero = 4,
    /// Rows and columns of the array.
    Shape = 5,
}

impl Register {
    /// Index of the register.
    pub const fn index(self) -> u32 {
        self as u32
    }

    /// Byte address on the host port.
    pub const fn address(self) -> u32 {
        register_address(self as u32)
    }
}

/// Bit of [`Register::Ctrl`] that starts the machine.
pub const CTRL_START: u64 = ctrl::START.mask() as u64;

/// Largest number of data slices whose accesses are counted.
pub const SLICES_MAX: usize = 8;

/// Hardware counters in the order of their registers. All have 32 bits, wrap, and are cleared by a
/// start. Those of slices that a machine does not have read 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Counter {
    /// Operands that are zero: each is a slot of one active row.
    ZeroOperands,
    /// Cycles in which the machine ran, the quiet cycles at the end excepted.
    Cycles,
    /// Tensor slots.
    Vectors,
    /// Multiply-accumulates that the instructions declared.
    Macs,
    /// Cycles in which a vector waited for its weights.
    StallWeights,
    /// Cycles in which an instruction waited for units.
    StallWait,
    /// Instructions started, HALT included.
    Instructions,
    /// Words read from mask slices.
    MaskReads,
    /// Words written to mask slices.
    MaskWrites,
    /// Words read from the data slices of this number, below [`SLICES_MAX`].
    SliceReads(u8),
    /// Words written to the data slices of this number, below [`SLICES_MAX`].
    SliceWrites(u8),
    /// Cycles in which a slot waited for stored sums; 0 in a machine that adds them at the foot.
    StallSums,
}

impl Counter {
    /// All counters in the order of their registers, STALL_SUMS last.
    pub const ALL: [Counter; 10 + 2 * SLICES_MAX] = [
        Counter::ZeroOperands,
        Counter::Cycles,
        Counter::Vectors,
        Counter::Macs,
        Counter::StallWeights,
        Counter::StallWait,
        Counter::Instructions,
        Counter::MaskReads,
        Counter::MaskWrites,
        Counter::SliceReads(0),
        Counter::SliceWrites(0),
        Counter::SliceReads(1),
        Counter::SliceWrites(1),
        Counter::SliceReads(2),
        Counter::SliceWrites(2),
        Counter::SliceReads(3),
        Counter::SliceWrites(3),
        Counter::SliceReads(4),
        Counter::SliceWrites(4),
        Counter::SliceReads(5),
        Counter::SliceWrites(5),
        Counter::SliceReads(6),
        Counter::SliceWrites(6),
        Counter::SliceReads(7),
        Counter::SliceWrites(7),
        Counter::StallSums,
    ];

    /// Name as in `docs/isa.md`.
    pub fn name(self) -> String {
        let (_, name, slice) = self.listed();
        slice.map_or(name.to_string(), |slice| format!("SLICE{slice}_{name}"))
    }

    /// Register index.
    pub const fn index(self) -> u32 {
        match self.listed() {
            (index, _, None) => index,
            (first, _, Some(slice)) => first + 2 * slice as u32,
        }
    }

    /// Register index and name; of a slice the index is that of slice 0.
    const fn listed(self) -> (u32, &'static str, Option<u8>) {
        let (index, name) = match self {
            Counter::StallSums => (6, "STALL_SUMS"),
            Counter::ZeroOperands => (7, "ZERO_OPERANDS"),
            Counter::Cycles => (8, "CYCLES"),
            Counter::Vectors => (9, "VECTORS"),
            Counter::Macs => (10, "MACS"),
            Counter::StallWeights => (11, "STALL_WEIGHTS"),
            Counter::StallWait => (12, "STALL_WAIT"),
            Counter::Instructions => (13, "INSTRUCTIONS"),
            Counter::MaskReads => (14, "MASK_READS"),
            Counter::MaskWrites => (15, "MASK_WRITES"),
            Counter::SliceReads(slice) => return (16, "READS", Some(slice)),
            Counter::SliceWrites(slice) => return (17, "WRITES", Some(slice)),
        };
        (index, name, None)
    }

    /// Place in [`Counter::ALL`].
    pub const fn place(self) -> usize {
        match self {
            Counter::StallSums => Counter::ALL.len() - 1,
            _ => (self.index() - Counter::ZeroOperands.index()) as usize,
        }
    }

    /// Byte address on the host port.
    pub const fn address(self) -> u32 {
        register_address(self.index())
    }
}

/// Contents of [`Register::Status`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status {
    /// The machine runs.
    pub running: bool,
    /// The last run ended with HALT.
    pub done: bool,
    /// The last run ended with an error.
    pub error: bool,
    /// The sparse cluster has something under way.
    pub cluster: bool,
    /// Number of the error, see [`ErrorCode`]; 0 without an error.
    pub code: u8,
    /// Word address of the instruction concerned.
    pub pc: u16,
}

impl Status {
    /// Takes the register apart.
    pub const fn from_bits(bits: u64) -> Status {
        Status {
            running: status::RUNNING.is_set(bits as u32),
            done: status::DONE.is_set(bits as u32),
            error: status::ERROR.is_set(bits as u32),
            cluster: status::CLUSTER.is_set(bits as u32),
            code: status::CODE.get(bits as u32) as u8,
            pc: status::PC.get(bits as u32) as u16,
        }
    }

    /// The error, if there is one and its number is known.
    pub fn error_code(self) -> Option<ErrorCode> {
        if self.error {
            ErrorCode::from_number(self.code)
        } else {
            None
        }
    }
}

/// Counters of the sparse cluster in the order of their numbers, those of cuts excepted. They have 32 bits, wrap, and are never
/// cleared; `docs/sparse.md` says what they count.
pub const CLUSTER_COUNTERS: [&str; 9] = [
    "SPARSE_CYCLES",
    "SPARSE_SLOTS",
    "SPARSE_SLOT_WAITS",
    "SPARSE_ENTRIES",
    "SPARSE_FILLS",
    "SPARSE_PRODUCTS",
    "SPARSE_DROPS",
    "SPARSE_HOLDS",
    "SPARSE_POSITIONS",
];

/// What the host sends to the sparse cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ClusterStream {
    /// Words of commands, 32 bits.
    Commands,
    /// Words of weights, 64 bits.
    Weights,
}

/// The two words of a column's parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ColumnSelect {
    /// Bias, 32 bits.
    Bias,
    /// Multiplier and shift code, see [`scale_bits`] and [`dual_scale_bits`].
    Scale,
}

/// Byte address of the register with this index (0..=31).
pub const fn register_address(index: u32) -> u32 {
    register_at::REGION.put(0) | register_at::INDEX.put(index)
}

/// Byte address of a word of the program memory (0..=65535).
pub const fn program_address(word: u32) -> u32 {
    program_at::REGION.put(1) | program_at::INDEX.put(word)
}

/// Byte address of a pair of words of a program that lies in banks (0..=32767): word 2 pair in bits 31..0 of the data, the
/// next one in bits 63..32.
pub const fn program_pair_address(pair: u32) -> u32 {
    pair_at::REGION.put(1) | pair_at::PAIR.put(pair)
}

/// Byte address to which words of a stream of the sparse cluster are written.
pub const fn cluster_address(stream: ClusterStream) -> u32 {
    cluster_at::REGION.put(1) | cluster_at::CLUSTER.put(1) | cluster_at::STREAM.put(stream as u32)
}

/// Byte address of a counter of the sparse cluster (0..=15).
pub const fn cluster_counter_address(counter: u32) -> u32 {
    cluster_count_at::REGION.put(1)
        | cluster_count_at::CLUSTER.put(1)
        | cluster_count_at::COUNTER.put(counter)
}

/// Byte address of a column parameter: column 0..=255, column tile 0..=1023.
pub const fn column_address(column: u32, tile: u32, sel: ColumnSelect) -> u32 {
    column_at::REGION.put(2)
        | column_at::COLUMN.put(column)
        | column_at::TILE.put(tile)
        | column_at::SCALE.put(sel as u32)
}

/// Byte address of an entry of an activation table: table 0..=7, stored byte 0..=255. DRAIN counts the
/// tables from 1 on.
pub const fn activation_address(table: u32, byte: u32) -> u32 {
    activation_at::REGION.put(2)
        | activation_at::TABLE.put(1)
        | activation_at::NUMBER.put(table)
        | activation_at::BYTE.put(byte)
}

/// Byte address of a state-buffer word: partition 0..=255, word 0..=8191.
pub const fn buffer_address(partition: u32, word: u32) -> u32 {
    buffer_at::REGION.put(3) | buffer_at::PARTITION.put(partition) | buffer_at::INDEX.put(word)
}

/// Byte address of an entry of a row's offset table: row 0..=255, entry 0..=255.
pub const fn row_offset_address(row: u32, entry: u32) -> u32 {
    row_table_at::REGION.put(3)
        | row_table_at::TABLE.put(1)
        | row_table_at::ROW.put(row)
        | row_table_at::ENTRY.put(entry)
}

/// The data word of an entry of a row's offset table.
pub const fn row_offset_bits(offset: Option<u16>) -> u64 {
    match offset {
        Some(offset) => {
            (row_table_data::VALID.put(1) | row_table_data::OFFSET.put(offset as u32)) as u64
        }
        None => 0,
    }
}

/// The data word of a scale.
pub fn scale_bits(scale: Scale) -> u64 {
    let low = multiplier::MULTIPLIER.put(scale.multiplier() as u32);
    let high = shift::SHIFT.put(scale.shift() as u32);
    u64::from(low) | u64::from(high) << 32
}

/// The data word of a dual scale: the factor of the lower part stands above that of the upper part, and its highest
/// bits above the shift, so that the bits of a scale stay where they are.
pub fn dual_scale_bits(scale: DualScale) -> u64 {
    let [upper, lower] = scale.factors();
    let low = dual_factors::UPPER.put(upper) | dual_factors::LOWER.put(lower);
    let rest = lower >> dual_factors::LOWER.width;
    let shift = DualScale::SHIFT_MIN.wrapping_sub(scale.shift());
    let high = dual_shift::SHIFT.put(shift) | dual_shift::LOWER.put(rest);
    u64::from(low) | u64::from(high) << 32
}

/// What scales the sums of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnScale {
    /// One scale.
    Single(Scale),
    /// A factor for each of two inputs.
    Dual(DualScale),
}

impl From<Scale> for ColumnScale {
    fn from(scale: Scale) -> Self {
        ColumnScale::Single(scale)
    }
}

impl From<DualScale> for ColumnScale {
    fn from(scale: DualScale) -> Self {
        ColumnScale::Dual(scale)
    }
}

impl ColumnScale {
    /// The data word.
    pub fn bits(self) -> u64 {
        match self {
            ColumnScale::Single(scale) => scale_bits(scale),
            ColumnScale::Dual(scale) => dual_scale_bits(scale),
        }
    }
}

/// The data word of a bias: 32 bits, two's complement.
pub fn bias_bits(bias: i32) -> u64 {
    u64::from(bias as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_follow_the_document() {
        assert_eq!(Register::Status.address(), 24);
        assert_eq!(Counter::SliceWrites(7).address(), 31 * 8);
        assert_eq!(program_address(65535), 0x4007_fff8);
        assert_eq!(program_pair_address(32767), 0x4003_fff8);
        assert_eq!(column_address(255, 255, ColumnSelect::Scale), 0x9fe0_0ff8);
        assert_eq!(cluster_address(ClusterStream::Weights), 0x6000_0008);
        assert_eq!(cluster_counter_address(8), 0x6000_0040);
        assert_eq!(column_address(1, 2, ColumnSelect::Bias), 0x8020_0020);
        assert_eq!(activation_address(7, 255), 0xa000_3ff8);
        assert_eq!(activation_address(1, 2), 0xa000_0810);
        assert_eq!(buffer_address(255, 8191), 0xdfe0_fff8);
        assert_eq!(row_offset_address(255, 255), 0xffe0_07f8);
        assert_eq!(row_offset_address(1, 2), 0xe020_0010);
    }

    #[test]
    fn entries_of_row_tables_say_whether_they_are_valid() {
        assert_eq!(row_offset_bits(Some(0)), 0x1_0000);
        assert_eq!(row_offset_bits(Some(0xffff)), 0x1_ffff);
        assert_eq!(row_offset_bits(None), 0);
    }

    #[test]
    fn counters_are_listed_in_register_order() {
        let (last, others) = Counter::ALL.split_last().unwrap();
        for (i, counter) in others.iter().enumerate() {
            assert_eq!(counter.index() as usize, 7 + i, "{}", counter.name());
            assert_eq!(counter.place(), i);
        }
        // In front of the others, in the only index that was free.
        assert_eq!((*last, last.index()), (Counter::StallSums, 6));
        assert_eq!(last.place(), others.len());
    }

    #[test]
    fn status_is_taken_apart() {
        let status = Status::from_bits(0x1234_0604);
        assert_eq!(status.error_code(), Some(ErrorCode::Stuck));
        assert_eq!(status.pc, 0x1234);
        assert!(!status.running && !status.done);
        assert_eq!(Status::from_bits(0x0602).error_code(), None);
    }

    #[test]
    fn scale_words_hold_the_shift_in_six_bits() {
        let scale = |q, s| scale_bits(Scale::new(q, s).unwrap());
        assert_eq!(scale(1 << 30, -31), 0x21_4000_0000);
        assert_eq!(scale(i32::MAX, 30), 0x1e_7fff_ffff);
        assert_eq!(bias_bits(-1), 0xffff_ffff);
    }

    #[test]
    fn words_of_dual_scales_hold_both_factors_around_the_shift() {
        let scale = |upper, lower, s| dual_scale_bits(DualScale::new([upper, lower], s).unwrap());
        assert_eq!(scale(0x1_ffff, 0, 14), 0x1_ffff);
        assert_eq!(scale(0, 0x7fff, 14), 0xfffe_0000);
        assert_eq!(scale(0, 0x1_8000, 14), 0xc0_0000_0000);
        assert_eq!(scale(0, 0, 15), 0x3f_0000_0000);
        assert_eq!(scale(1, 0x1_0001, 45), 0xa1_0002_0001);
    }
}

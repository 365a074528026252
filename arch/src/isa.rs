//! The instruction set of `docs/isa.md`: instructions, their words, and the errors of the machine.

mod check;
mod decode;
mod encode;
pub mod fields;
mod instruction;
pub mod sparse;
mod text;

pub use instruction::{CopyWords, Drain, Instruction, LoadWeights, Matmul, Move, SparseCommand};
pub use text::{AsmError, assemble, disassemble};

/// Opcode of HALT.
pub const OP_HALT: u32 = 0x01;
/// Opcode of LOAD_WEIGHTS.
pub const OP_LOAD_WEIGHTS: u32 = 0x02;
/// Opcode of MATMUL.
pub const OP_MATMUL: u32 = 0x03;
/// Opcode of DRAIN.
pub const OP_DRAIN: u32 = 0x04;
/// Opcode of COPY.
pub const OP_COPY: u32 = 0x05;
/// Opcode of SYNC.
pub const OP_SYNC: u32 = 0x07;
/// Opcode of LOAD.
pub const OP_LOAD: u32 = 0x08;
/// Opcode of STORE.
pub const OP_STORE: u32 = 0x09;
/// Row of an operand record whose addresses are column tiles whose bias is loaded.
pub const ROW_PROLOGUE: u8 = 0;
/// Row of an operand record whose addresses are operands.
pub const ROW_TENSOR: u8 = 1;
/// Row of an operand record whose addresses are results of the results buffer.
pub const ROW_EPILOGUE: u8 = 2;
/// Longest instruction in words: the length field has 8 bits.
pub const MAX_WORDS: usize = 255;

/// Longest command of the sparse cluster in a program, in words.
pub const SPARSE_WORDS: usize = 15;

/// Whether the opcode is that of a command of the sparse cluster which a program may have: SPARSE_SET, SPARSE_LOAD, SPARSE_WEIGHTS,
/// SPARSE_RUN, SPARSE_DRAIN.
pub fn is_sparse(opcode: u32) -> bool {
    (sparse::OP_SET..=sparse::OP_DRAIN).contains(&opcode)
}

/// What an instruction waits for before it starts, besides the unit that it starts itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Wait {
    /// Wait until the weight unit is idle.
    pub weights: bool,
    /// Wait until the stream unit is idle.
    pub stream: bool,
    /// Wait until the drain unit is idle.
    pub drain: bool,
    /// Wait until at most so many loads of the program are open, 0..=15.
    pub loads: Option<u8>,
    /// Wait until at most so many stores of the program are open, 0..=15.
    pub stores: Option<u8>,
}

impl Wait {
    /// For nothing, as the default.
    pub const NONE: Wait = Wait {
        weights: false,
        stream: false,
        drain: false,
        loads: None,
        stores: None,
    };
}

/// One loop of a traversal row: the offset runs from `initial` in steps of `step`; it goes back to
/// `initial` after the iteration in which offset + step >= end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Loop {
    /// First offset.
    pub initial: u32,
    /// Distance between offsets.
    pub step: u32,
    /// Bound.
    pub end: u32,
}

/// The addresses of one traversal row: base + the offsets of all loops, innermost fastest.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct RowBlock {
    /// Traversal row, 0..=7.
    pub row: u8,
    /// Base address.
    pub base: u32,
    /// Loops, innermost first, at most 8.
    pub loops: Vec<Loop>,
}

/// A TRAVERSE record: the address sequence of an instruction.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Record {
    /// Blocks in the order in which the rows run; a row runs where its first block stands.
    pub rows: Vec<RowBlock>,
}

impl Record {
    /// Length in words.
    pub fn words(&self) -> usize {
        self.rows.iter().map(|b| 2 + 3 * b.loops.len()).sum()
    }
}

/// How a product uses the offset tables of the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct RowTable {
    /// Entry of the first K tile; each further K tile takes the next one.
    pub first_entry: u8,
    /// Multiply-accumulates of one vector of the last K tile, 17 bits: its rows may be fewer.
    pub last_macs: u32,
}

/// A product that runs its record several times, once for each of some column tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Repeat {
    /// How often, 1..=256. Each time the column tile of the prologue is one higher.
    pub times: u32,
    /// What each time adds to the operand addresses, 16 bits.
    pub step: u32,
}

/// Which columns a drain takes, and into which partitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct DrainPlace {
    /// First column that writes, 0..=255.
    pub first_column: u32,
    /// Partition of column 0 in steps of g = gcd(R, C): column c writes partition
    /// (`rotate` * g + c) mod R.
    pub rotate: u32,
}

numbered! {
    /// How pooling makes one number of the sums of a window. The numbers are those of the instruction word.
    #[derive(Default)]
    Reduction: u32 {
        /// The largest sum.
        #[default]
        Max = 0 "max",
        /// The smallest sum.
        Min = 1 "min",
        /// The total, modulo 2^32; with 1/n in the scale it is the mean.
        Sum = 2 "sum",
        /// The product, modulo 2^32.
        Product = 3 "product",
        /// The sum of the two middle ones of the window in order, or of the middle one and itself: twice the
        /// median, modulo 2^32.
        Median = 4 "median",
    }
}

/// Windows of consecutive sums of a column that a drain reduces, each to one result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pooling {
    /// What becomes of a window.
    pub reduction: Reduction,
    /// Sums in a window, at least 1.
    pub window: u32,
}

impl Pooling {
    /// Most sums in a window.
    pub const WINDOW_MAX: u32 = 256;
}

numbered! {
    /// Why the machine stops; the numbers are those of the status register.
    ErrorCode: u8 {
        /// The opcode has no meaning.
        IllegalOpcode = 1 "ILLEGAL_OPCODE",
        /// Length 0 or too short, or the record does not end with the instruction.
        BadLength = 2 "BAD_LENGTH",
        /// Reserved bits set, or a field out of range.
        BadField = 3 "BAD_FIELD",
        /// A unit produced an address outside its memory.
        Address = 4 "ADDRESS",
        /// A result for post found no drain address.
        DrainUnderflow = 5 "DRAIN_UNDERFLOW",
        /// No unit made progress for 4096 cycles.
        Stuck = 6 "STUCK",
        /// The program counter left the program memory.
        ProgramEnd = 7 "PROGRAM_END",
        /// Streamed weights passed by before a product was ready for them.
        LostWeights = 8 "LOST_WEIGHTS",
        /// A unit of the sparse cluster has more entries than a set holds.
        MapFull = 16 "MAP_FULL",
        /// A run of the sparse cluster has a set that no load before it fills.
        SparseOrder = 18 "SPARSE_ORDER",
    }
}

numbered! {
    /// Why DMA or job list stop the machine: further numbers of the register ERROR.
    SystemError: u8 {
        /// An answer of the bus that is not OKAY, comes at the wrong time or ends a burst at the wrong beat.
        Bus = 9 "BUS",
        /// A page that no window opens.
        Window = 10 "WINDOW",
        /// A place beyond a memory of the machine.
        DmaLocal = 11 "DMA_LOCAL",
        /// The bus, or a program with a limit, took too long.
        TimeOut = 12 "TIMEOUT",
        /// An entry of the ring with a reserved bit, an unknown type, a wrong CONFIG or a bad field.
        Job = 14 "JOB",
    }
}

/// Words that are no instruction, or an instruction that fits no words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {message}", .code.name())]
pub struct IsaError {
    /// The code with which the machine would stop.
    pub code: ErrorCode,
    /// Field, value and what is allowed.
    pub message: String,
}

impl IsaError {
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> IsaError {
        IsaError {
            code,
            message: message.into(),
        }
    }
}

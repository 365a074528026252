//! The instructions and their fields.
//!
//! The default of an instruction is the smallest legal one: one row, one column, one multiply-accumulate for each vector, all
//! in one K tile, no wait, no option, no address.

use super::fields::header;
use super::{
    DrainPlace, OP_COPY, OP_DRAIN, OP_HALT, OP_LOAD, OP_LOAD_WEIGHTS, OP_MATMUL, OP_STORE, OP_SYNC,
    Pooling, Record, Repeat, RowTable, Wait,
};
use crate::transfer::{Transfer, WORDS_OF_TRANSFER};

/// An instruction.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Instruction {
    /// Waits until all units are idle; then the machine is done.
    Halt {
        /// Units to wait for; HALT waits for all anyway.
        wait: Wait,
    },
    /// Weight unit: reads weight words of one or more K tiles into the shadow weights.
    LoadWeights(LoadWeights),
    /// Stream unit: prologue, tensor, epilogue.
    Matmul(Matmul),
    /// Drain unit: addresses and scaling of the results that go to post.
    Drain(Drain),
    /// Weight unit: copies words of the state buffer, each partition its own, all partitions alike.
    Copy(CopyWords),
    /// A command of the sparse cluster, which takes it when it can.
    Sparse(SparseCommand),
    /// A barrier: the next instruction begins when all units named are idle.
    Sync {
        /// Units to wait for.
        wait: Wait,
    },
    /// Words from a region of the host's memory to a memory of the machine.
    Load(Move),
    /// Words of the state buffer to a region of the host's memory.
    Store(Move),
}

/// Fields of LOAD_WEIGHTS.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LoadWeights {
    /// Units to wait for.
    pub wait: Wait,
    /// Array rows that receive weights, 1..=256.
    pub rows: u32,
    /// A tile ends with each address whose loops 0..=`tile_level` are in their last iteration.
    pub tile_level: u32,
    /// Lowest five bits of the word address that are inverted.
    pub flip: u32,
    /// The words come one in each clock and belong to several tiles at once. A tile of row 0 is swapped in
    /// behind its first word; the other rows are the words behind the last tile.
    pub streamed: bool,
    /// Byte addresses of weight words, the same in all partitions.
    pub record: Record,
}

impl Default for LoadWeights {
    fn default() -> Self {
        LoadWeights {
            wait: Wait::default(),
            rows: 1,
            tile_level: 0,
            flip: 0,
            streamed: false,
            record: Record::default(),
        }
    }
}

/// Fields of MATMUL.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Matmul {
    /// Units to wait for.
    pub wait: Wait,
    /// Array rows that take operands, 1..=256.
    pub rows: u32,
    /// The first K tile starts from the bias, else it adds to the results buffer.
    pub first: bool,
    /// The last K tile goes to post, else to the results buffer.
    pub last: bool,
    /// Bank of the results buffer.
    pub bank: bool,
    /// The sums of a K tile that starts from the bias count 2^17 times, plus 2^16:
    /// [`raised`](crate::requantise::raised).
    pub raised: bool,
    /// The operands go to the sparse cluster; fields about weights and sums have no meaning.
    pub cluster: bool,
    /// Loops 0..=`tile_level` walk the vectors of one K tile, the loops outside walk K tiles.
    pub tile_level: u32,
    /// Decode threshold 127 - z of the operands.
    pub threshold: u8,
    /// Multiply-accumulates of one vector: rows used x columns used, 17 bits.
    pub macs: u32,
    /// Each row adds an offset of its own to the operand address.
    pub table: Option<RowTable>,
    /// The record runs for several column tiles.
    pub repeat: Option<Repeat>,
    /// Rows [`ROW_PROLOGUE`](super::ROW_PROLOGUE), [`ROW_TENSOR`](super::ROW_TENSOR),
    /// [`ROW_EPILOGUE`](super::ROW_EPILOGUE).
    pub record: Record,
}

impl Default for Matmul {
    fn default() -> Self {
        Matmul {
            wait: Wait::default(),
            rows: 1,
            first: true,
            last: true,
            bank: false,
            raised: false,
            cluster: false,
            tile_level: 0,
            threshold: 127,
            macs: 1,
            table: None,
            repeat: None,
            record: Record::default(),
        }
    }
}

/// Fields of DRAIN.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Drain {
    /// Units to wait for.
    pub wait: Wait,
    /// Columns that write results, 1..=256.
    pub columns: u32,
    /// Single rounding, else double rounding.
    pub single: bool,
    /// A sum has two parts and a factor for each, [`DualScale`](crate::requantise::DualScale).
    pub dual: bool,
    /// Column tile of (multiplier, shift).
    pub tile: u16,
    /// Lower clamp bound min - z, -256..=255.
    pub lo: i16,
    /// Upper clamp bound max - z, -256..=255.
    pub hi: i16,
    /// Columns and partitions; without it column 0 and partition 0 are the first.
    pub place: Option<DrainPlace>,
    /// Table of the activation function, 1..=8; 0 without one.
    pub activation: u8,
    /// Windows of sums; without it every sum is a result.
    pub pooling: Option<Pooling>,
    /// The column tile goes up by one after each address whose loops 0..=level are in their last
    /// iteration.
    pub advance: Option<u8>,
    /// Byte addresses of results.
    pub record: Record,
}

impl Default for Drain {
    fn default() -> Self {
        Drain {
            wait: Wait::default(),
            columns: 1,
            single: false,
            dual: false,
            tile: 0,
            lo: -128,
            hi: 127,
            place: None,
            activation: 0,
            pooling: None,
            advance: None,
            record: Record::default(),
        }
    }
}

/// Fields of COPY.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CopyWords {
    /// Units to wait for.
    pub wait: Wait,
    /// Partitions that copy, 1..=256.
    pub rows: u32,
    /// From the byte address of a word to that of its copy, a multiple of 8, modulo 2^16.
    pub distance: u32,
    /// Byte addresses of the words to be copied.
    pub record: Record,
}

impl Default for CopyWords {
    fn default() -> Self {
        CopyWords {
            wait: Wait::default(),
            rows: 1,
            distance: 0,
            record: Record::default(),
        }
    }
}

/// A command of the sparse cluster.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SparseCommand {
    /// Units to wait for before the cluster is given the command.
    pub wait: Wait,
    /// Its words as the cluster takes them, header first; at most [`SPARSE_WORDS`](super::SPARSE_WORDS).
    pub words: Vec<u32>,
}

/// Fields of LOAD and STORE.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move {
    /// Units to wait for.
    pub wait: Wait,
    /// What is moved.
    pub transfer: Transfer,
}

impl Instruction {
    /// Opcode in the header.
    pub fn opcode(&self) -> u32 {
        match self {
            Instruction::Halt { .. } => OP_HALT,
            Instruction::LoadWeights(_) => OP_LOAD_WEIGHTS,
            Instruction::Matmul(_) => OP_MATMUL,
            Instruction::Drain(_) => OP_DRAIN,
            Instruction::Copy(_) => OP_COPY,
            Instruction::Sparse(command) => header::OPCODE.get(command.words[0]),
            Instruction::Sync { .. } => OP_SYNC,
            Instruction::Load(_) => OP_LOAD,
            Instruction::Store(_) => OP_STORE,
        }
    }

    /// Units to wait for.
    pub fn wait(&self) -> Wait {
        match self {
            Instruction::Halt { wait } | Instruction::Sync { wait } => *wait,
            Instruction::LoadWeights(load) => load.wait,
            Instruction::Matmul(matmul) => matmul.wait,
            Instruction::Drain(drain) => drain.wait,
            Instruction::Copy(copy) => copy.wait,
            Instruction::Sparse(command) => command.wait,
            Instruction::Load(moved) | Instruction::Store(moved) => moved.wait,
        }
    }

    /// Units to wait for, to be changed.
    pub fn wait_mut(&mut self) -> &mut Wait {
        match self {
            Instruction::Halt { wait } | Instruction::Sync { wait } => wait,
            Instruction::LoadWeights(load) => &mut load.wait,
            Instruction::Matmul(matmul) => &mut matmul.wait,
            Instruction::Drain(drain) => &mut drain.wait,
            Instruction::Copy(copy) => &mut copy.wait,
            Instruction::Sparse(command) => &mut command.wait,
            Instruction::Load(moved) | Instruction::Store(moved) => &mut moved.wait,
        }
    }

    /// The TRAVERSE record; only instructions of a unit have one.
    pub fn record(&self) -> Option<&Record> {
        match self {
            Instruction::Halt { .. }
            | Instruction::Sync { .. }
            | Instruction::Sparse(_)
            | Instruction::Load(_)
            | Instruction::Store(_) => None,
            Instruction::LoadWeights(load) => Some(&load.record),
            Instruction::Matmul(matmul) => Some(&matmul.record),
            Instruction::Drain(drain) => Some(&drain.record),
            Instruction::Copy(copy) => Some(&copy.record),
        }
    }

    /// The TRAVERSE record, to be changed, as [`record`](Self::record).
    pub fn record_mut(&mut self) -> Option<&mut Record> {
        match self {
            Instruction::Halt { .. }
            | Instruction::Sync { .. }
            | Instruction::Sparse(_)
            | Instruction::Load(_)
            | Instruction::Store(_) => None,
            Instruction::LoadWeights(load) => Some(&mut load.record),
            Instruction::Matmul(matmul) => Some(&mut matmul.record),
            Instruction::Drain(drain) => Some(&mut drain.record),
            Instruction::Copy(copy) => Some(&mut copy.record),
        }
    }

    /// Length in words, header included.
    pub fn words(&self) -> usize {
        let fixed = match self {
            Instruction::Halt { .. } | Instruction::Sync { .. } => 1,
            Instruction::Sparse(command) => command.words.len(),
            Instruction::Load(_) | Instruction::Store(_) => 1 + WORDS_OF_TRANSFER,
            Instruction::LoadWeights(_) => 2,
            Instruction::Copy(_) => 3,
            Instruction::Matmul(m) => {
                3 + usize::from(m.table.is_some()) + usize::from(m.repeat.is_some())
            }
            Instruction::Drain(d) => {
                3 + usize::from(d.place.is_some()) + usize::from(d.pooling.is_some())
            }
        };
        fixed + self.record().map_or(0, Record::words)
    }
}

//! Instructions of the stand-alone traversal unit, `docs/traversal.md`: rows with their kind, end
//! test and attachment, and the commands that load and start them.
//!
//! The row blocks are those of the machine's instructions ([`crate::isa::RowBlock`]) with more bits
//! of the row word in use.

mod blocks;
mod decode;
mod encode;
mod fault;
mod print;
mod text;

use crate::isa::Loop;
use crate::params::Params;

pub use decode::Decoder;
pub use fault::{UnitError, UnitFault};
pub use text::{TextError, parse};

/// Opcode of TRAVERSE.
pub const OP_TRAVERSE: u32 = 0x08;
/// Opcode of SET_INITIAL.
pub const OP_SET_INITIAL: u32 = 0x09;
/// Opcode of SET_STEP.
pub const OP_SET_STEP: u32 = 0x0a;
/// Opcode of SET_END.
pub const OP_SET_END: u32 = 0x0b;
/// Opcode of START.
pub const OP_START: u32 = 0x0c;

/// Longest instruction in words: the length field has 8 bits.
pub const MAX_WORDS: usize = 255;

/// What a row walks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum RowKind {
    /// The main nest.
    #[default]
    Tensor,
    /// An array walked before the tensor.
    Prologue,
    /// An array walked behind the tensor.
    Epilogue,
}

/// When a loop goes back to its initial offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum EndTest {
    /// When offset + step >= end.
    #[default]
    AtLeast,
    /// When offset + step = end, modulo 2 to the number of offset bits.
    Equal,
    /// After as many iterations as the end says.
    Trips,
}

/// One row of a traversal.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Row {
    /// Registers that hold it, 0..=7.
    pub row: u8,
    /// What it walks.
    pub kind: RowKind,
    /// Loop of the tensor that a prologue or epilogue belongs to; `None`: the whole traversal.
    pub attach: Option<u8>,
    /// End test of its loops.
    pub test: EndTest,
    /// Base address.
    pub base: u32,
    /// Loops, innermost first, at most 8.
    pub loops: Vec<Loop>,
}

/// How a traversal runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Run {
    /// The base is not added.
    pub offset_only: bool,
    /// An address is formed only when it is asked for.
    pub on_demand: bool,
    /// First address allowed, and the first one not allowed any more.
    pub window: Option<(u32, u64)>,
}

/// A row in SET_INITIAL: everything that a row of TRAVERSE has except steps and ends.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct InitialRow {
    /// Registers that hold it, 0..=7.
    pub row: u8,
    /// What it walks.
    pub kind: RowKind,
    /// Loop of the tensor that a prologue or epilogue belongs to; `None`: the whole traversal.
    pub attach: Option<u8>,
    /// End test of its loops.
    pub test: EndTest,
    /// Base address.
    pub base: u32,
    /// Initial offsets, innermost loop first, at most 8.
    pub initial: Vec<u32>,
}

impl InitialRow {
    /// The row of TRAVERSE that has these loops.
    pub(crate) fn with(self, loops: Vec<Loop>) -> Row {
        Row {
            row: self.row,
            kind: self.kind,
            attach: self.attach,
            test: self.test,
            base: self.base,
            loops,
        }
    }
}

/// A row in SET_STEP or SET_END.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct GroupRow {
    /// Registers that hold it, 0..=7; one of the rows of the SET_INITIAL before.
    pub row: u8,
    /// Steps or ends, innermost loop first, at most 8.
    pub values: Vec<u32>,
}

/// An instruction of the unit.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Command {
    /// Loads the rows into all registers and starts them.
    Traverse {
        /// How it runs.
        run: Run,
        /// Rows in the order in which they run.
        rows: Vec<Row>,
    },
    /// Group set-up, first: rows, bases and initial offsets.
    SetInitial {
        /// Rows in the order in which they run.
        rows: Vec<InitialRow>,
    },
    /// Group set-up, second: steps.
    SetStep {
        /// Rows, in any order.
        rows: Vec<GroupRow>,
    },
    /// Group set-up, third: ends.
    SetEnd {
        /// Rows, in any order.
        rows: Vec<GroupRow>,
    },
    /// Starts what is loaded from its initial offsets.
    Start {
        /// How it runs.
        run: Run,
    },
}

impl Command {
    /// Opcode in word 0.
    pub fn opcode(&self) -> u32 {
        match self {
            Command::Traverse { .. } => OP_TRAVERSE,
            Command::SetInitial { .. } => OP_SET_INITIAL,
            Command::SetStep { .. } => OP_SET_STEP,
            Command::SetEnd { .. } => OP_SET_END,
            Command::Start { .. } => OP_START,
        }
    }

    /// Name of the instruction as in `docs/traversal.md`.
    pub fn name(&self) -> &'static str {
        opcode_name(self.opcode()).expect("every command has an opcode of the table")
    }

    /// How the traversal runs that this instruction starts, if it starts one.
    pub fn run(&self) -> Option<&Run> {
        match self {
            Command::Traverse { run, .. } | Command::Start { run } => Some(run),
            _ => None,
        }
    }

    /// The group set-up that loads the same rows as TRAVERSE: SET_INITIAL, SET_STEP, SET_END.
    pub fn group_setup(rows: &[Row]) -> [Command; 3] {
        let group = |value: fn(&Loop) -> u32| {
            let group_row = |r: &Row| GroupRow {
                row: r.row,
                values: r.loops.iter().map(value).collect(),
            };
            rows.iter().map(group_row).collect()
        };
        let initial = |r: &Row| InitialRow {
            row: r.row,
            kind: r.kind,
            attach: r.attach,
            test: r.test,
            base: r.base,
            initial: r.loops.iter().map(|l| l.initial).collect(),
        };
        [
            Command::SetInitial {
                rows: rows.iter().map(initial).collect(),
            },
            Command::SetStep {
                rows: group(|l| l.step),
            },
            Command::SetEnd {
                rows: group(|l| l.end),
            },
        ]
    }
}

/// Name of the instruction with this opcode.
pub fn opcode_name(opcode: u32) -> Option<&'static str> {
    Some(match opcode {
        OP_TRAVERSE => "TRAVERSE",
        OP_SET_INITIAL => "SET_INITIAL",
        OP_SET_STEP => "SET_STEP",
        OP_SET_END => "SET_END",
        OP_START => "START",
        _ => return None,
    })
}

/// The sizes and options of a unit that decide which words are instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct UnitShape {
    /// M: rows, 1 to 8.
    pub rows: u32,
    /// N: loops of a row, 1 to 8.
    pub loops: u32,
    /// W: bits of initial value, step, end and offset, 1 to 32.
    pub offset_bits: u32,
    /// A: bits of base and address, W to 32.
    pub address_bits: u32,
    /// Rows may end their loops by equality.
    pub equality: bool,
    /// Rows may give the number of iterations instead of an end.
    pub trips: bool,
    /// Prologues and epilogues may belong to a loop of the tensor.
    pub attach: bool,
    /// SET_INITIAL, SET_STEP and SET_END exist.
    pub group_setup: bool,
}

impl UnitShape {
    /// The unit of a configuration.
    pub fn of(params: &Params) -> UnitShape {
        let traversal = &params.traversal;
        UnitShape {
            rows: traversal.rows,
            loops: traversal.loops,
            offset_bits: traversal.offset_bits,
            address_bits: traversal.address_bits,
            equality: traversal.unit.equality,
            trips: traversal.unit.trips,
            attach: traversal.unit.attach,
            group_setup: traversal.unit.group_setup,
        }
    }
}

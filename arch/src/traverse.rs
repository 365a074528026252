//! Instructions of the stand-alone traversal unit, `docs/traversal.md`: rows with their kind, end
//! test and attachment, and the commands that load and start them.
//!
//! The row blocks are those of the machine's instructions ([`crate::isa::RowBlock`]) with more bits
//! of the row word in use.

use crate::isa::Loop;

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

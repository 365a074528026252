//! Why the unit stops.

numbered! {
    /// Errors of the traversal unit; the numbers are those of its `error_o`.
    UnitError: u8 {
        /// The opcode has no meaning in this unit.
        IllegalOpcode = 1 "ILLEGAL_OPCODE",
        /// The length does not suit the opcode, or a block does not end with the instruction.
        BadLength = 2 "BAD_LENGTH",
        /// Reserved bits set, or a field or value out of range.
        BadField = 3 "BAD_FIELD",
        /// The traversal formed an address outside its window.
        Address = 4 "ADDRESS",
        /// No rows to walk, or attached rows without a tensor.
        Empty = 8 "EMPTY",
        /// A loop that never reaches its end.
        Endless = 9 "ENDLESS",
        /// An instruction in the wrong place of a group set-up.
        Order = 10 "ORDER",
    }
}

/// Words that are no instruction of a unit, or a command that fits no words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("word {position}: {}: {message}", .code.name())]
pub struct UnitFault {
    /// The error with which the unit would stop.
    pub code: UnitError,
    /// Position of the word in its instruction, 0..=254.
    pub position: usize,
    /// Field, value and what is allowed.
    pub message: String,
}

impl UnitFault {
    pub(super) fn new(code: UnitError, position: usize, message: impl Into<String>) -> UnitFault {
        UnitFault {
            code,
            position,
            message: message.into(),
        }
    }
}

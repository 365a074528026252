//! Why the unit stops.

/// Errors of the traversal unit; the numbers are those of its `error_o`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum UnitError {
    /// The opcode has no meaning in this unit.
    IllegalOpcode = 1,
    /// The length does not suit the opcode, or a block does not end with the instruction.
    BadLength = 2,
    /// Reserved bits set, or a field or value out of range.
    BadField = 3,
    /// The traversal formed an address outside its window.
    Address = 4,
    /// No rows to walk, or attached rows without a tensor.
    Empty = 8,
    /// A loop that never reaches its end.
    Endless = 9,
    /// An instruction in the wrong place of a group set-up.
    Order = 10,
}

impl UnitError {
    /// All errors in the order of their numbers.
    pub const ALL: [UnitError; 7] = [
        UnitError::IllegalOpcode,
        UnitError::BadLength,
        UnitError::BadField,
        UnitError::Address,
        UnitError::Empty,
        UnitError::Endless,
        UnitError::Order,
    ];

    /// Number in `error_o`, 4 bits.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// The error with this number.
    pub fn from_number(number: u8) -> Option<UnitError> {
        Self::ALL.into_iter().find(|e| e.number() == number)
    }

    /// Name as in `docs/traversal.md`.
    pub const fn name(self) -> &'static str {
        match self {
            UnitError::IllegalOpcode => "ILLEGAL_OPCODE",
            UnitError::BadLength => "BAD_LENGTH",
            UnitError::BadField => "BAD_FIELD",
            UnitError::Address => "ADDRESS",
            UnitError::Empty => "EMPTY",
            UnitError::Endless => "ENDLESS",
            UnitError::Order => "ORDER",
        }
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

//! The program memory.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Params;

/// The program memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// Instruction words of 32 bits, a power of two.
    #[schemars(extend("enum" = super::powers(64, 65536), "x-allowed" = "a power of two from 64 to 65536"))]
    pub words: u32,
    /// Where the program lies.
    #[serde(default, skip_serializing_if = "ProgramMemory::is_separate")]
    #[schemars(!skip_serializing_if)]
    pub memory: ProgramMemory,
}

/// Where the program lies. Default: a memory of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProgramMemory {
    /// In a memory of its own beside the sequencer.
    #[default]
    Separate,
    /// In the last banks of each partition of the state buffer, as many as it takes. At least two other banks are left
    /// for weights and results.
    Banks,
}

impl ProgramMemory {
    /// Name in configurations and program files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            ProgramMemory::Separate => "separate",
            ProgramMemory::Banks => "banks",
        }
    }
}

impl ProgramMemory {
    fn is_separate(&self) -> bool {
        *self == Self::Separate
    }
}

impl Params {
    /// Banks of each partition that hold the program: the last ones, behind the input banks. A power of two, or 0 if the
    /// program has a memory of its own.
    pub fn program_banks(&self) -> u32 {
        match self.program.memory {
            ProgramMemory::Separate => 0,
            ProgramMemory::Banks => program_banks(
                self.program.words,
                self.array.rows,
                self.state_buffer.words_per_bank,
            ),
        }
    }

    /// Cycles that a run begins later than with a program memory of its own: the way of the first words from the banks.
    pub fn fetch_cycles(&self) -> u32 {
        match self.program.memory {
            ProgramMemory::Separate => 0,
            ProgramMemory::Banks => self.array.rows + 10,
        }
    }

    /// Partitions that hold the program if it lies in banks: the largest power of two that rows allow. Pair w of its
    /// words, words 2w and 2w + 1, lies in partition w modulo their number.
    pub fn program_partitions(&self) -> u32 {
        1 << self.array.rows.ilog2()
    }
}

/// Banks of each partition that a program of so many words takes: pairs of words, dealt to the largest power of two of
/// partitions.
pub(crate) fn program_banks(words: u32, rows: u32, words_per_bank: u32) -> u32 {
    let pairs = words / 2;
    (pairs >> rows.ilog2()).div_ceil(words_per_bank).max(1)
}

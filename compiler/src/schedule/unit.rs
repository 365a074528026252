//! Units of the machine.

use heddle_arch::isa::Instruction;

/// The unit that an instruction starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unit {
    /// LOAD_WEIGHTS, COPY.
    Weights,
    /// MATMUL.
    Stream,
    /// DRAIN.
    Drain,
    /// Commands of the sparse cluster.
    Cluster,
}

impl Unit {
    /// The unit of an instruction; HALT and SYNC have none, nor have LOAD and STORE.
    #[must_use]
    pub fn of(instruction: &Instruction) -> Option<Unit> {
        match instruction {
            Instruction::LoadWeights(_) | Instruction::Copy(_) => Some(Unit::Weights),
            Instruction::Matmul(_) => Some(Unit::Stream),
            Instruction::Drain(_) => Some(Unit::Drain),
            Instruction::Sparse(_) => Some(Unit::Cluster),
            Instruction::Halt { .. }
            | Instruction::Sync { .. }
            | Instruction::Load(_)
            | Instruction::Store(_) => None,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Unit::Weights => "weights",
            Unit::Stream => "stream",
            Unit::Drain => "drain",
            Unit::Cluster => "cluster",
        }
    }
}

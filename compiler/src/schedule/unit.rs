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
    /// LOAD.
    Load,
    /// STORE.
    Store,
}

impl Unit {
    /// How many there are.
    pub(crate) const COUNT: usize = 6;

    /// The unit of an instruction; HALT and SYNC have none.
    #[must_use]
    pub fn of(instruction: &Instruction) -> Option<Unit> {
        match instruction {
            Instruction::LoadWeights(_) | Instruction::Copy(_) => Some(Unit::Weights),
            Instruction::Matmul(_) => Some(Unit::Stream),
            Instruction::Drain(_) => Some(Unit::Drain),
            Instruction::Sparse(_) => Some(Unit::Cluster),
            Instruction::Load(_) => Some(Unit::Load),
            Instruction::Store(_) => Some(Unit::Store),
            Instruction::Halt { .. } | Instruction::Sync { .. } => None,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Unit::Weights => "weights",
            Unit::Stream => "stream",
            Unit::Drain => "drain",
            Unit::Cluster => "cluster",
            Unit::Load => "load",
            Unit::Store => "store",
        }
    }
}

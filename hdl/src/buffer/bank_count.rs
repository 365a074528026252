//! How many banks a partition has, and what for.

use heddle_arch::Params;
use heddle_arch::params::CounterSet;

/// Banks of a partition, in this order: work banks, which serve everybody; the input buffer, which the host alone
/// writes and the operand reader and the host read; the program, which the host path alone reads and writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BankCount {
    /// All banks.
    pub all: usize,
    /// Banks of the input buffer, fewer than all.
    pub input: usize,
    /// Banks of the program, fewer than the others; 0 or a power of two.
    pub program: usize,
    /// Their accesses are told, and operands that are zero, for who counts them.
    pub events: bool,
    /// Accesses of the host are not told: it has them while a program runs.
    pub quiet_host: bool,
}

impl From<usize> for BankCount {
    /// Work banks alone.
    fn from(all: usize) -> Self {
        Self {
            all,
            input: 0,
            program: 0,
            events: true,
            quiet_host: false,
        }
    }
}

impl BankCount {
    /// The banks of a configuration.
    pub fn of(params: &Params) -> Self {
        Self {
            all: params.state_buffer.banks as usize,
            input: params.state_buffer.input_banks as usize,
            program: params.program_banks() as usize,
            events: params.counters == CounterSet::Full,
            quiet_host: params.counters == CounterSet::Full && params.has_dma(),
        }
    }

    /// Banks that hold operands, weights and results: all but those of the program.
    pub fn data(self) -> usize {
        self.all - self.program
    }

    /// Banks that serve everybody.
    pub fn work(self) -> usize {
        self.data() - self.input
    }

    /// Banks that the host alone writes, as a number of signals of which there is one or none.
    pub(crate) fn has_host(self) -> usize {
        usize::from(self.work() < self.all)
    }

    /// Words of a partition of so many that weights and results may lie in; 0 if these are all.
    pub fn guard(self, words: usize) -> usize {
        self.has_host() * self.work() * (words / self.all)
    }

    /// Words of a partition of so many that operands may lie in; 0 if these are all.
    pub fn operand_guard(self, words: usize) -> usize {
        usize::from(self.program > 0) * self.data() * (words / self.all)
    }
}

//! How many banks a partition has, and what for.

use heddle_arch::Params;

/// Banks of a partition. The last ones may be the input buffer: the host alone writes them, the operand reader and the
/// host alone read them. The others, the work banks, serve everybody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BankCount {
    /// All banks.
    pub all: usize,
    /// Banks of the input buffer, fewer than all.
    pub input: usize,
}

impl From<usize> for BankCount {
    /// Work banks alone.
    fn from(all: usize) -> Self {
        Self { all, input: 0 }
    }
}

impl BankCount {
    /// The banks of a configuration.
    pub fn of(params: &Params) -> Self {
        Self {
            all: params.state_buffer.banks as usize,
            input: params.state_buffer.input_banks as usize,
        }
    }

    /// Banks that serve everybody.
    pub fn work(self) -> usize {
        self.all - self.input
    }

    /// The input buffer as a number of signals of which there is one or none.
    pub(crate) fn has_input(self) -> usize {
        usize::from(self.input > 0)
    }

    /// Words of a partition of so many below the input buffer; 0 without one.
    pub fn guard(self, words: usize) -> usize {
        self.has_input() * self.work() * (words / self.all)
    }
}

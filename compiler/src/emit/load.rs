//! What a host writes to a machine before it starts runs.

use std::ops::Range;

use heddle_arch::host::ColumnScale;
use heddle_arch::params::{Params, ProgramMemory};
use heddle_arch::word::WordBytes;

/// What a host writes before it starts runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Load {
    /// Instruction words.
    pub words: Vec<u32>,
    /// Program word of the first of them.
    pub first_word: u32,
    /// Column parameters.
    pub columns: Vec<ColumnParam>,
    /// State-buffer words (partition, word, bytes), written with HOST_ZERO = 0.
    pub image: Vec<(u32, u32, WordBytes)>,
    /// Offset tables of the rows (row, entry, offset or none).
    pub row_offsets: Vec<(u32, u32, Option<u16>)>,
    /// Tables of functions of one byte, from number 1 on: 256 stored bytes each.
    pub tables: Vec<Vec<u8>>,
}

/// Runs whose data are in the machine at the same time. Tensors stay where they are from one segment to the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// The runs.
    pub runs: Range<usize>,
    /// What the host writes before the first of them.
    pub load: Load,
}

/// Bias and scale of one output channel, and where they belong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColumnParam {
    /// Array column.
    pub column: u32,
    /// Column tile.
    pub tile: u32,
    /// Bias.
    pub bias: i32,
    /// Scale.
    pub scale: ColumnScale,
}

impl Load {
    /// Writes of 64 bits that it takes at the host port.
    #[must_use]
    pub fn host_words(&self, params: &Params) -> u64 {
        let entries = self.tables.iter().map(Vec::len).sum::<usize>();
        let words = match params.program.memory {
            ProgramMemory::Separate => self.words.len(),
            ProgramMemory::Banks => self.words.len().div_ceil(2),
        };
        let columns = 2 * self.columns.len();
        (self.image.len() + columns + self.row_offsets.len() + entries + words) as u64
    }
}

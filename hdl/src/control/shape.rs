//! Sizes of the sequencer.

use crate::post::PostOptions;
use heddle_arch::params::common_divisor;

/// Sizes that instructions are checked against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SequencerShape {
    /// Rows of the array.
    pub rows: usize,
    /// Columns of the array.
    pub cols: usize,
    /// Rows of a TRAVERSE record.
    pub record_rows: usize,
    /// Loops of a TRAVERSE record.
    pub loops: usize,
    /// Bits of an offset.
    pub offset_bits: usize,
    /// Bits of an address.
    pub address_bits: usize,
    /// Column tiles.
    pub tiles: usize,
    /// Words of the program memory, a power of two.
    pub program_words: usize,
    /// The program lies in banks of the state buffer, else in a memory of its own.
    pub banked: bool,
    /// Entries of the offset table of a row, a power of two.
    pub row_offsets: usize,
    /// Options of post-processing.
    pub post: PostOptions,
}

impl SequencerShape {
    /// Words of the memory that the sequencer reads: the program, or a prefetch buffer.
    ///
    /// The buffer covers the way from a word read to the one that takes its place, see
    /// [`Prefetch`](super::Prefetch).
    pub fn fetch_words(&self) -> usize {
        match self.banked {
            false => self.program_words,
            true => (self.rows + 7).next_power_of_two(),
        }
    }

    /// Partitions that column 0 can drain into; 1 for a square array.
    pub fn turns(&self) -> usize {
        self.rows / common_divisor(self.rows as u32, self.cols as u32) as usize
    }
}

//! Widths of what partitions and lists of bytes are made of.

/// Bits of a byte.
pub const BYTE_BITS: u32 = 8;
/// Bytes of a word: what a partition reads or writes in a clock, and what a burst of the host holds.
pub const WORD_BYTES: u32 = 8;
/// Columns of the array that a word has weights for: a byte each.
pub const COLUMNS_PER_WORD: u32 = WORD_BYTES;

/// The bytes of a word, that of the lowest address first.
pub type WordBytes = [u8; WORD_BYTES as usize];

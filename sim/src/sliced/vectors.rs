//! Worked words of the reference configuration (8 bytes, slices of 4 and 4).

/// One row of the table of words.
#[derive(Debug, Clone, Copy)]
pub struct WordRow {
    /// The word, first byte most significant.
    pub word: u64,
    /// Mask, first byte in bit 7.
    pub mask: u8,
    /// Number of non-zero bytes.
    pub pop: usize,
    /// Content of slice a after the write, if it is written.
    pub a: Option<u32>,
    /// Content of slice b after the write, if it is written.
    pub b: Option<u32>,
}

const fn row(word: u64, mask: u8, pop: usize, a: Option<u32>, b: Option<u32>) -> WordRow {
    WordRow {
        word,
        mask,
        pop,
        a,
        b,
    }
}

/// Rows 1 to 11 of the table (index 0 is row 1).
pub const WORDS: [WordRow; 11] = [
    row(0, 0x00, 0, None, None),
    row(0x1100_0000_0000_0000, 0x80, 1, Some(0x1100_0000), None),
    row(0x0000_0000_0000_0088, 0x01, 1, Some(0x8800_0000), None),
    row(0x1100_3300_0066_0000, 0xa4, 3, Some(0x1133_6600), None),
    row(0x0000_0000_5566_7788, 0x0f, 4, Some(0x5566_7788), None),
    row(0x1100_3300_5500_7700, 0xaa, 4, Some(0x1133_5577), None),
    row(
        0x1100_3344_0066_0088,
        0xb5,
        5,
        Some(0x1133_4466),
        Some(0x8800_0000),
    ),
    row(
        0x0022_3300_5566_7700,
        0x6e,
        5,
        Some(0x2233_5566),
        Some(0x7700_0000),
    ),
    row(
        0x1122_3344_5566_7788,
        0xff,
        8,
        Some(0x1122_3344),
        Some(0x5566_7788),
    ),
    row(0x8000_0001_0000_00ff, 0x91, 3, Some(0x8001_ff00), None),
    row(0x0000_0001_0000_0000, 0x10, 1, Some(0x0100_0000), None),
];

/// The word of table row `number` (1 to 11).
pub const fn word(number: usize) -> u64 {
    WORDS[number - 1].word
}

/// A word with a non-zero byte exactly where `mask` has a bit; the bytes depend on `salt`.
pub fn word_with_mask(mask: u8, salt: u8) -> u64 {
    let byte = |k: u32| -> u8 {
        let value = salt.wrapping_mul(29).wrapping_add((37 * k) as u8);
        if value == 0 { 0x80 } else { value }
    };
    (0..8)
        .filter(|k| mask >> k & 1 == 1)
        .fold(0, |w, k| w | u64::from(byte(k)) << (8 * k))
}

//! Worked words of the specification's tables. Words are numbers, the first byte (or unit) of a
//! table is the most significant one; so are the rows of slices.

use super::layout::SliceLayout;
use super::word::Word;

/// Bytes of the word with four bytes, and packed.
pub const FOUR_BYTES: ([u8; 4], [u8; 4]) = ([0xa1, 0, 0, 0xa4], [0xa1, 0xa4, 0, 0]);

/// Word with 15 non-zero bytes of 20 for two slices of 10.
pub const TWENTY_BYTES: [u8; 20] = [
    1, 2, 3, 0, 5, 6, 7, 0, 9, 10, 11, 0, 13, 14, 15, 0, 17, 18, 0, 20,
];

/// Mask of [`TWENTY_BYTES`], first byte most significant.
pub const TWENTY_MASK: u64 = 0xeeeed;

/// Rows of both slices for [`TWENTY_BYTES`].
pub const TWENTY_SLICES: [[u8; 10]; 2] = [
    [1, 2, 3, 5, 6, 7, 9, 10, 11, 13],
    [14, 15, 17, 18, 20, 0, 0, 0, 0, 0],
];

/// One row of a table of words.
#[derive(Debug, Clone, Copy)]
pub struct WordRow {
    /// The word.
    pub word: u64,
    /// Mask, first unit most significant.
    pub mask: u16,
    /// Number of non-zero units.
    pub pop: usize,
    /// Row of slice a after the write, if it is written.
    pub a: Option<u32>,
    /// Row of slice b after the write, if it is written.
    pub b: Option<u32>,
}

const fn row(word: u64, mask: u16, pop: usize, a: Option<u32>, b: Option<u32>) -> WordRow {
    WordRow {
        word,
        mask,
        pop,
        a,
        b,
    }
}

/// Rows 1 to 11 of the table of bytes, slices of 4 and 4 (index 0 is row 1).
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

/// Lanes that exact writes of the rows of [`WORDS`] write: bit p is position p.
pub const LANES: [u8; 11] = [
    0, 0x01, 0x01, 0x07, 0x0f, 0x0f, 0x1f, 0x1f, 0xff, 0x07, 0x01,
];

/// The word of table row `number` (1 to 11).
pub const fn word(number: usize) -> u64 {
    WORDS[number - 1].word
}

/// One step of the sequence at one address that leaves stale bytes.
#[derive(Debug, Clone, Copy)]
pub struct StaleStep {
    /// Row of [`WORDS`] written, else a read.
    pub write: Option<usize>,
    /// Mask slice after the step.
    pub mask: u64,
    /// Slices a and b after the step if they are filled.
    pub filled: [u32; 2],
    /// Slices a and b after the step if only exact lanes are written.
    pub exact: [u32; 2],
    /// Data slices accessed: bit 0 is slice a.
    pub slices: u8,
    /// Row of [`WORDS`] that a read returns.
    pub read: Option<usize>,
}

const fn wrote(
    number: usize,
    mask: u64,
    filled: [u32; 2],
    exact: [u32; 2],
    slices: u8,
) -> StaleStep {
    StaleStep {
        write: Some(number),
        mask,
        filled,
        exact,
        slices,
        read: None,
    }
}

const fn then_read(step: StaleStep) -> StaleStep {
    StaleStep {
        read: step.write,
        write: None,
        ..step
    }
}

const WROTE_9: StaleStep = wrote(9, 0xff, [0x1122_3344, B_9], [0x1122_3344, B_9], 0b11);
const WROTE_4: StaleStep = wrote(4, 0xa4, [0x1133_6600, B_9], [0x1133_6644, B_9], 0b01);
const WROTE_1: StaleStep = wrote(1, 0x00, [0x1133_6600, B_9], [0x1133_6644, B_9], 0b00);
const WROTE_7: StaleStep = wrote(
    7,
    0xb5,
    [0x1133_4466, 0x8800_0000],
    [0x1133_4466, 0x8866_7788],
    0b11,
);
/// Slice b of row 9.
const B_9: u32 = 0x5566_7788;

/// Dense, sparse, empty and dense words at one address.
pub const STALE_STEPS: [StaleStep; 7] = [
    WROTE_9,
    WROTE_4,
    then_read(WROTE_4),
    WROTE_1,
    then_read(WROTE_1),
    WROTE_7,
    then_read(WROTE_7),
];

/// Words in units of two bytes, slices of 2 and 2 units.
pub const PAIRS: [WordRow; 5] = [
    row(0, 0x0, 0, None, None),
    row(0x1100_0000_0066_0000, 0xa, 2, Some(0x1100_0066), None),
    row(0x1122_0000_0000_7788, 0x9, 2, Some(0x1122_7788), None),
    row(
        0x1100_3300_5500_0000,
        0xe,
        3,
        Some(0x1100_3300),
        Some(0x5500_0000),
    ),
    row(
        0x1100_3300_0000_7700,
        0xd,
        3,
        Some(0x1100_3300),
        Some(0x7700_0000),
    ),
];

/// Words in units of half a byte, slices of 8 and 8 units.
pub const NIBBLES: [WordRow; 5] = [
    row(0, 0x0000, 0, None, None),
    row(0x0100_a000_2300_000f, 0x48c1, 5, Some(0x1a23_f000), None),
    row(0x1234_5678_0000_0000, 0xff00, 8, Some(0x1234_5678), None),
    row(0x1020_3040_5060_7080, 0xaaaa, 8, Some(0x1234_5678), None),
    row(
        0x1234_5670_0800_9000,
        0xfe48,
        9,
        Some(0x1234_5678),
        Some(0x9000_0000),
    ),
];

/// Three slices of 2, 2 and 4 bytes: row of [`WORDS`], data slices accessed (bit k is slice k),
/// packed word.
pub const THREE_SLICES: [(usize, u8, u64); 6] = [
    (1, 0b000, 0),
    (2, 0b001, 0x1100_0000_0000_0000),
    (4, 0b011, 0x1133_6600_0000_0000),
    (5, 0b011, 0x5566_7788_0000_0000),
    (7, 0b111, 0x1133_4466_8800_0000),
    (9, 0b111, 0x1122_3344_5566_7788),
];

/// Row of [`WORDS`], and its packed word by the networks full, half and split.
pub const NETWORKS: [(usize, [u64; 3]); 6] = [
    (
        3,
        [
            0x8800_0000_0000_0000,
            0x0000_0088_0000_0000,
            0x8800_0000_0000_0000,
        ],
    ),
    (5, [0x5566_7788_0000_0000; 3]),
    (6, [0x1133_5577_0000_0000; 3]),
    (
        7,
        [
            0x1133_4466_8800_0000,
            0x1133_4466_8800_0000,
            0x1133_4400_6688_0000,
        ],
    ),
    (
        8,
        [
            0x2233_5566_7700_0000,
            0x2233_5566_7700_0000,
            0x2233_0000_5566_7700,
        ],
    ),
    (
        10,
        [
            0x8001_ff00_0000_0000,
            0x8001_00ff_0000_0000,
            0x8001_ff00_0000_0000,
        ],
    ),
];

/// Hybrid rows: row of [`WORDS`], flag, slice a, slice b if it is accessed.
pub const HYBRID: [(usize, bool, u32, Option<u32>); 9] = [
    (1, true, 0, None),
    (2, true, 0x8011_0000, None),
    (3, true, 0x0188_0000, None),
    (4, true, 0xa411_3366, None),
    (10, true, 0x9180_01ff, None),
    (5, false, 0, Some(0x5566_7788)),
    (6, false, 0x1100_3300, Some(0x5500_7700)),
    (7, false, 0x1100_3344, Some(0x0066_0088)),
    (9, false, 0x1122_3344, Some(0x5566_7788)),
];

/// Mask field in slice a, row 7: slice a with its mask, slice b.
pub const FIELD_7: (u64, u32) = (0xb5_1133_4466, 0x8800_0000);

/// One cycle of the table with commands back to back at one address.
#[derive(Debug, Clone, Copy)]
pub struct CycleRow {
    /// Row of [`WORDS`] written.
    pub write: Option<usize>,
    /// The word is read.
    pub read: bool,
    /// Mask slice read, written.
    pub mask: (bool, bool),
    /// Data slices read, written: bit 0 is slice a.
    pub slices: (u8, u8),
    /// Row of [`WORDS`] that leaves.
    pub rdata: Option<usize>,
}

const fn cycle(write: Option<usize>, read: bool, slices: (u8, u8), rdata: usize) -> CycleRow {
    CycleRow {
        write,
        read,
        mask: (read, write.is_some()),
        slices,
        rdata: if rdata == 0 { None } else { Some(rdata) },
    }
}

/// The cycle table.
pub const CYCLES: [CycleRow; 8] = [
    cycle(Some(9), false, (0b00, 0b00), 0),
    cycle(None, true, (0b00, 0b11), 0),
    cycle(Some(4), false, (0b11, 0b00), 0),
    cycle(None, true, (0b00, 0b01), 9),
    cycle(Some(1), false, (0b01, 0b00), 0),
    cycle(None, true, (0b00, 0b00), 4),
    cycle(None, false, (0b00, 0b00), 0),
    cycle(None, false, (0b00, 0b00), 1),
];

/// Bits per access of 8 bytes that are zero with probability `zero` each.
#[derive(Debug, Clone, Copy)]
pub struct BitsRow {
    /// Probability of a zero byte.
    pub zero: f64,
    /// Bits of mask slice, mask field and hybrid, slices of 4 and 4 bytes.
    pub bits: [f64; 3],
    /// Saving of mask slice and hybrid in percent of 64 bits.
    pub savings: [f64; 2],
    /// Width of the first slice with the fewest bits (with a mask slice); none if all have the
    /// same.
    pub best: Option<usize>,
    /// Its bits.
    pub best_bits: f64,
}

const fn bits(
    zero: f64,
    bits: [f64; 3],
    savings: [f64; 2],
    best: Option<usize>,
    best_bits: f64,
) -> BitsRow {
    BitsRow {
        zero,
        bits,
        savings,
        best,
        best_bits,
    }
}

/// Expected bits, rounded to 0.01 bits and 0.1 percent.
pub const EXPECTED_BITS: [BitsRow; 11] = [
    bits(0.0, [72.00, 72.00, 65.00], [-12.5, -1.6], None, 72.00),
    bits(0.1, [71.84, 71.84, 64.99], [-12.2, -1.5], Some(7), 67.44),
    bits(0.2, [70.20, 70.20, 64.67], [-9.7, -1.0], Some(6), 64.05),
    bits(0.3, [65.79, 65.79, 63.15], [-2.8, 1.3], Some(6), 60.08),
    bits(0.4, [58.99, 59.01, 59.44], [7.8, 7.1], Some(5), 55.54),
    bits(0.5, [51.50, 51.62, 53.38], [19.5, 16.6], Some(5), 51.31),
    bits(0.6, [45.02, 45.56, 45.99], [29.7, 28.1], Some(4), 45.02),
    bits(0.7, [40.01, 41.85, 39.21], [37.5, 38.7], Some(3), 38.38),
    bits(0.8, [34.96, 40.33, 34.80], [45.4, 45.6], Some(3), 30.22),
    bits(0.9, [26.24, 40.01, 33.16], [59.0, 48.2], Some(2), 18.94),
    bits(1.0, [8.00, 40.00, 33.00], [87.5, 48.4], None, 8.00),
];

/// Probabilities of a zero byte at which mask slice (or field) and hybrid equal a plain memory.
pub const BREAK_EVEN: [f64; 2] = [0.329, 0.258];

/// A word with a non-zero unit exactly where `mask` has a bit (bit k is unit k); the units depend
/// on `salt`, and one in four has a single bit.
pub fn masked_word(layout: &SliceLayout, mask: u64, salt: u64) -> Word {
    let bits = layout.unit_bits;
    (0..layout.units)
        .filter(|k| mask >> k & 1 == 1)
        .fold(Word::ZERO, |word, k| {
            let noise = scramble(salt ^ scramble(k as u64 + 1));
            let single = 1 << ((noise >> 32) % bits as u64);
            let value = (noise as u32) & (u32::MAX >> (32 - bits));
            let unit = match value {
                0 => single,
                _ if noise >> 62 == 0 => single,
                _ => value,
            };
            word.with_unit(k, bits, unit)
        })
}

/// A fixed permutation of numbers that spreads near ones.
fn scramble(number: u64) -> u64 {
    let mut n = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    n = (n ^ n >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    n = (n ^ n >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ n >> 31
}

//! What is built.

use super::index::Stepping;

/// Sizes and options of an offset unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnitOptions {
    /// Rows of the array.
    pub rows: usize,
    /// Columns of the array: output channels of a column tile.
    pub cols: usize,
    /// Bits of an address and of a table entry.
    pub address_bits: u32,
    /// Entries of the table of bases.
    pub bases: usize,
    /// Entries of the table of offsets.
    pub offsets: usize,
    /// Mask bits of an entry for each axis; 0 without masks.
    pub taps: u32,
    /// A slot reaches all rows at once; otherwise row r gets it r clocks later than row 0.
    pub broadcast: bool,
    /// Steps can be turned into offsets.
    pub running: bool,
    /// When the index of a list is stepped.
    pub stepping: Stepping,
    /// Each row keeps its entries: all bases are read before the first step.
    pub prefetch: bool,
    /// There is an expander.
    pub expand: bool,
}

impl UnitOptions {
    /// 16-bit addresses, skew, the default tables, nothing optional.
    pub fn new(rows: usize, cols: usize) -> Self {
        Self {
            rows,
            cols,
            address_bits: 16,
            bases: 1024,
            offsets: 512,
            taps: 0,
            broadcast: false,
            running: false,
            stepping: Stepping::AfterRead,
            prefetch: false,
            expand: false,
        }
    }

    /// The low address bits of a number.
    pub fn address(&self, value: i64) -> u32 {
        (value as u64 & (u64::MAX >> (64 - self.address_bits))) as u32
    }

    /// The mask bits of a number.
    pub fn mask(&self, value: u16) -> u16 {
        (u32::from(value) & ((1 << self.taps) - 1)) as u16
    }
}

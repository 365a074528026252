//! Tables of functions of one byte.

/// A function of one byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Zero point of the bytes that are looked up.
    pub zero_point: i8,
    /// 256 bytes, that for -128 first.
    pub values: Vec<i8>,
}

impl Table {
    /// Entries.
    pub const ENTRIES: usize = 256;

    /// The byte for a byte.
    #[must_use]
    pub fn at(&self, byte: i8) -> i8 {
        self.values[usize::from((byte as u8) ^ 0x80)]
    }
}

//! What is counted of a map.

/// What cells are to have the same of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Metric {
    /// The number of values that are not zero.
    #[default]
    NonZeros,
    /// The number of zeros.
    Zeros,
    /// The share of values that are not zero, of all values of the cell.
    NonZeroShare,
    /// The share of zeros.
    ZeroShare,
}

/// How many values of each position of a map are not zero.
#[derive(Debug, Clone, Copy)]
pub struct Counts<'a> {
    /// Rows and columns.
    pub size: [u32; 2],
    /// Values of a position.
    pub values: u32,
    /// Those that are not zero, row by row.
    pub counts: &'a [u32],
}

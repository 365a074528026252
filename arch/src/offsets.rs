//! Base and offset tables of a GEMM whose operands are read straight from a tensor.
//!
//! Element k of row m lies at `bases[m] + offsets[k]`, see `docs/offsets.md`.

/// What one convolution, fully connected layer or matrix product needs to find its operands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tables {
    /// One entry for each GEMM row, relative to the origin of the tensor.
    pub bases: Vec<i32>,
    /// One entry for each tap: offset from the base, or the step from the tap before.
    pub offsets: Vec<i32>,
    /// Entries of `offsets` are steps.
    pub running: bool,
    /// Entries are shifted left by so much when they are used, 0 to 3.
    pub unit_shift: u32,
    /// Padding by mask.
    pub masks: Option<Masks>,
    /// GEMM rows of one image; divides the number of bases.
    pub pixels: u32,
    /// Output channels.
    pub outputs: u32,
    /// Word address of the first weight word, if the tables carry it.
    pub weight_base: Option<u32>,
}

/// Which taps of which row lie in the image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Masks {
    /// For each GEMM row: bit v is 1 if filter row v lies in the image.
    pub rows: Vec<u16>,
    /// For each GEMM row: bit u is 1 if filter column u lies in the image.
    pub cols: Vec<u16>,
    /// For each tap: its filter row v and column u.
    pub taps: Vec<(u8, u8)>,
}

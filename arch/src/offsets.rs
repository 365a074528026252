//! Base and offset tables of a GEMM whose operands are read straight from a tensor.
//!
//! Element k of row m lies at `bases[m] + offsets[k]`, see `docs/offsets.md`. [`Tables`] are what a
//! unit is loaded with, [`Tables::check`] and its neighbours say whether they can be used,
//! [`Tables::to_bytes`] and [`Tables::from_bytes`] are the table file, and [`Request`] is the
//! document that says what tables are made for.

mod check;
pub mod examples;
mod file;
mod request;

pub use file::TableFileError;
pub use request::{
    Convolution, FullyConnected, Layout, Matrix, Pad, Request, Sides, request_schema,
};

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

impl Tables {
    /// Largest number of rows, taps and output channels: the counts of a unit have 16 bits.
    pub const COUNT_MAX: u32 = 65535;
    /// Largest unit shift.
    pub const UNIT_SHIFT_MAX: u32 = 3;
    /// Largest word address of a weight word.
    pub const WEIGHT_BASE_MAX: u32 = 65535;

    /// Distance of each tap from the base, in entries: the offsets, or the sums of the steps.
    pub fn distances(&self) -> Vec<i64> {
        let mut sum = 0;
        let entry = |offset: &i32| {
            sum = i64::from(*offset) + if self.running { sum } else { 0 };
            sum
        };
        self.offsets.iter().map(entry).collect()
    }

    /// Whether a row reads its operand of a tap; a tap in the padding is 0 without a read.
    ///
    /// # Panics
    /// If there is no such row or tap, or the masks would not pass [`Tables::check`].
    pub fn reads(&self, row: usize, tap: usize) -> bool {
        self.masks.as_ref().is_none_or(|masks| {
            let (v, u) = masks.taps[tap];
            masks.rows[row] >> v & masks.cols[row] >> u & 1 == 1
        })
    }

    /// Byte address of an operand, relative to the origin of the tensor; `None` in the padding.
    /// `distances` are those of [`Tables::distances`].
    ///
    /// # Panics
    /// As [`Tables::reads`].
    pub fn address(&self, distances: &[i64], row: usize, tap: usize) -> Option<i64> {
        let entry = i64::from(self.bases[row]) + distances[tap];
        self.reads(row, tap).then_some(entry << self.unit_shift)
    }
}

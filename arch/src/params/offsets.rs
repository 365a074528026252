//! The offset unit and the GEMM core of `docs/offsets.md`: their options.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::powers;

/// Options of the offset unit, `heddle gen --top offsets`, and of the GEMM core, `--top gemm`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Offsets {
    /// Rows that make addresses, R. Default: those of the array.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 256))]
    pub rows: Option<u32>,
    /// Columns of the GEMM core, Q: output channels of one pass. Default: those of the array.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 256))]
    pub cols: Option<u32>,
    /// Bits of an operand's byte address and of the entries of both tables, A.
    #[schemars(extend("enum" = [16, 24, 32]))]
    pub address_bits: u32,
    /// Entries of the table of bases, a power of two.
    #[schemars(extend("enum" = powers(16, 65536), "x-allowed" = "a power of two from 16 to 65536"))]
    pub bases: u32,
    /// Entries of the table of offsets, a power of two.
    #[schemars(extend("enum" = powers(16, 65536), "x-allowed" = "a power of two from 16 to 65536"))]
    pub offsets: u32,
    /// Mask bits of a base for each axis: filter rows and columns. 0: no padding by mask.
    #[schemars(extend("enum" = [0, 4, 8, 16]))]
    pub taps: u32,
    /// When a table entry reaches the rows.
    pub spread: Spread,
    /// Offsets may be steps from one tap to the next.
    pub running: bool,
    /// When the index of a list is stepped.
    pub index: Index,
    /// The bases of a run are all read before its first step; each row keeps its own.
    pub prefetch: bool,
    /// Compressed tables may be expanded in the unit.
    pub expand: bool,
    /// GEMM core with spread "broadcast": banks of the shared operand memory. 0: each row has a
    /// memory of its own.
    #[schemars(extend("enum" = [0, 2, 4, 8, 16]))]
    pub banks: u32,
    /// Rows that want the same operand are served together by a bank.
    pub merge: bool,
    /// GEMM core: bytes of an operand memory, a power of two.
    #[schemars(extend("enum" = powers(64, 65536), "x-allowed" = "a power of two from 64 to 65536"))]
    pub operand_bytes: u32,
    /// GEMM core: weight words of one byte for each column, a power of two.
    #[schemars(extend("enum" = powers(16, 65536), "x-allowed" = "a power of two from 16 to 65536"))]
    pub weight_words: u32,
    /// GEMM core: sums of each column that are kept between K tiles, a power of two.
    #[schemars(extend("enum" = powers(16, 4096), "x-allowed" = "a power of two from 16 to 4096"))]
    pub results: u32,
    /// GEMM core: a run may store its results after each step or K tile, not only at the end. Needs
    /// `results` of at least the rows.
    pub store_each: bool,
}

impl Default for Offsets {
    fn default() -> Self {
        Self {
            rows: None,
            cols: None,
            address_bits: 16,
            bases: 1024,
            offsets: 512,
            taps: 0,
            spread: Spread::Skew,
            running: false,
            index: Index::After,
            prefetch: false,
            expand: false,
            banks: 0,
            merge: true,
            operand_bytes: 4096,
            weight_words: 1024,
            results: 256,
            store_each: false,
        }
    }
}

/// When the index of a list is stepped. Both read the same entries in the same clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Index {
    /// After the read: it names the entry that is read next.
    #[default]
    After,
    /// Before the read: it begins one below the list and names the entry that was read last.
    Before,
}

/// When a table entry reaches the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Spread {
    /// Row r gets it r clocks after row 0.
    #[default]
    Skew,
    /// All rows get it at once.
    Broadcast,
}

//! The sliced memory of `docs/sliced.md`: its options, and the sizes that follow from them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::powers;
use crate::word::BYTE_BITS;

/// The stand-alone sliced memory, `heddle gen --top sliced`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SlicedMemory {
    /// Words, a power of two.
    #[schemars(extend("enum" = powers(16, 8192), "x-allowed" = "a power of two from 16 to 8192"))]
    pub words: u32,
    /// How the memory keeps the non-zero units of a word.
    pub slices: Slices,
}

/// The slices of a memory. A unit is what one mask bit stands for; a word has 8 word_bytes /
/// unit_bits of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Slices {
    /// Bytes of a word; 8 in the machine.
    #[serde(default = "eight")]
    #[schemars(extend("enum" = [4, 8, 16, 32]))]
    pub word_bytes: u32,
    /// Bits of a unit; a word has at least 2 units.
    #[serde(default = "eight")]
    #[schemars(extend("enum" = [4, 8, 16, 32]))]
    pub unit_bits: u32,
    /// Units of each data slice; their sum is the number of units of a word.
    #[schemars(length(min = 2, max = 8), inner(range(min = 1, max = 63)))]
    pub widths: Vec<u32>,
    /// Where the mask of a word is kept.
    #[serde(default)]
    pub mask: MaskPlace,
    /// How far units are moved when they are packed.
    #[serde(default)]
    pub network: PackNetwork,
    /// What is written to an accessed slice beside non-zero units.
    #[serde(default)]
    pub write: SliceWrite,
    /// End of the word towards which units are packed.
    #[serde(default)]
    pub end: PackEnd,
    /// A word with at most this number of non-zero units is stored as zero: lossy if not 0; 0 in
    /// the machine.
    #[serde(default)]
    #[schemars(range(min = 0, max = 63))]
    pub write_threshold: u32,
    /// A word with at most this number of non-zero units is read as zero; at most write_threshold.
    #[serde(default)]
    #[schemars(range(min = 0, max = 63))]
    pub read_threshold: u32,
    /// More non-zero units than this access slice 1. Default: what slice 0 holds packed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 63))]
    pub access_threshold: Option<u32>,
    /// Whether the data slices are accessed in the same cycle.
    #[serde(default)]
    pub read_order: ReadOrder,
    /// Cycles from the read to the word, before read_order; 5 in the machine: a register after each memory.
    #[serde(default = "five")]
    #[schemars(range(min = 2, max = 7))]
    pub latency: u32,
    /// A memory without mask and slices, with the same ports and latency.
    #[serde(default)]
    pub plain: bool,
}

/// Where the mask of a word is kept.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum MaskPlace {
    /// In a slice of its own.
    #[default]
    Slice,
    /// In a field of slice 0, beside its units.
    Field,
    /// In the first units of slice 0, with a flag; a word that does not fit is kept raw.
    Hybrid,
}

/// How far units are moved when they are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PackNetwork {
    /// As many positions as there are zero units before.
    #[default]
    Full,
    /// At most half a word.
    Half,
    /// Each half is packed alone; sparse halves are joined.
    Split,
}

impl PackNetwork {
    /// All networks.
    pub const ALL: [PackNetwork; 3] = [PackNetwork::Full, PackNetwork::Half, PackNetwork::Split];
}

/// What is written to an accessed slice beside non-zero units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SliceWrite {
    /// Zeros.
    #[default]
    Fill,
    /// Nothing.
    Exact,
}

/// End of the word towards which units are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PackEnd {
    /// The most significant unit is first.
    #[default]
    Left,
    /// The least significant unit is first.
    Right,
}

/// When the data slices are accessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReadOrder {
    /// All in one cycle.
    #[default]
    Together,
    /// Slice k comes k cycles after slice 0.
    InTurn,
}

impl Slices {
    /// Slices of these widths in units, with all options at their defaults.
    pub fn new(word_bytes: u32, unit_bits: u32, widths: Vec<u32>) -> Slices {
        Slices {
            word_bytes,
            unit_bits,
            widths,
            mask: MaskPlace::default(),
            network: PackNetwork::default(),
            write: SliceWrite::default(),
            end: PackEnd::default(),
            write_threshold: 0,
            read_threshold: 0,
            access_threshold: None,
            read_order: ReadOrder::default(),
            latency: five(),
            plain: false,
        }
    }

    /// Units of a word, U: bits of its mask.
    pub fn units(&self) -> u32 {
        units(self.word_bytes, self.unit_bits)
    }

    /// Units of slice 0 that hold the mask in a packed row: m with *hybrid*, otherwise 0.
    pub fn mask_units(&self) -> u32 {
        mask_units(self.units(), self.unit_bits, self.mask)
    }

    /// Packed units that slice 0 holds, F.
    pub fn packed_units(&self) -> u32 {
        self.widths[0] - self.mask_units()
    }

    /// Non-zero units up to which slice 1 is not accessed, TA.
    pub fn threshold(&self) -> u32 {
        self.access_threshold.unwrap_or_else(|| self.packed_units())
    }

    /// Cycles from the read to the word, read_order included.
    pub fn read_cycles(&self) -> u32 {
        match self.read_order {
            ReadOrder::Together => self.latency,
            ReadOrder::InTurn => self.latency + self.widths.len() as u32 - 1,
        }
    }

    /// Whether a packing network suits the widths and the place of the mask.
    pub fn allows(&self, network: PackNetwork) -> bool {
        let half = self.units() / 2;
        let last = self.widths.last().copied().unwrap_or(0);
        match network {
            PackNetwork::Full => true,
            PackNetwork::Half => self.packed_units() >= half,
            PackNetwork::Split => {
                let all_enabled = self.mask == MaskPlace::Hybrid || self.units() - last <= half;
                self.packed_units() <= half && all_enabled
            }
        }
    }
}

/// Units of a word.
pub(crate) fn units(word_bytes: u32, unit_bits: u32) -> u32 {
    word_bytes * BYTE_BITS / unit_bits
}

/// Units that hold the mask in the first slice.
pub(crate) fn mask_units(units: u32, unit_bits: u32, mask: MaskPlace) -> u32 {
    match mask {
        MaskPlace::Hybrid => units.div_ceil(unit_bits),
        MaskPlace::Slice | MaskPlace::Field => 0,
    }
}

fn eight() -> u32 {
    8
}

fn five() -> u32 {
    5
}

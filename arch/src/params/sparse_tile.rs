//! The unit of the sparse cluster that works tile by tile: its options.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Options of the unit that works tile by tile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SparseTile {
    /// How products find their sums.
    pub kind: TileKind,
    /// Products of a round, p.
    #[schemars(range(min = 1, max = 16))]
    pub lanes: u32,
    /// Rows and columns of a tile and of the kernel, K: at most.
    #[schemars(range(min = 1, max = 5))]
    pub kernel: u32,
    /// Weights of a round, at most; no more than products.
    #[schemars(range(min = 1, max = 16))]
    pub weights_per_round: u32,
    /// Rows of the register bank that keeps the sums of the kind `window`.
    #[schemars(range(min = 1, max = 64))]
    pub bank_rows: u32,
    /// Its columns.
    #[schemars(range(min = 1, max = 64))]
    pub bank_cols: u32,
}

/// How products of a round find their sums, and what becomes of those that belong to one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TileKind {
    /// They are a matrix, which is added at the place of their one weight. Sums lie in a register bank that can be shifted.
    Window,
    /// Each by its index, as in the kinds below. There are none of one sum: a round has one weight.
    Indexed,
    /// One goes on, the others wait.
    Arbiter,
    /// Two are added, further ones wait.
    Select,
}

impl Default for SparseTile {
    fn default() -> Self {
        Self {
            kind: TileKind::Arbiter,
            lanes: 4,
            kernel: 3,
            weights_per_round: 2,
            bank_rows: 7,
            bank_cols: 7,
        }
    }
}

impl SparseTile {
    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

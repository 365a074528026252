//! The sparse cluster: its options.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{SparseTile, powers};

/// Options of the sparse cluster: units that multiply values that are not zero.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Sparse {
    /// The cluster is the second engine of the machine: it takes maps from the operands of the array, and its sums leave through DRAIN.
    pub engine: bool,
    /// Units, each with a map memory, weights and sums of its own.
    #[schemars(range(min = 1, max = 64))]
    pub units: u32,
    /// Output channels that a unit makes at once, g: its multipliers. Default: 8; with `engine` columns of the array.
    #[schemars(extend("enum" = [1, 2, 4, 8, 16, 32]))]
    pub channels: u32,
    /// Input channels of a position that are loaded at once. Default: rows of the array, at most 64.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 64))]
    pub load_lanes: Option<u32>,
    /// Values of a position that are written in a clock. Fewer if there are fewer lanes.
    #[schemars(extend("enum" = [1, 2, 4, 8]))]
    pub load_entries: u32,
    /// Sets of a map memory: one is computed while others are loaded.
    #[schemars(extend("enum" = [1, 2, 4]))]
    pub map_sets: u32,
    /// Values of a set, a power of two.
    #[schemars(extend("enum" = powers(64, 16384), "x-allowed" = "a power of two from 64 to 16384"))]
    pub map_entries: u32,
    /// Weight words of a unit, a power of two; a word has a weight for each channel.
    #[schemars(extend("enum" = powers(64, 65536), "x-allowed" = "a power of two from 64 to 65536"))]
    pub weight_words: u32,
    /// Lists of weight words of a unit, one for each input channel that is in use, a power of two.
    #[schemars(extend("enum" = powers(16, 512), "x-allowed" = "a power of two from 16 to 512"))]
    pub lists: u32,
    /// Words of sums of a unit, a power of two; a word has a sum for each channel.
    #[schemars(extend("enum" = powers(64, 65536), "x-allowed" = "a power of two from 64 to 65536"))]
    pub sums: u32,
    /// Sums are scaled to bytes before they leave a cluster that stands alone; else they leave with 32 bits.
    pub post: bool,
    /// Groups of output channels whose parameters are kept, a power of two. Default: 64; with `engine` at least `column_tiles`.
    #[schemars(extend("enum" = powers(16, 256), "x-allowed" = "a power of two from 16 to 256"))]
    pub tiles: u32,
    /// Results that are not zero are counted as they leave, and maps are cut by these counts. Only with `post`.
    pub census: bool,
    /// Positions whose counts are kept, a power of two.
    #[schemars(extend("enum" = powers(256, 65536), "x-allowed" = "a power of two from 256 to 65536"))]
    pub positions: u32,
    /// Feature-map memories of the memory cluster `sparse_memories`. Default: as many as units, which are the fewest; more of them need a Benes network.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 64))]
    pub memories: Option<u32>,
    /// What lies in which buffer of the memory cluster.
    #[serde(skip_serializing_if = "MapLayout::is_both")]
    #[schemars(!skip_serializing_if)]
    pub map_layout: MapLayout,
    /// Network of the memory cluster from memories to units and memories.
    #[serde(skip_serializing_if = "SparseNetwork::is_none")]
    #[schemars(!skip_serializing_if)]
    pub memory_network: SparseNetwork,
    /// Network of the memory cluster from units to memories and units.
    #[serde(skip_serializing_if = "SparseNetwork::is_none")]
    #[schemars(!skip_serializing_if)]
    pub unit_network: SparseNetwork,
    /// A unit that works tile by tile, which stands alone: `sparse_tile`.
    #[serde(skip_serializing_if = "SparseTile::is_default")]
    #[schemars(!skip_serializing_if)]
    pub tile: SparseTile,
}

/// What lies in which buffer of a feature-map memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MapLayout {
    /// Values and indices of a set in a buffer each; both sets are for inputs and results.
    #[default]
    Both,
    /// The same, but the first set is for inputs and the second one for results.
    Roles,
    /// Values of both sets in one buffer, indices of both in another: one set is in use at a time.
    Crossed,
    /// Values and indices of a set in one buffer.
    Merged,
}

impl MapLayout {
    fn is_both(&self) -> bool {
        *self == Self::Both
    }
}

/// A network of the memory cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SparseNetwork {
    /// There is none: memory i has unit i alone.
    #[default]
    None,
    /// To the same number or the next one.
    Switch,
    /// To any number.
    Benes,
}

impl SparseNetwork {
    fn is_none(&self) -> bool {
        *self == Self::None
    }
}

/// Gives a cluster that is an engine the sizes that its section leaves out and that follow from the array.
pub(super) fn follow_array(value: &mut Value) {
    let number = |pointer| value.pointer(pointer).and_then(Value::as_u64);
    let tiles = number("/column_tiles").map(|tiles| tiles.max(Sparse::default().tiles.into()));
    let sizes = [("channels", number("/array/cols")), ("tiles", tiles)];
    let section = value.get_mut("sparse").and_then(Value::as_object_mut);
    let Some(section) = section.filter(|section| section.get("engine") == Some(&json!(true)))
    else {
        return;
    };
    for (name, size) in sizes {
        if let (Some(size), false) = (size, section.contains_key(name)) {
            section.insert(name.to_string(), json!(size));
        }
    }
}

impl Sparse {
    /// Most output channels of a unit.
    pub(crate) const CHANNELS_MAX: u32 = 32;
    /// Most input channels that are loaded at once.
    pub(crate) const LANES_MAX: u32 = 64;
    /// Most groups of output channels whose parameters are kept.
    pub(crate) const TILES_MAX: u32 = 256;

    /// The cluster as an engine of the machine: its sums leave through the drain unit, and nothing is counted.
    #[must_use]
    pub fn as_engine(self) -> Self {
        Self {
            post: false,
            census: false,
            ..self
        }
    }
}

impl Default for Sparse {
    fn default() -> Self {
        Self {
            engine: false,
            units: 8,
            channels: 8,
            load_lanes: None,
            load_entries: 2,
            map_sets: 2,
            map_entries: 1024,
            weight_words: 1024,
            lists: 512,
            sums: 1024,
            post: true,
            tiles: 64,
            census: true,
            positions: 4096,
            memories: None,
            map_layout: MapLayout::Both,
            memory_network: SparseNetwork::None,
            unit_network: SparseNetwork::None,
            tile: SparseTile::default(),
        }
    }
}

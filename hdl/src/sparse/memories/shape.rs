//! Sizes of the memory cluster.

use crate::sparse::net::NetworkKind;
use heddle_arch::Params;
use heddle_arch::params::{MapLayout, SparseNetwork};

/// Sizes of a memory cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoriesShape {
    /// Feature-map memories.
    pub memories: usize,
    /// Units.
    pub units: usize,
    /// Entries of a set, a power of two.
    pub entry_max: usize,
    /// What lies in which buffer.
    pub layout: MapLayout,
    /// From memories to units and memories.
    pub memory_network: Option<NetworkKind>,
    /// From units to memories and units.
    pub unit_network: Option<NetworkKind>,
}

impl MemoriesShape {
    /// The memory cluster of a configuration.
    pub fn of(params: &Params) -> Self {
        let section = params.sparse_cluster();
        let kind = |network| match network {
            SparseNetwork::None => None,
            SparseNetwork::Switch => Some(NetworkKind::Switch),
            SparseNetwork::Benes => Some(NetworkKind::Benes),
        };
        Self {
            memories: section.memories.expect("memories are given") as usize,
            units: section.units as usize,
            entry_max: section.map_entries as usize,
            layout: section.map_layout,
            memory_network: kind(section.memory_network),
            unit_network: kind(section.unit_network),
        }
    }
}

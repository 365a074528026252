//! Sizes of the memory cluster.

use crate::sparse::net::NetworkKind;

/// What lies in which buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MapLayout {
    /// A set has its values and its indices, and is for inputs or results.
    Both,
    /// The first set is for inputs, the second one for results.
    Roles,
    /// Values of both sets in one buffer, indices of both in another: one set is in use at a time.
    Crossed,
    /// Values and indices of a set are one buffer.
    Merged,
}

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
    /// Ports of a network, 0 without one. A Benes network has idle ones if its number is no power of two.
    pub fn ports(&self, network: Option<NetworkKind>) -> usize {
        let ports = self.memories.max(self.units).max(2);
        match network {
            None => 0,
            Some(NetworkKind::Switch) => ports,
            Some(NetworkKind::Benes) => ports.next_power_of_two(),
        }
    }
}

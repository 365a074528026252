//! What the control half and the sparse cluster say to each other.

use heddle_kernel::prelude::*;

/// From the control half to the cluster; one that counts has one port for counters.
#[bundle(counts: usize)]
pub struct ClusterOrder {
    /// A word of a command; only if there is room.
    #[reset]
    pub command: Bit,
    /// The word.
    pub word: Bits<32>,
    /// The stream unit takes a slot for the cluster in this cycle; only if there is room.
    #[reset]
    pub sends: Bit,
    /// The host offers a word of weights.
    #[reset]
    pub weight: Bit,
    /// Its weights, or indices.
    pub weights: [Bits<16>; 4],
    /// A counter is asked for.
    pub counter: [Bits<4>; counts],
}

/// From the cluster to the control half.
#[bundle(counts: usize)]
pub struct ClusterState {
    /// There is room for a command.
    pub takes_command: Bit,
    /// There is room for a slot.
    pub takes_slot: Bit,
    /// The word of weights is taken.
    pub takes_weight: Bit,
    /// Something is under way.
    pub busy: Bit,
    /// Something happened in the cycle before.
    pub event: Bit,
    /// Sums meet their drain address in this cycle.
    pub leaves: Bit,
    /// Number of the error that has stopped the cluster, or 0.
    pub error: Bits<5>,
    /// The counter that was asked for in the cycle before.
    pub count: [Bits<32>; counts],
}

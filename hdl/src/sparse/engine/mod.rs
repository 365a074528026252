//! The sparse cluster as the second engine of the machine.

mod core;
mod slot_queue;
mod sum_skew;
mod waves;

pub use core::SparseEngine;
pub use slot_queue::SlotQueue;
pub use sum_skew::SumSkew;
pub use waves::{ClusterOrder, ClusterState};

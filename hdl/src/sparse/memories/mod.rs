//! The memory cluster with its variants: feature-map memories of two sets, networks to units and between them.

mod buffers;
mod feature_memory;
mod interconnect;
mod join;
mod list_read;
mod shape;
mod sparse_memories;

pub use buffers::SetBuffers;
pub use feature_memory::FeatureMemory;
pub use interconnect::Interconnect;
pub use join::StreamJoin;
pub use list_read::ListRead;
pub use shape::MemoriesShape;
pub use sparse_memories::SparseMemories;

//! The memory cluster, clock by clock.

mod cluster;
mod join;
mod memory;
mod reader;

pub use cluster::{MemoriesInputs, MemoriesModel, MemoriesOutputs, MemoriesSizes};
pub use join::JoinModel;
pub use memory::{FeatureMemoryModel, Job, MemoryInputs, MemoryLayout, Order};
pub use reader::ReaderModel;

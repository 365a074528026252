//! Post-processing: reducing windows of sums, scaling sums to bytes, activation functions, and
//! packing the bytes into words.

pub mod lane;
pub mod place;
pub mod pool;
pub mod requantise;

pub use lane::{
    EntryWrite, ParameterWrite, PostInputs, PostLaneInputs, PostLaneModel, PostLaneOutputs,
    PostModel, PostSettings,
};
pub use place::DrainPlaceModel;
pub use pool::reduce;
pub use requantise::{DualScale, Scale, requantise, requantise_dual};

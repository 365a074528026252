//! Post-processing: scaling sums to bytes and gathering the bytes into words.

pub mod lane;
pub mod place;
pub mod requantise;

pub use lane::{
    ParameterWrite, PostInputs, PostLaneInputs, PostLaneModel, PostLaneOutputs, PostModel,
    PostSettings,
};
pub use place::DrainPlaceModel;
pub use requantise::{Scale, requantise};

//! Post-processing: scaling of the 32-bit sums to bytes, and collecting the bytes to words.

mod gather;
mod lane;
mod multiply;
mod requantise;
mod round;
mod row;
mod saturate;

pub use gather::Gatherer;
pub use lane::{POST_LATENCY, PostLane};
pub use multiply::HighMultiply;
pub use requantise::{REQUANTISE_LATENCY, Requantise};
pub use round::RoundingShift;
pub use row::Post;
pub use saturate::SaturatingShift;

//! Post-processing: scaling of the 32-bit sums to bytes, collecting the bytes to words, and handing the
//! words to their partitions.

mod gather;
mod lane;
mod multiply;
mod place;
mod requantise;
mod round;
mod row;
mod saturate;
mod turn;

pub use gather::Gatherer;
pub use lane::{POST_LATENCY, PostLane};
pub use multiply::HighMultiply;
pub use place::DrainPlace;
pub use requantise::{REQUANTISE_LATENCY, Requantise};
pub use round::RoundingShift;
pub use row::Post;
pub use saturate::SaturatingShift;
pub use turn::DrainTurn;

//! Which engine a layer runs on: the array, or the sparse cluster beside it.
//!
//! What a layer does is looked at first: the cluster takes convolutions, depthwise and fully connected layers; everything else is the
//! array's or the host's. Then a rule decides by the zeros of the layer's input. The weights of all layers on the cluster stay there, so
//! those that gain most come first.

mod choice;
mod estimate;
mod layer;
mod search;

pub(crate) use choice::{Engines, choose};
pub(crate) use layer::serves;

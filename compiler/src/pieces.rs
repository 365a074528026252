//! Layers in pieces: bands of rows or groups of output channels, layers of another network that gives the same outputs.
//!
//! Between the pieces the host copies rows, and puts outputs together under the name of the layer.

mod layer;
mod rewritten;

pub use layer::Pieces;
pub(crate) use layer::{can_be_cut, step};
pub(crate) use rewritten::rewritten;

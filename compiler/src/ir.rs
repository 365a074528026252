//! What a network asks for: its layers as operations on planes or on matrices.

mod constants;
mod graph;
mod hosts;
mod matrices;

use heddle_network::Network;

pub(crate) use constants::{Constants, constants};
pub use graph::{Graph, Node, Place};
pub(crate) use matrices::{Id, Lowered, Operation, lower};

/// The layers that read a tensor.
pub(crate) fn readers(network: &Network, tensor: usize) -> impl Iterator<Item = usize> {
    let layers = network.layers.iter().enumerate();
    let reading = layers.filter(move |(_, layer)| {
        let mut inputs = layer.inputs.iter();
        inputs.any(|input| input.tensor == tensor)
    });
    reading.map(|(index, _)| index)
}

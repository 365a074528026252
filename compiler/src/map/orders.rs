//! Which depthwise layers make two rows at a time, and how the rows of their neighbours' planes lie.

use heddle_arch::network::{Layer, LayerKind, Network, Padding};
use heddle_arch::params::Params;

use crate::ir::readers;
use crate::layout::RowOrder;
use crate::product::{Mapping, Orders, RowPairs, reduction};

/// The layers that can make two rows at a time and take fewer K tiles then.
///
/// All layers that read their input must do so as well or read a pixel at a time, all that read their output a pixel at a time. Their
/// input is not that of the network, and their output not that of another one of them.
pub(crate) fn toeplitz_layers(network: &Network, params: &Params) -> Vec<usize> {
    let lanes = params.lanes();
    let layers = &network.layers;
    let suits = |layer: &Layer| {
        let channels = layer.input.channels;
        let depthwise = layer.kind == LayerKind::Conv2d && layer.groups == channels;
        depthwise
            && channels == layer.output.channels
            && lanes % 2 == 0
            && channels % lanes == 0
            && layer.inputs[0].tensor > 0
            && layer.input.height > 1
            && RowPairs::of(layer).saves(layer)
    };
    let mut found: Vec<usize> = (0..layers.len()).filter(|&i| suits(&layers[i])).collect();
    loop {
        let fits = |&index: &usize| {
            let input = layers[index].inputs[0].tensor;
            let paired = |tensor: usize| found.contains(&(tensor - 1));
            let reads_input = readers(network, input)
                .all(|reader| found.contains(&reader) || by_pixel(&layers[reader]));
            let pools = reduction(&layers[input - 1], params).is_some();
            let reads_output = readers(network, index + 1).all(|reader| by_pixel(&layers[reader]));
            reads_input && reads_output && !pools && !paired(input)
        };
        // The first one that does not fit makes way: others may have asked for the contrary because of it.
        match found.iter().position(|index| !fits(index)) {
            Some(at) => drop(found.remove(at)),
            None => return found,
        }
    }
}

/// A layer whose outputs need the inputs of one place alone, the same in all inputs.
fn by_pixel(layer: &Layer) -> bool {
    let point = layer.kind == LayerKind::Conv2d
        && layer.groups == 1
        && (layer.kernel, layer.stride) == ([1, 1], [1, 1])
        && layer.padding == Padding::default();
    point || matches!(layer.kind, LayerKind::Add(_) | LayerKind::WeightedSum)
}

/// The order of the rows of every tensor.
pub(crate) fn tensor_orders(network: &Network, mappings: &[Mapping]) -> Vec<RowOrder> {
    let mut orders = vec![RowOrder::Plain; network.layers.len() + 1];
    for (index, layer) in network.layers.iter().enumerate() {
        if mappings[index] == Mapping::Toeplitz {
            orders[layer.inputs[0].tensor] = RowOrder::Split;
            orders[index + 1] = RowOrder::Paired;
        }
    }
    orders
}

/// The orders of what a layer reads and writes.
pub(crate) fn layer_orders(network: &Network, index: usize, orders: &[RowOrder]) -> Orders {
    let inputs = network.layers[index].inputs.iter();
    Orders {
        reads: inputs.map(|input| orders[input.tensor]).collect(),
        writes: orders[index + 1],
    }
}

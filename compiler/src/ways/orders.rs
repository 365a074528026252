//! Which depthwise layers can make several pixels at a time, and how the pixels of their neighbours' planes lie.

use std::collections::BTreeSet;

use heddle_arch::params::Params;
use heddle_network::{Layer, Work};

use crate::ir::{Home, Lowered};
use crate::layout::{Phases, PixelOrder};
use crate::product::{Mapping, Orders, PixelBlocks, pooled, sums_phases};

/// Whether a layer can make the pixels of all phases at a time, and takes fewer K tiles then.
fn saves(layer: &Layer, phases: Phases, params: &Params) -> bool {
    let lanes = params.lanes();
    let [down, right] = phases.steps();
    let large = [layer.input, layer.output]
        .iter()
        .all(|shape| shape.height >= down && shape.width >= right);
    layer.is_depthwise()
        && lanes % phases.count() == 0
        && large
        && PixelBlocks::of(layer, phases).saves(layer, lanes)
}

/// A layer whose outputs need the inputs of one place alone, the same in all inputs.
fn by_pixel(layer: &Layer) -> bool {
    layer.is_pointwise() || matches!(layer.work(), Work::Terms(_))
}

/// The order of the pixels of every tensor; none if a layer could not read or write them so. The host can.
pub(crate) fn tensor_orders(
    graph: &Lowered,
    mappings: &[Mapping],
    params: &Params,
) -> Option<Vec<PixelOrder>> {
    let layers = &graph.network.layers;
    let mut orders = vec![PixelOrder::Plain; layers.len() + 1];
    let blocks = || {
        mappings
            .iter()
            .enumerate()
            .filter_map(|(index, mapping)| mapping.phases().map(|phases| (index, phases)))
    };
    for (index, phases) in blocks() {
        let input = layers[index].inputs[0].tensor;
        let split = PixelOrder::Split(phases);
        // The host writes the input of the network in the order of its planes.
        if input == 0 || (orders[input] != PixelOrder::Plain && orders[input] != split) {
            return None;
        }
        orders[input] = split;
    }
    for (index, phases) in blocks() {
        if orders[index + 1] != PixelOrder::Plain {
            return None;
        }
        orders[index + 1] = PixelOrder::Joined(phases);
    }
    share_columns(graph, &mut orders)?;
    share_with_parts(graph, &mut orders)?;
    for index in 0..layers.len() {
        let by_host = graph.constants.hosts[index].is_some();
        if !by_host && mappings[index].phases().is_none() {
            orders[index + 1] = written(graph, index, &orders, params)?;
            let flattened = mappings[index] == Mapping::Flattened;
            let reads = layer_orders(graph, index, &orders, params).reads;
            if flattened && reads.iter().any(|&order| order != PixelOrder::Plain) {
                return None;
            }
        }
    }
    Some(orders)
}

/// Words pass LOAD and STORE as they are: parts of a tensor of the host's memory hold the same columns in a word. None if they cannot.
fn share_columns(graph: &Lowered, orders: &mut [PixelOrder]) -> Option<()> {
    let whole = |tensor: usize| {
        let home = graph
            .homes
            .tensor(tensor)
            .filter(|_| graph.is_of_machine(tensor));
        home.map(|home| home.whole)
    };
    let is_apart = |order: PixelOrder| order.steps()[1] > 1;
    let tensors = (0..orders.len()).filter(|&tensor| is_apart(orders[tensor]));
    let apart: BTreeSet<usize> = tensors.filter_map(whole).collect();
    for (tensor, order) in orders.iter_mut().enumerate() {
        let is_part = whole(tensor).is_some_and(|whole| apart.contains(&whole));
        if is_part && !is_apart(*order) {
            let may_be = *order == PixelOrder::Plain && graph.is_made(tensor);
            *order = may_be.then_some(PixelOrder::Split(Phases::Blocks))?;
        }
    }
    Some(())
}

/// Parts lie as the whole does. None if they cannot.
fn share_with_parts(graph: &Lowered, orders: &mut [PixelOrder]) -> Option<()> {
    for (whole, parts) in graph.joined.wholes() {
        let all = || parts.iter().map(|(part, _)| *part).chain([whole]);
        let mut special = all().map(|tensor| orders[tensor]);
        let Some(order) = special.find(|&order| order != PixelOrder::Plain) else {
            continue;
        };
        let [down, _] = order.steps();
        let begins = |home: &Home| home.first[0] == 0 && home.first[1] % down == 0;
        let is_one = special.all(|other| other == order || other == PixelOrder::Plain);
        if !is_one || !parts.iter().all(|(_, home)| begins(home)) {
            return None;
        }
        all().for_each(|tensor| orders[tensor] = order);
    }
    Some(())
}

/// The order in which a layer writes what its readers want, if it can.
fn written(
    graph: &Lowered,
    index: usize,
    orders: &[PixelOrder],
    params: &Params,
) -> Option<PixelOrder> {
    let layer = &graph.network.layers[index];
    let Orders {
        reads,
        writes,
        in_place,
    } = layer_orders(graph, index, orders, params);
    let apart = reads.iter().filter_map(|order| order.phases()).max();
    if apart.is_none() && writes == PixelOrder::Plain {
        return Some(writes);
    }
    let sums_in_place = in_place && writes == PixelOrder::Plain;
    let pools = pooled(layer, params).is_some();
    if !graph.is_of_planes(index) || (pools && !sums_in_place) {
        return None;
    }
    match apart {
        None => Some(writes),
        Some(_) if in_place => Some(writes),
        Some(_) if !by_pixel(layer) => None,
        Some(Phases::Rows) => Some(writes),
        // Bytes of a word cannot be interleaved.
        Some(Phases::Blocks) => match writes {
            PixelOrder::Plain | PixelOrder::Phased => Some(PixelOrder::Phased),
            PixelOrder::Split(Phases::Blocks) => Some(writes),
            _ => None,
        },
    }
}

/// The orders of what a layer reads and writes.
pub(crate) fn layer_orders(
    graph: &Lowered,
    index: usize,
    orders: &[PixelOrder],
    params: &Params,
) -> Orders {
    let layer = &graph.network.layers[index];
    let reads: Vec<PixelOrder> = layer.inputs.iter().map(|i| orders[i.tensor]).collect();
    let strided = layer.work() == Work::Weighted && layer.stride == [2, 2];
    let can = || match pooled(layer, params) {
        Some(_) => sums_phases(layer, params),
        None => strided,
    };
    Orders {
        in_place: reads == [PixelOrder::Phased] && can(),
        reads,
        writes: orders[index + 1],
    }
}

/// Depthwise layers that can make several pixels at a time, and the mappings of each that save K tiles. Layers that read the same
/// tensor read it in the same order, so that they stand together, and so do the pieces of a layer.
pub(crate) fn block_layers(graph: &Lowered, params: &Params) -> Vec<BlockGroup> {
    let layers = &graph.network.layers;
    let mappings = [Mapping::Toeplitz, Mapping::Blocks];
    let saving = |layer: usize, mapping: &Mapping| {
        let phases = mapping.phases().expect("several pixels");
        saves(&layers[layer], phases, params)
    };
    let mut groups: Vec<(Vec<usize>, BlockGroup)> = Vec::new();
    for readers in graph.readers.get(1..layers.len()).unwrap_or_default() {
        let readers = readers.iter().copied();
        let readers: Vec<usize> = readers
            .filter(|&reader| mappings.iter().any(|mapping| saving(reader, mapping)))
            .collect();
        let all = |mapping: &Mapping| readers.iter().all(|&reader| saving(reader, mapping));
        let mappings: Vec<Mapping> = mappings.into_iter().filter(all).collect();
        if readers.is_empty() || mappings.is_empty() {
            continue;
        }
        let kin: Vec<usize> = readers.iter().map(|&reader| graph.kin(reader)).collect();
        match groups.iter_mut().find(|(other, _)| *other == kin) {
            Some((_, group)) => group.push((readers, mappings)),
            None => groups.push((kin, vec![(readers, mappings)])),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// Layers that read one tensor, with the mappings that they can have.
pub(crate) type Part = (Vec<usize>, Vec<Mapping>);
/// Layers that change their mappings together: those that read one tensor, or pieces of these.
pub(crate) type BlockGroup = Vec<Part>;

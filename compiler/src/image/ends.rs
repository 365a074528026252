//! Layers that the host runs behind the last run.

use heddle_arch::image::{End, Operation, WORK};
use heddle_arch::requantise::Scale;
use heddle_network::ops::{LayerKind, Softmax};
use heddle_network::{Axis, Layer, Network};

use super::tensors::Tensors;

/// Operations in their order.
#[derive(Default)]
pub(super) struct Ends {
    pub list: Vec<End>,
}

/// Operation, dimension of a row and scale of a layer that an image has for the host.
fn operation(layer: &Layer) -> Option<(Operation, Axis, Option<Scale>)> {
    if layer.table.is_some() {
        return None;
    }
    match layer.kind {
        LayerKind::Softmax(Softmax { axis, scale }) => {
            Some((Operation::Softmax, axis, Some(scale)))
        }
        LayerKind::ArgMax(axis) => Some((Operation::ArgMax, axis, None)),
        _ => None,
    }
}

/// Whether an image has a layer for the host.
pub(super) fn is_end(layer: &Layer) -> bool {
    operation(layer).is_some()
}

impl Ends {
    /// Adds a layer of the host; further inputs are none.
    pub fn add(&mut self, index: usize, tensors: &mut Tensors<'_>, network: &Network) {
        let layer = &network.layers[index];
        let Some((operation, axis, scale)) = operation(layer) else {
            return;
        };
        let input = layer.inputs[0].tensor;
        let length = layer.input.sides()[axis.index()];
        let is_output = network.outputs.contains(&(index + 1));
        let source = tensors.number(input);
        let destination = tensors.work(index + 1, is_output);
        if operation == Operation::Softmax {
            tensors.entries[destination as usize].scale = 1.0 / 256.0;
        }
        self.list.push(End {
            operation,
            source: source.expect("it is read behind the last run"),
            destination,
            rows: layer.input.elements() as u32 / length,
            length,
            stride: tensors.strides(input)[axis.index()],
            multiplier: scale.map_or(0, |scale| scale.multiplier() as u32),
            shift: scale.map_or(0, Scale::shift),
        });
    }

    /// Moves the tensors of the host behind what is gathered of others, and gives the bytes of all.
    pub fn work_bytes(&self, tensors: &mut Tensors<'_>) -> u64 {
        let entries = &mut tensors.entries;
        let sources = self.list.iter().map(|end| &entries[end.source as usize]);
        let sources = sources.filter(|source| source.region != WORK);
        let bytes = sources.filter_map(|source| Some(source.elements()? * source.element.bytes()));
        let gathered = bytes.max().unwrap_or(0).next_multiple_of(8);
        let works = entries.iter_mut().filter(|entry| entry.region == WORK);
        works.fold(gathered, |end, entry| {
            entry.offset += gathered;
            end.max(entry.offset + entry.bytes)
        })
    }
}

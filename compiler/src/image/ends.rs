//! What the host computes in front of the first run and behind the last.

use heddle_arch::image::{End, Operation, WORK};
use heddle_arch::requantise::Scale;
use heddle_arch::transfer::Transfer;
use heddle_network::ops::{LayerKind, Softmax};
use heddle_network::{Axis, Layer, Network};

use super::form::{Real, UserForm};
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
    /// Adds an input and what makes its bytes; gives the LOADs that bring them.
    pub fn input(
        &mut self,
        input: usize,
        tensors: &mut Tensors<'_>,
        form: &UserForm,
    ) -> Vec<Transfer> {
        let Some(&operation) = form.quantised.get(&input) else {
            return tensors.input(input, true);
        };
        let source = tensors.real(input, tensors.name(input), [true, false]);
        let destination = tensors.entries.len() as u32;
        let loads = tensors.input(input, false);
        self.of_elements(operation, [source, destination], tensors);
        loads
    }

    /// Adds what makes real numbers of an output.
    pub fn real(&mut self, real: &Real, tensors: &mut Tensors<'_>) {
        let source = tensors.number(real.tensor);
        let source = source.expect("an output is read behind the last run");
        let destination = tensors.real(real.tensor, real.name.clone(), [false, true]);
        self.of_elements(Operation::Dequantize, [source, destination], tensors);
    }

    /// Adds an operation on each element of a tensor.
    fn of_elements(
        &mut self,
        operation: Operation,
        [source, destination]: [u32; 2],
        tensors: &Tensors<'_>,
    ) {
        let extents = &tensors.entries[source as usize].extents;
        self.list.push(End {
            operation,
            source,
            destination,
            rows: 1,
            length: extents.iter().product(),
            stride: 1,
            multiplier: 0,
            shift: 0,
        });
    }

    /// Adds a layer of the host; further inputs are none.
    pub fn add(
        &mut self,
        index: usize,
        tensors: &mut Tensors<'_>,
        (network, form): (&Network, &UserForm),
    ) {
        let layer = &network.layers[index];
        let Some((operation, axis, scale)) = operation(layer) else {
            return;
        };
        let input = layer.inputs[0].tensor;
        let length = layer.input.sides()[axis.index()];
        let is_output = network.outputs.contains(&(index + 1)) && form.has_bytes(index + 1);
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

    /// Moves the tensors of the host behind what is gathered of others or made for them, and gives the bytes of all.
    pub fn work_bytes(&self, tensors: &mut Tensors<'_>) -> u64 {
        let entries = &mut tensors.entries;
        let numbers = self
            .list
            .iter()
            .flat_map(|end| [end.source, end.destination]);
        let others = numbers.map(|number| &entries[number as usize]);
        let others = others.filter(|other| other.region != WORK);
        let bytes = others.filter_map(|other| Some(other.elements()? * other.element.bytes()));
        let gathered = bytes.max().unwrap_or(0).next_multiple_of(8);
        let works = entries.iter_mut().filter(|entry| entry.region == WORK);
        works.fold(gathered, |end, entry| {
            entry.offset += gathered;
            end.max(entry.offset + entry.bytes)
        })
    }
}

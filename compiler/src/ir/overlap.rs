//! Tensors of the host's memory in the machine: which of them come or go while another layer runs.

use std::ops::Range;

use heddle_arch::params::Params;
use heddle_arch::word::WORD_BYTES;
use heddle_network::Work;

use super::Lowered;
use crate::product::Flattening;

/// Of so many parts of the room for tensors all but one are used.
const PARTS: u64 = 8;

/// Bytes of a partition for tensors: weights have a bank at least.
pub(super) fn room(params: &Params) -> u64 {
    (u64::from(params.work_banks()) - 1) * u64::from(params.bank_bytes())
}

impl Lowered<'_> {
    /// Finds them: bands of a layer always overlap, whatever else as far as there is room, about.
    pub fn overlap(&mut self, params: &Params) {
        let tensors = 0..self.network.layers.len() + 1;
        self.overlapped = vec![false; tensors.len()];
        self.join(params);
        let mut alive = self.alive(params);
        let room = room(params) / PARTS * (PARTS - 1);
        for layer in self.layers() {
            let of = &self.network.layers[layer];
            let loads = self.is_of_planes(layer) && self.is_loaded(of.inputs[0].tensor);
            if loads && of.work() == Work::Weighted && of.groups == 1 {
                self.constants.layers[layer].rows = Flattening::balanced_rows(of, params);
            }
        }
        for tensor in tensors.filter(|&tensor| self.homes.tensor(tensor).is_some()) {
            let Some([at, other]) = self.beside(tensor) else {
                continue;
            };
            let bytes = self.bytes(tensor, params);
            let before = self.lifetime(tensor);
            self.overlapped[tensor] = true;
            let behind = self.lifetime(tensor);
            let more = (behind.start..before.start).chain(before.end..behind.end);
            let fits = more.clone().all(|step| alive[step] + bytes <= room);
            self.overlapped[tensor] = fits || self.origins[at] == self.origins[other];
            if self.overlapped[tensor] {
                more.for_each(|step| alive[step] += bytes);
            }
        }
    }

    /// Bytes of the tensors in each step, about.
    pub(super) fn alive(&self, params: &Params) -> Vec<u64> {
        let tensors = 0..self.network.layers.len() + 1;
        let mut alive = vec![0; tensors.len() + 1];
        for tensor in tensors {
            let bytes = self.bytes(tensor, params);
            let steps = alive[self.lifetime(tensor)].iter_mut();
            steps.for_each(|all| *all += bytes);
        }
        alive
    }

    /// The layer of a tensor that is loaded or stored, and the one that it may move beside.
    fn beside(&self, tensor: usize) -> Option<[usize; 2]> {
        let machine = |layer: &usize| self.constants.hosts[*layer].is_none();
        if let Some(made) = tensor.checked_sub(1).filter(machine) {
            return Some([made, self.machine_behind(made)?]);
        }
        let reader = self.readers[tensor].iter().copied().find(machine)?;
        Some([reader, (0..reader).rfind(machine)?])
    }

    /// Bytes of a tensor in a partition, about.
    pub(super) fn bytes(&self, tensor: usize, params: &Params) -> u64 {
        if !self.is_of_machine(tensor) {
            return 0;
        }
        let (shape, _) = self.network.tensor(tensor);
        let row = (shape.width + 1).next_multiple_of(WORD_BYTES);
        let planes = shape.channels.div_ceil(params.lanes());
        u64::from(planes) * u64::from(shape.height + 1) * u64::from(row)
    }

    /// Steps in which a tensor of the host's memory is in the machine.
    pub(super) fn lifetime_at_home(&self, tensor: usize) -> Range<usize> {
        let machine = |layer: &usize| self.constants.hosts[*layer].is_none();
        let is_made = self.is_made(tensor);
        let mut readers = self.readers[tensor].iter().copied().filter(machine);
        let last = readers.clone().next_back().map(|reader| reader + 1);
        let beside = self
            .beside(tensor)
            .filter(|_| self.overlapped.get(tensor) == Some(&true));
        let beside = beside.map(|[_, other]| other + 1);
        let end = self.network.layers.len() + 1;
        let output = self.network.outputs.contains(&tensor).then_some(end);
        let (start, beside) = match (is_made, readers.next()) {
            (true, _) => (tensor, beside),
            (false, Some(reader)) => (beside.unwrap_or(reader + 1), None),
            (false, None) => return tensor..tensor,
        };
        let last = [last, beside, output].into_iter().flatten().max();
        start..last.unwrap_or(start) + 1
    }
}

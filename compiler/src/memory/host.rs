//! Where tensors lie in the host's memory that programs load and store.

use heddle_arch::transfer::{Space, Transfer};

use crate::ir::Lowered;
use crate::layout::{HostPlanes, Kind, Piece, TensorPlan};

/// Region of the inputs.
pub(crate) const INPUT: u32 = 1;
/// Region of the outputs.
pub(crate) const OUTPUT: u32 = 2;
/// Region of what only programs load and store.
pub(crate) const SCRATCH: u32 = 3;
/// Bytes of which tensors of programs begin at a multiple: a line of a cache.
pub(crate) const LINE: u32 = 64;

/// A tensor in the host's memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostTensor {
    /// Its number among the tensors of the program.
    pub tensor: usize,
    /// The region that it lies in.
    pub region: u32,
    /// First byte in the region.
    pub offset: u32,
    pub(crate) planes: HostPlanes,
}

impl HostTensor {
    /// Its bytes are those of the user, and not re-centred.
    pub(crate) fn is_of_user(&self) -> bool {
        self.region != SCRATCH
    }

    /// First byte behind it.
    pub(crate) fn end(&self) -> u32 {
        self.offset + self.planes.bytes()
    }
}

/// LOADs or STOREs of a tensor that lies in another one of the host's memory.
pub(crate) fn transfers(
    (graph, plan): (&Lowered, &TensorPlan),
    tensor: usize,
    whole: &HostTensor,
    stores: bool,
) -> Vec<Transfer> {
    let home = graph.homes.tensor(tensor).expect("it lies in memory");
    let kind = Kind {
        space: Space::Buffer,
        region: whole.region,
        // Other tensors lie in memory as they do in the machine.
        zero: match whole.is_of_user() {
            true => plan.zero_point as u8,
            false => 0,
        },
    };
    let pieces = whole.planes.pieces(plan, home.first, stores).into_iter();
    let pieces = pieces.map(|piece| Piece {
        memory: piece.memory + whole.offset,
        ..piece
    });
    kind.transfers(&pieces.collect::<Vec<_>>())
}

/// How many there are, wherever it lies in memory.
pub(super) fn count(graph: &Lowered, plan: &TensorPlan, tensor: usize) -> usize {
    let home = graph.homes.tensor(tensor).expect("it lies in memory");
    let (shape, _) = graph.network.tensor(home.whole);
    let whole = HostTensor {
        tensor: home.whole,
        region: SCRATCH,
        offset: 0,
        planes: HostPlanes::of(shape, plan.order.steps()[1]),
    };
    transfers((graph, plan), tensor, &whole, graph.is_made(tensor)).len()
}

/// The tensors of a network of which programs load or store parts.
pub(super) fn host_tensors(graph: &Lowered, tensors: &[TensorPlan]) -> Vec<HostTensor> {
    let mut all: Vec<HostTensor> = Vec::new();
    let is_whole = |tensor: &usize| {
        let home = graph.homes.tensor(*tensor);
        home.is_some_and(|home| home.whole == *tensor)
    };
    for tensor in (0..tensors.len()).filter(is_whole) {
        let parts = tensors.iter().enumerate().filter(|&(part, plan)| {
            let home = graph.homes.tensor(part);
            home.is_some_and(|home| home.whole == tensor) && !plan.planes.is_empty()
        });
        let apart = parts.map(|(_, plan)| plan.order.steps()[1]).max();
        let mut readers = graph.readers[tensor].iter();
        let is_read = graph.network.outputs.contains(&tensor)
            || readers.any(|&reader| graph.is_of_host(reader));
        let region = match (tensor, is_read) {
            (0, _) => INPUT,
            (_, true) => OUTPUT,
            (_, false) => SCRATCH,
        };
        let before = all.iter().rfind(|other| other.region == region);
        let end = before.map_or(0, HostTensor::end);
        let (shape, _) = graph.network.tensor(tensor);
        all.push(HostTensor {
            tensor,
            region,
            offset: match region {
                SCRATCH => end.next_multiple_of(LINE),
                _ => end,
            },
            planes: HostPlanes::of(shape, apart.unwrap_or(1)),
        });
    }
    all
}

//! LOADs and STOREs of tensors that lie in the host's memory.
//!
//! A STORE stands behind the first drain of the next layer: the drain of its own has ended then. A LOAD stands where what lay in its place
//! has been read, as early as that is: it waits for nothing that the array does.

use heddle_arch::isa::{Instruction, Move, Wait};
use heddle_arch::transfer::Transfer;

use super::loads::step;
use super::{Part, Step};
use crate::ir::Lowered;
use crate::layout::fills;
use crate::memory::{Placement, Slot, host_transfers};

/// A tensor, and where it moves.
struct Moving {
    tensor: usize,
    stores: bool,
    slot: Slot,
}

/// The steps in their order, with their slots.
pub(super) fn steps(graph: &Lowered, placement: &Placement) -> Vec<(Slot, Step)> {
    let stores = stores(graph, placement);
    let tensors = (0..placement.tensors.len()).filter(|&tensor| graph.is_loaded(tensor));
    let loads = tensors.map(|tensor| load(graph, placement, tensor, &stores));
    let loads: Vec<Moving> = loads.collect();
    let of = |moving: &Moving| transfers(graph, placement, moving);
    // In one slot what lies in a place is stored first, then its halos are cleared.
    let mut steps: Vec<_> = stores.iter().flat_map(of).collect();
    for (tensor, words, partitions) in &placement.cleared {
        let slot = match loads.iter().find(|load| load.tensor == *tensor) {
            Some(load) => load.slot,
            // Of bands the last one: before it the bus has bands of inputs to load.
            None => Slot::Begun(graph.joined.last(*tensor).unwrap_or(*tensor) - 1),
        };
        let partitions: Vec<u32> = (0..*partitions).collect();
        let fills = fills(words, &partitions).into_iter();
        steps.extend(fills.map(|fill| (slot, step(slot, Instruction::Load(moved(fill))))));
    }
    steps.extend(loads.iter().flat_map(of));
    steps
}

fn stores(graph: &Lowered, placement: &Placement) -> Vec<Moving> {
    let is_stored =
        |tensor: &usize| graph.homes.tensor(*tensor).is_some() && graph.is_made(*tensor);
    let tensors = (1..placement.tensors.len()).filter(is_stored);
    let all = tensors.map(|tensor| {
        let next = graph.machine_behind(tensor - 1);
        // What the next layer reads of it has to be loaded before that begins.
        let is_read = |next: &usize| {
            let inputs = graph.network.layers[*next].inputs.iter();
            let loaded = inputs.filter(|input| graph.is_loaded(input.tensor));
            let mut loaded = loaded.map(|input| part(graph, input.tensor));
            loaded.any(|loaded| loaded.meets(&part(graph, tensor)))
        };
        let slot = next.filter(|next| graph.overlapped[tensor] && !is_read(next));
        Moving {
            tensor,
            stores: true,
            slot: slot.map_or(Slot::End(tensor - 1), Slot::Begun),
        }
    });
    all.collect()
}

/// A LOAD of a tensor behind these STOREs.
fn load(graph: &Lowered, placement: &Placement, tensor: usize, stores: &[Moving]) -> Moving {
    let machine = |layer: &usize| graph.constants.hosts[*layer].is_none();
    let mut readers = graph.readers[tensor].iter().copied();
    let reader = readers.find(machine).expect("the machine reads it");
    let place = placement.tensors[tensor].range();
    let meets = |other: usize| {
        let other = placement.tensors[other].range();
        !other.is_empty() && other.start < place.end && place.start < other.end
    };
    let touches = |layer: &usize| {
        let inputs = graph.network.layers[*layer].inputs.iter();
        let mut tensors = inputs.map(|input| input.tensor).chain([layer + 1]);
        tensors.any(meets)
    };
    // Behind the layers that read or write there, when the next one has begun.
    let last = (0..reader).filter(machine).rfind(touches);
    let mut slot = match last {
        None => Slot::Before((0..).find(machine).unwrap_or(reader)),
        Some(last) => match graph.machine_behind(last) {
            Some(next) if next < reader => Slot::Begun(next),
            _ => Slot::Before(reader),
        },
    };
    // Behind STOREs from there, and of what it loads.
    let own = part(graph, tensor);
    for store in stores
        .iter()
        .filter(|store| store.slot < Slot::Before(reader))
    {
        if part(graph, store.tensor).meets(&own) {
            slot = slot.max(Slot::End(store.slot.layer()));
        } else if meets(store.tensor) {
            slot = slot.max(store.slot);
        }
    }
    Moving {
        tensor,
        stores: false,
        slot: slot.min(Slot::Before(reader)),
    }
}

/// What a tensor is of the one in the host's memory.
fn part(graph: &Lowered, tensor: usize) -> Part {
    let home = graph.homes.tensor(tensor).expect("it lies in memory");
    let (shape, _) = graph.network.tensor(tensor);
    let [channel, row] = home.first;
    Part {
        whole: home.whole,
        channels: channel..channel + shape.channels,
        rows: row..row + shape.height,
    }
}

fn transfers(graph: &Lowered, placement: &Placement, moving: &Moving) -> Vec<(Slot, Step)> {
    let &Moving {
        tensor,
        stores,
        slot,
    } = moving;
    let home = graph.homes.tensor(tensor).expect("it lies in memory");
    let mut wholes = placement.host.iter();
    let whole = wholes.find(|whole| whole.tensor == home.whole);
    let whole = whole.expect("the whole lies in memory");
    let of = (graph, &placement.tensors[tensor]);
    let transfers = host_transfers(of, tensor, whole, stores).into_iter();
    let steps = transfers.map(|transfer| {
        let instruction = match stores {
            true => Instruction::Store(moved(transfer)),
            false => Instruction::Load(moved(transfer)),
        };
        let step = Step {
            part: Some(part(graph, tensor)),
            ..step(slot, instruction)
        };
        (slot, step)
    });
    steps.collect()
}

fn moved(transfer: Transfer) -> Move {
    Move {
        wait: Wait::default(),
        transfer,
    }
}

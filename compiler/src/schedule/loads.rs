//! LOADs and STOREs of the program among the instructions of the layers.

use std::iter::Peekable;
use std::vec::IntoIter;

use heddle_arch::isa::{Instruction, Move, Wait};
use heddle_arch::transfer::{Space, Transfer, Walk};
use heddle_arch::word::WORD_BYTES;

use super::{Schedule, Step, Unit};
use crate::memory::{Moved, Slot};

impl Schedule {
    /// Adds LOADs and STOREs at their slots; never in front of a drain, whose product does not wait for it.
    pub(crate) fn insert(&mut self, mut moves: Vec<(Slot, Step)>) {
        moves.sort_by_key(|(slot, _)| *slot);
        let mut moves = moves.into_iter().peekable();
        let mut steps = std::mem::take(&mut self.steps).into_iter().peekable();
        let (mut weights, mut drains) = (None, None);
        let mut last = None;
        let mut due = Vec::new();
        while let Some(step) = steps.next() {
            let (layer, unit) = (step.layer, step.unit);
            if last.replace(layer) != Some(layer) {
                self.take(&mut moves, Slot::Before(layer));
            }
            self.steps.push(step);
            for (begun, first, slot) in [
                (&mut weights, Unit::Weights, Slot::Behind(layer)),
                (&mut drains, Unit::Drain, Slot::Begun(layer)),
            ] {
                if unit == first && begun.replace(layer) != Some(layer) {
                    due.push(slot);
                }
            }
            let next = steps.peek().filter(|next| next.layer == layer);
            if next.is_none() {
                due.push(Slot::End(layer));
            }
            if next.is_none_or(|next| next.unit != Unit::Drain) {
                due.drain(..).for_each(|slot| self.take(&mut moves, slot));
            }
        }
        assert!(moves.next().is_none(), "every LOAD and STORE has a place");
    }

    fn take(&mut self, moves: &mut Peekable<IntoIter<(Slot, Step)>>, slot: Slot) {
        while let Some((_, step)) = moves.next_if(|(at, _)| *at == slot) {
            self.steps.push(step);
        }
    }
}

/// What the program loads of weights. Offsets are those of the words of all of them, one behind the other.
pub(super) fn weights(moved: &[Moved]) -> Vec<(Slot, Step)> {
    let mut offset = 0;
    let steps = moved.iter().map(|load| {
        let own = offset;
        offset += WORD_BYTES * load.words() as u32;
        (load.slot, load_weights(load, own))
    });
    steps.collect()
}

fn load_weights(load: &Moved, offset: u32) -> Step {
    let count = load.words.len() as u32;
    let (partitions, rows) = match load.rows {
        1 => (0, Walk::ONCE),
        rows => {
            let pitch = WORD_BYTES * count;
            let (count, step) = (rows, 0);
            (2, Walk { count, step, pitch })
        }
    };
    let transfer = Transfer {
        space: Space::Buffer,
        region: 0,
        fill: false,
        partitions,
        zero: 0,
        offset,
        place: [load.words.start, 0],
        loops: [
            Walk::inner(Space::Buffer, false, count, 1),
            rows,
            Walk::ONCE,
        ],
    };
    let instruction = Instruction::Load(Move {
        wait: Wait::default(),
        transfer,
    });
    step(load.slot, instruction)
}

/// A LOAD or STORE.
pub(super) fn step(slot: Slot, instruction: Instruction) -> Step {
    let (unit, bytes) = super::reach(&instruction, &[]).expect("it has a unit");
    Step {
        layer: slot.layer(),
        unit,
        instruction,
        bytes,
        part: None,
        after: Vec::new(),
    }
}

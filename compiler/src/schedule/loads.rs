//! LOADs of the program among the instructions of the layers.

use heddle_arch::isa::{Instruction, Move, Wait};
use heddle_arch::transfer::{Space, Transfer, Walk};
use heddle_arch::word::WORD_BYTES;

use super::{Schedule, Step, Unit};
use crate::memory::{Moved, Slot};

impl Schedule {
    /// Adds what the program loads, in its order. Offsets are those of the words of all of them, one behind the other.
    pub(crate) fn load(&mut self, moved: &[Moved]) {
        let mut offset = 0;
        let mut moved = moved.iter().peekable();
        let mut take = |steps: &mut Vec<Step>, slot: Slot| {
            while let Some(load) = moved.next_if(|load| load.slot == slot) {
                steps.push(step(load, slot, offset));
                offset += WORD_BYTES * load.words() as u32;
            }
        };
        let steps = std::mem::take(&mut self.steps);
        let mut last = None;
        let mut begun = None;
        for step in steps {
            let layer = step.layer;
            if last != Some(layer) {
                last = Some(layer);
                take(&mut self.steps, Slot::Before(layer));
            }
            let begins = step.unit == Unit::Weights && begun != Some(layer);
            self.steps.push(step);
            if begins {
                begun = Some(layer);
                take(&mut self.steps, Slot::Behind(layer));
            }
        }
        debug_assert!(moved.next().is_none(), "every LOAD has a place");
    }
}

fn step(load: &Moved, slot: Slot, offset: u32) -> Step {
    let (Slot::Before(layer) | Slot::Behind(layer)) = slot;
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
    let (unit, bytes) = super::reach(&instruction, &[]).expect("a LOAD has a unit");
    Step {
        layer,
        unit,
        instruction,
        bytes,
        after: Vec::new(),
    }
}

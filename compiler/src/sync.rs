//! The third stage: which dependencies the machine keeps by itself, and what the others make of the
//! instructions: waiting.
//!
//! The machine takes instructions in order; one waits for the unit that it starts. Products wait for their
//! weights, results for nothing else than an address, and a product's operands are read before the results of
//! any later one are written. So only data that a drain writes ask for more: whoever reads them must not
//! start before the drain unit is idle, unless a later drain has been started in between.

use std::ops::Range;

use heddle_arch::isa::{Instruction, Wait};

use crate::schedule::{Reason, Schedule, Unit};

/// What became of the dependencies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SyncCount {
    /// All of them.
    pub dependencies: usize,
    /// Kept by the machine: order of a unit, weights, addresses, order of the stream.
    pub kept_by_the_machine: usize,
    /// Follow from another instruction's waiting.
    pub redundant: usize,
    /// Instructions that wait because of the rest.
    pub waits: usize,
}

/// The instructions of some layers, which wait where they must. What they need of other layers is there when
/// they start.
pub(crate) fn synchronise(
    schedule: &Schedule,
    layers: Range<usize>,
) -> (Vec<Instruction>, SyncCount) {
    let mut count = SyncCount::default();
    let mut instructions = Vec::new();
    let steps = schedule.steps.iter().enumerate();
    let mut steps = steps
        .filter(|(_, step)| layers.contains(&step.layer))
        .peekable();
    // Drains before this step are done when the instruction at hand starts.
    let mut drained = steps.peek().map_or(0, |&(first, _)| first);
    let mut last_drain = None;
    for (index, step) in steps {
        let mut instruction = step.instruction.clone();
        if step.unit == Unit::Drain {
            // It has waited for the one before.
            drained = index;
            last_drain = Some(index);
        }
        let mut waits = false;
        for dependency in &step.after {
            count.dependencies += 1;
            match dependency.reason {
                Reason::Data if dependency.on >= drained => waits = true,
                Reason::Data => count.redundant += 1,
                _ => count.kept_by_the_machine += 1,
            }
        }
        if waits {
            count.waits += 1;
            let wait = Wait {
                drain: true,
                ..instruction.wait()
            };
            set_wait(&mut instruction, wait);
            drained = last_drain.map_or(drained, |drain| drain + 1);
        }
        instructions.push(instruction);
    }
    (instructions, count)
}

fn set_wait(instruction: &mut Instruction, new: Wait) {
    match instruction {
        Instruction::Halt { wait }
        | Instruction::LoadWeights { wait, .. }
        | Instruction::Matmul { wait, .. }
        | Instruction::Drain { wait, .. } => *wait = new,
    }
}

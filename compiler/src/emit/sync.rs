//! The third stage: which dependencies the machine keeps by itself, and what the others make of the
//! instructions: waiting.
//!
//! The machine takes instructions in order; one waits for the unit that it starts. Products wait for their
//! weights, results for nothing else than an address, and a product's operands and weights are read before the
//! results of any later one are written. So data that a drain writes ask for more: whoever reads them must not
//! start before the drain unit is idle, unless a later drain has been started in between. And weights that are
//! loaded ahead of other products must be read before the results of these are written over them.

use std::ops::Range;

use heddle_arch::isa::fields::header;
use heddle_arch::isa::{Instruction, Wait};

use crate::cost::posted_slots;
use crate::schedule::{Reason, Schedule, Step, Unit};

/// Loads or stores that may be open behind a wait, at most.
const OPEN_MAX: usize = header::LOADS.get(u32::MAX) as usize;

/// What became of the dependencies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SyncCount {
    /// All of them.
    pub dependencies: usize,
    /// Kept by the machine: order of a unit, weights, addresses, order of the stream.
    pub kept_by_the_machine: usize,
    /// Follow from another instruction's waiting.
    pub redundant: usize,
    /// Waits that the rest has made.
    pub waits: usize,
}

impl Schedule {
    /// The instructions of all layers as one run, without HALT.
    #[must_use]
    pub fn instructions(&self) -> (Vec<Instruction>, SyncCount) {
        synchronise(self, 0..self.layers.len())
    }
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
    // Drains before this step are done when the instruction at hand starts, loads and products before the others.
    let first = steps.peek().map_or(0, |&(first, _)| first);
    let (mut drained, mut loaded, mut streamed) = (first, first, first);
    let mut behind = [first; Unit::COUNT];
    let (mut loads, mut stores) = (Moves::default(), Moves::default());
    // The last drain whose results come from the sparse cluster.
    let mut of_cluster = None;
    for (index, step) in steps {
        match step.unit {
            // It waits for the one before.
            Unit::Drain => {
                drained = drained.max(behind[Unit::Drain as usize]);
                let done = products_of_drains(schedule, drained, index);
                streamed = streamed.max(done.0);
                loaded = loaded.max(done.1);
            }
            Unit::Weights => loaded = loaded.max(behind[Unit::Weights as usize]),
            Unit::Stream => streamed = streamed.max(behind[Unit::Stream as usize]),
            Unit::Cluster => of_cluster = drain_of(step).or(of_cluster),
            Unit::Load | Unit::Store => {}
        }
        // Sums of the array and of the cluster must not meet.
        let meets = step.unit == Unit::Stream && posted_slots(&step.instruction) > 0;
        let mut wait = Wait {
            drain: step.instruction.wait().drain
                || meets && of_cluster.is_some_and(|on| on >= drained),
            ..Wait::default()
        };
        for dependency in &step.after {
            count.dependencies += 1;
            let on = dependency.on;
            let load = schedule.steps[on].unit == Unit::Weights;
            match dependency.reason {
                Reason::Data | Reason::Reuse if schedule.steps[on].unit == Unit::Store => {
                    count.redundant += usize::from(!stores.wait_for(on, &mut wait.stores));
                }
                Reason::Data | Reason::Reuse if step.unit == Unit::Load => {
                    let unit = schedule.steps[on].unit;
                    let (is_done, waits) = match unit {
                        Unit::Weights => (on < loaded, &mut wait.weights),
                        Unit::Stream => (on < streamed, &mut wait.stream),
                        Unit::Drain => (on < drained, &mut wait.drain),
                        _ => continue,
                    };
                    // A later start tells that the unit was idle.
                    match (is_done, on + 1 < behind[unit as usize]) {
                        (true, _) => count.redundant += 1,
                        (false, true) => count.kept_by_the_machine += 1,
                        (false, false) => *waits = true,
                    }
                }
                Reason::Data if schedule.steps[on].unit == Unit::Load => {
                    count.redundant += usize::from(!loads.wait_for(on, &mut wait.loads));
                }
                // A copy waits for a drain that is under way; whoever reads the copy waits for it.
                Reason::Data if step.copies() => count.kept_by_the_machine += 1,
                Reason::Data if schedule.steps[on].copies() => {
                    match step.unit == Unit::Stream && on >= loaded {
                        true => wait.weights = true,
                        false => count.kept_by_the_machine += 1,
                    }
                }
                Reason::Reuse if step.copies() && !load && on >= streamed => wait.stream = true,
                Reason::Data if on >= drained => wait.drain = true,
                Reason::Reuse
                    if load
                        && !step.copies()
                        && on >= loaded
                        && !used_before(schedule, on, index) =>
                {
                    wait.weights = true;
                }
                Reason::Bank if load && on >= loaded => wait.weights = true,
                Reason::Bank if !load && on >= streamed => wait.stream = true,
                Reason::Data | Reason::Bank => count.redundant += 1,
                _ => count.kept_by_the_machine += 1,
            }
        }
        if wait.drain {
            drained = behind[Unit::Drain as usize];
        }
        if wait.weights {
            loaded = behind[Unit::Weights as usize];
        }
        if wait.stream {
            streamed = behind[Unit::Stream as usize];
        }
        let moves = [wait.loads, wait.stores].map(|open| open.is_some());
        let waits = [wait.drain, wait.weights, wait.stream]
            .into_iter()
            .chain(moves);
        count.waits += waits.filter(|&waits| waits).count();
        match step.unit {
            Unit::Load => loads.steps.push(index),
            Unit::Store => stores.steps.push(index),
            _ => {}
        }
        let mut instruction = step.instruction.clone();
        *instruction.wait_mut() = wait;
        instructions.push(instruction);
        behind[step.unit as usize] = index + 1;
    }
    (instructions, count)
}

/// Loads or stores of the program, which are done in their order.
#[derive(Default)]
struct Moves {
    /// The steps of all so far.
    steps: Vec<usize>,
    /// How many of them something has waited for.
    done: usize,
}

impl Moves {
    /// Waits until so few are open that this one is done; false if that is known. Those in front of these steps are done.
    fn wait_for(&mut self, step: usize, wait: &mut Option<u8>) -> bool {
        let needed = self.steps.partition_point(|&moved| moved <= step);
        if needed <= self.done {
            return false;
        }
        let open = (self.steps.len() - needed).min(OPEN_MAX);
        self.done = self.steps.len() - open;
        let open = open as u8;
        *wait = Some(wait.map_or(open, |most| open.min(most)));
        true
    }
}

/// The drain whose addresses a drain of the sparse cluster takes.
fn drain_of(step: &Step) -> Option<usize> {
    let mut after = step.after.iter();
    after.find(|d| d.reason == Reason::Addresses).map(|d| d.on)
}

/// Products that must be done, and with them their loads, when the drains before step `drained` are: those that gave
/// the last of these drains its results, as far as they stand before step `index`. Gives the steps behind them.
fn products_of_drains(schedule: &Schedule, drained: usize, index: usize) -> (usize, usize) {
    let Some(drain) = drained.checked_sub(1) else {
        return (0, 0);
    };
    let on = |step: &Step, reason| {
        let after = step.after.iter().filter(move |d| d.reason == reason);
        after.map(|d| d.on).max()
    };
    let mut products = schedule.steps[..index].iter().enumerate().skip(drain).rev();
    let last = products
        .find(|(_, step)| step.unit == Unit::Stream && on(step, Reason::Addresses) == Some(drain));
    last.map_or((0, 0), |(last, step)| {
        let loads = on(step, Reason::Weights);
        (last + 1, loads.map_or(0, |load| load + 1))
    })
}

/// The weights of a load are in the array before results of a drain can come: no product behind the first one
/// that drains there uses them.
fn used_before(schedule: &Schedule, load: usize, drain: usize) -> bool {
    let products = schedule.steps.iter().enumerate().skip(load);
    let mut products = products.filter(|(_, step)| step.unit == Unit::Stream);
    let uses = |step: &Step| {
        let mut after = step.after.iter();
        after.any(|d| d.on == load && d.reason == Reason::Weights)
    };
    let last = products.clone().rfind(|(_, step)| uses(step));
    let first_drained = products.find(|&(index, _)| index > drain);
    match (last, first_drained) {
        (Some((last, _)), Some((first, _))) => last <= first,
        (None, _) => false,
        (Some(_), None) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::Dependency;
    use heddle_arch::isa::{Drain, LoadWeights, Matmul};

    fn step(instruction: Instruction, after: &[(usize, Reason)]) -> Step {
        let unit = match instruction {
            Instruction::Drain(_) => Unit::Drain,
            Instruction::LoadWeights(_) => Unit::Weights,
            _ => Unit::Stream,
        };
        let after = after.iter().map(|&(on, reason)| Dependency { on, reason });
        Step {
            layer: 0,
            unit,
            instruction,
            bytes: 0..8,
            part: None,
            after: after.collect(),
        }
    }

    /// What the last of these steps waits for.
    fn last_wait(steps: Vec<Step>) -> Wait {
        let layers = vec![String::new()];
        let (mut instructions, _) = Schedule { layers, steps }.instructions();
        *instructions.last_mut().expect("a step").wait_mut()
    }

    #[test]
    fn data_of_the_first_drain_that_is_not_known_to_be_done_are_waited_for() {
        let drain = || step(Instruction::Drain(Drain::default()), &[]);
        let product = Instruction::Matmul(Matmul::default());
        // The second drain started when the first was done, and nothing tells that it is done itself.
        let after_second = step(product.clone(), &[(1, Reason::Data)]);
        assert!(last_wait(vec![drain(), drain(), after_second]).drain);
        let after_first = step(product, &[(0, Reason::Data)]);
        assert!(!last_wait(vec![drain(), drain(), after_first]).drain);
    }

    #[test]
    fn the_bank_of_the_first_load_that_is_not_known_to_be_done_is_waited_for() {
        let load = || step(Instruction::LoadWeights(LoadWeights::default()), &[]);
        let product = Instruction::Matmul(Matmul::default());
        let after_second = step(product.clone(), &[(1, Reason::Bank)]);
        assert!(last_wait(vec![load(), load(), after_second]).weights);
        let after_first = step(product, &[(0, Reason::Bank)]);
        assert!(!last_wait(vec![load(), load(), after_first]).weights);
    }
}

//! Which steps must wait for which.

use heddle_arch::isa::{Instruction, LoadWeights, Matmul, ROW_TENSOR};

use super::{Dependency, Reason, Schedule, Unit};
use crate::cost::{drained_slots, k_tiles, posted_slots, row_loops};

impl Schedule {
    /// Finds all dependencies.
    pub(crate) fn connect(&mut self) {
        let tiles = self.weight_tiles();
        let drains = self.drains();
        let mut last: [Option<usize>; Unit::COUNT] = [None; Unit::COUNT];
        for (index, loads) in tiles.into_iter().enumerate() {
            let step = &self.steps[index];
            let before = |on: Option<usize>, reason| on.map(|on| Dependency { on, reason });
            let mut after: Vec<Dependency> = self.conflicts(index);
            after.extend(before(last[step.unit as usize], Reason::Unit));
            after.extend(loads.into_iter().map(|on| Dependency {
                on,
                reason: Reason::Weights,
            }));
            after.extend(drains[index].iter().map(|&on| Dependency {
                on,
                reason: Reason::Addresses,
            }));
            last[step.unit as usize] = Some(index);
            after.sort_unstable();
            self.steps[index].after = after;
            self.wait_before_results(index);
        }
    }

    /// Results find no address while a drain waits: what it writes over must have been stored when its product begins.
    fn wait_before_results(&mut self, drain: usize) {
        let is = |index: usize, unit| self.steps[index].unit == unit;
        if !is(drain, Unit::Drain) {
            return;
        }
        let before = (0..drain).rfind(|&step| is(step, Unit::Drain));
        let first = before.map_or(0, |before| before + 1);
        let Some(product) = (first..drain).find(|&step| is(step, Unit::Stream)) else {
            return;
        };
        let after = std::mem::take(&mut self.steps[drain].after);
        let is_store = |d: &Dependency| self.steps[d.on].unit == Unit::Store && d.on < product;
        let (stores, own) = after.into_iter().partition(is_store);
        self.steps[drain].after = own;
        let stores: Vec<Dependency> = stores;
        let before = &mut self.steps[product].after;
        before.extend(stores);
        before.sort_unstable();
        before.dedup();
    }

    /// Earlier steps that write what a step reads, or read what it writes.
    fn conflicts(&self, index: usize) -> Vec<Dependency> {
        let step = &self.steps[index];
        let before = (0..index).filter_map(|on| {
            let other = &self.steps[on];
            let common = other.bytes.start < step.bytes.end && step.bytes.start < other.bytes.end;
            if let (Some(own), Some(there)) = (&step.part, &other.part)
                && (step.unit, other.unit) == (Unit::Load, Unit::Store)
                && own.meets(there)
            {
                let reason = Reason::Data;
                return Some(Dependency { on, reason });
            }
            let reason = match (
                other.writes() && step.reads(),
                other.reads() && step.writes(),
            ) {
                (true, _) => Reason::Data,
                (false, true) => Reason::Reuse,
                (false, false) => return None,
            };
            common.then_some(Dependency { on, reason })
        });
        before.collect()
    }

    /// For every product the loads whose tiles it uses.
    fn weight_tiles(&self) -> Vec<Vec<usize>> {
        let mut waiting = std::collections::VecDeque::new();
        let mut used = vec![Vec::new(); self.steps.len()];
        for (index, step) in self.steps.iter().enumerate() {
            match &step.instruction {
                Instruction::LoadWeights(LoadWeights {
                    record, tile_level, ..
                }) => {
                    let tiles = k_tiles(record, 0, *tile_level);
                    waiting.push_back((index, tiles));
                }
                Instruction::Matmul(Matmul {
                    record,
                    tile_level,
                    repeat,
                    cluster: false,
                    ..
                }) => {
                    let times = repeat.map_or(1, |repeat| u64::from(repeat.times));
                    let mut needed = match row_loops(record, ROW_TENSOR) {
                        Some(_) => times * k_tiles(record, ROW_TENSOR, *tile_level),
                        None => 0,
                    };
                    while needed > 0 {
                        let Some((load, tiles)) = waiting.front_mut() else {
                            break;
                        };
                        let taken = needed.min(*tiles);
                        used[index].push(*load);
                        (needed, *tiles) = (needed - taken, *tiles - taken);
                        if *tiles == 0 {
                            waiting.pop_front();
                        }
                    }
                }
                _ => {}
            }
        }
        used
    }

    /// For every product, and every drain of the sparse cluster, that goes to post the drains before it whose addresses its results take. A drain may also
    /// come after the product, in time for its results.
    fn drains(&self) -> Vec<Vec<usize>> {
        let mut used = vec![Vec::new(); self.steps.len()];
        let numbered = || self.steps.iter().enumerate();
        let mut drains = numbered().filter_map(|(index, step)| {
            let slots = drained_slots(&step.instruction)?;
            Some((index, slots))
        });
        let mut open: Option<(usize, u64)> = None;
        for (index, step) in numbered() {
            let mut needed = posted_slots(&step.instruction);
            while needed > 0 {
                let Some((drain, slots)) = open.take().or_else(|| drains.next()) else {
                    return used;
                };
                if drain < index {
                    used[index].push(drain);
                }
                let taken = needed.min(slots);
                needed -= taken;
                open = (slots > taken).then_some((drain, slots - taken));
            }
        }
        used
    }
}

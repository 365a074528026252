//! Weights and operands that lie in one bank: a bank has one read port, so they are read one after the other.

use super::{Dependency, Reason, Schedule, Step, Unit};

impl Schedule {
    /// Adds the dependencies of loads and products that read the same bank, behind those of
    /// [`Schedule::connect`]. Networks without matrices have none: their weights have banks of their own.
    pub(crate) fn connect_banks(&mut self, bank_bytes: u32) {
        let banks =
            |step: &Step| step.bytes.start / bank_bytes..step.bytes.end.div_ceil(bank_bytes);
        for index in 0..self.steps.len() {
            let step = &self.steps[index];
            let other = match step.unit {
                Unit::Weights => Unit::Stream,
                Unit::Stream => Unit::Weights,
                _ => continue,
            };
            let own = banks(step);
            let meets = |earlier: &Step| {
                let theirs = banks(earlier);
                earlier.unit == other && own.start < theirs.end && theirs.start < own.end
            };
            let before = (0..index).filter(|&on| meets(&self.steps[on]));
            let mut after = step.after.clone();
            after.extend(before.map(|on| Dependency {
                on,
                reason: Reason::Bank,
            }));
            after.sort_unstable();
            self.steps[index].after = after;
        }
    }
}

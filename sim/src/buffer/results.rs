//! The clocked results buffer: one memory of sums per column.

use crate::delay::DelayLine;

/// One position of the results wave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ResultSlot {
    /// The slot holds a vector.
    pub valid: bool,
    /// Results bank.
    pub bank: bool,
    /// Address within the bank.
    pub address: u16,
    /// Add the stored value.
    pub add: bool,
    /// Add the array's sum.
    pub sum_enable: bool,
    /// Store the result.
    pub write: bool,
    /// The array's sum is raised, see [`raised`].
    pub raised: bool,
}

/// What a raised sum counts: 2^17 times, plus 2^16.
pub fn raised(sum: i32) -> i32 {
    sum.wrapping_mul(1 << 17).wrapping_add(1 << 16)
}

/// Inputs of one column in one clock cycle.
#[derive(Debug, Clone, Copy, Default)]
pub struct ResultInputs {
    /// Results wave.
    pub slot: ResultSlot,
    /// Sum of the array for the slot of two cycles ago.
    pub sum: i32,
}

/// Outputs of one column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ResultColumnOutputs {
    /// Results wave for the next column.
    pub next: ResultSlot,
    /// Result of the slot of three cycles ago; none where the hardware may drive anything.
    pub acc: Option<i32>,
}

/// One column. Slots act one after another, which is what forwarding must achieve.
#[derive(Debug, Clone)]
pub struct ResultColumnModel {
    banks: [Vec<i32>; 2],
    next: DelayLine<ResultSlot>,
    slots: DelayLine<ResultSlot>,
    results: DelayLine<Option<i32>>,
}

impl ResultColumnModel {
    /// A column with two banks of `depth` sums. They start at zero here; in the hardware they are
    /// undefined until written.
    pub fn new(depth: usize) -> Self {
        Self {
            banks: [vec![0; depth], vec![0; depth]],
            next: DelayLine::new(1),
            slots: DelayLine::new(2),
            results: DelayLine::new(1),
        }
    }

    /// One clock cycle: returns the outputs of this cycle, then takes the clock edge.
    ///
    /// # Panics
    /// If a valid slot's address lies outside the bank.
    pub fn step(&mut self, inputs: &ResultInputs) -> ResultColumnOutputs {
        let slot = self.slots.shift(inputs.slot);
        let result = slot.valid.then(|| {
            let stored = &mut self.banks[usize::from(slot.bank)][usize::from(slot.address)];
            let kept = if slot.add { *stored } else { 0 };
            let sum = match slot.sum_enable {
                true if slot.raised => raised(inputs.sum),
                true => inputs.sum,
                false => 0,
            };
            let result = kept.wrapping_add(sum);
            if slot.write {
                *stored = result;
            }
            result
        });
        ResultColumnOutputs {
            next: self.next.shift(inputs.slot),
            acc: self.results.shift(result),
        }
    }
}

/// The chain of columns.
#[derive(Debug, Clone)]
pub struct ResultsBufferModel {
    columns: Vec<ResultColumnModel>,
}

impl ResultsBufferModel {
    /// `cols` columns with two banks of `depth` sums each.
    pub fn new(cols: usize, depth: usize) -> Self {
        Self {
            columns: vec![ResultColumnModel::new(depth); cols],
        }
    }

    /// One clock cycle with the slot that enters the first column and the sums of all columns:
    /// returns the result of each column, then takes the clock edge.
    ///
    /// # Panics
    /// If `sums` does not have one entry per column.
    pub fn step(&mut self, slot: &ResultSlot, sums: &[i32]) -> Vec<Option<i32>> {
        let mut slot = *slot;
        let mut results = Vec::with_capacity(self.columns.len());
        for (column, sum) in self.columns.iter_mut().zip(sums) {
            let outputs = column.step(&ResultInputs { slot, sum: *sum });
            slot = outputs.next;
            results.push(outputs.acc);
        }
        assert_eq!(results.len(), self.columns.len(), "one sum per column");
        results
    }
}

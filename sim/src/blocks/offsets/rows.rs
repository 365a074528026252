//! The clock in which each row shows each slot.

use super::run::{Run, Slot};

/// What a row shows in one clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RowOutputs {
    /// A step is in the row.
    pub valid: bool,
    /// Byte address, if the row reads.
    pub address: Option<u32>,
    /// First step of a pass.
    pub first: bool,
    /// Last step of a pass.
    pub last: bool,
}

/// What the unit shows in one clock.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RowsOutputs {
    /// All rows.
    pub rows: Vec<RowOutputs>,
    /// The slot in row 0, if there is one.
    pub head: Option<Slot>,
    /// There is a slot in a row.
    pub occupied: bool,
    /// The head has sent its last slot, and it has left the last row.
    pub finished: bool,
}

/// The rows of a unit while it runs. The first clock is the one with the first slot at the head.
#[derive(Debug, Clone)]
pub struct RowsModel {
    run: Run,
    broadcast: bool,
    sent: usize,
    /// The slot in each row; with broadcast all rows have that of row 0.
    slots: Vec<Option<usize>>,
}

impl RowsModel {
    /// Empty rows, and a run at their head.
    pub fn new(run: Run, rows: usize, broadcast: bool) -> Self {
        Self {
            run,
            broadcast,
            sent: 0,
            slots: vec![None; rows],
        }
    }

    /// The run.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// Slots that have left the head.
    pub fn sent(&self) -> usize {
        self.sent
    }

    /// What the rows show in this clock.
    pub fn outputs(&self) -> RowsOutputs {
        let slot = |index: Option<usize>| index.map(|index| &self.run.slots[index]);
        let row = |(row, index): (usize, &Option<usize>)| match slot(*index) {
            Some(slot) if slot.is_step() => RowOutputs {
                valid: true,
                address: slot.rows[row],
                first: slot.first,
                last: slot.last,
            },
            _ => RowOutputs::default(),
        };
        let occupied = self.slots.iter().any(Option::is_some);
        RowsOutputs {
            rows: self.slots.iter().enumerate().map(row).collect(),
            head: slot(self.slots[0]).cloned(),
            occupied,
            finished: !occupied && self.sent == self.run.slots.len(),
        }
    }

    /// The clock edge; `ready` as it was in this clock.
    pub fn step(&mut self, ready: bool) {
        let next = (self.sent < self.run.slots.len()).then_some(self.sent);
        if self.broadcast {
            let held = self.slots[0].is_some_and(|index| self.run.slots[index].is_step());
            if held && !ready {
                return;
            }
            self.slots.fill(next);
            self.sent += usize::from(next.is_some());
            return;
        }
        let next = next.filter(|_| ready);
        self.slots.rotate_right(1);
        self.slots[0] = next;
        self.sent += usize::from(next.is_some());
    }
}

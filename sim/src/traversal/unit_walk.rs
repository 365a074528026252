//! The untimed sequence of the stand-alone unit: kinds, attached rows, three end tests, windows.
//!
//! Written from `docs/traversal.md`; [`super::walk`] is the smaller sequence of the machine's units.

use std::collections::VecDeque;

use heddle_arch::traverse::{EndTest, Row, RowKind, Run};

/// Registers of one loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UnitLoop {
    /// V: offset at the start and after each wrap.
    pub initial: u64,
    /// X: added to the offset after each iteration.
    pub step: u64,
    /// Y; without one the loop has one iteration.
    pub end: Option<u64>,
}

/// Registers and role of one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitRow {
    /// Number of the row.
    pub number: usize,
    /// What it walks.
    pub kind: RowKind,
    /// Loop of the tensor that it belongs to; `None`: the whole traversal.
    pub attach: Option<usize>,
    /// End test of its loops.
    pub test: EndTest,
    /// Base address.
    pub base: u64,
    /// All N loops of the unit, innermost first.
    pub loops: Vec<UnitLoop>,
}

impl UnitRow {
    /// The row of an instruction in a unit of `loops` loops, at least as many as the row has.
    pub fn of(row: &Row, loops: usize) -> UnitRow {
        let mut registers: Vec<UnitLoop> = row
            .loops
            .iter()
            .map(|l| UnitLoop {
                initial: l.initial.into(),
                step: l.step.into(),
                end: Some(l.end.into()),
            })
            .collect();
        registers.resize(loops, UnitLoop::default());
        UnitRow {
            number: row.row.into(),
            kind: row.kind,
            attach: row.attach.map(usize::from),
            test: row.test,
            base: row.base.into(),
            loops: registers,
        }
    }
}

/// One element of the sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitElement {
    /// Number of the row the address belongs to.
    pub row: usize,
    /// What the row walks.
    pub kind: RowKind,
    /// Base (unless offset only) plus all offsets, modulo 2^A.
    pub address: u64,
    /// Offsets of the row's N loops while the address is formed, innermost first.
    pub offsets: Vec<u64>,
    /// Per loop: it is in its last iteration.
    pub finals: Vec<bool>,
    /// Per loop c: loops 0..=c are in their last iteration.
    pub levels: Vec<bool>,
    /// Last address of this run of the row.
    pub last: bool,
    /// Last address of the traversal.
    pub end: bool,
}

/// Iterator over the whole traversal.
#[derive(Debug, Clone)]
pub struct UnitWalk {
    rows: Vec<UnitRow>,
    run: Run,
    offset_modulus: u64,
    address_modulus: u64,
    /// Z of each row of the record.
    offsets: Vec<Vec<u64>>,
    /// Finished iterations of each loop of each row of the record.
    iterations: Vec<Vec<u64>>,
    /// Rows of the record that are still due as far as known, the first one being under way.
    due: VecDeque<usize>,
    outside: bool,
}

impl UnitWalk {
    /// Walks rows in the order of the record: legal ones, all with the same number of loops.
    pub fn new(rows: Vec<UnitRow>, run: Run, offset_bits: u32, address_bits: u32) -> UnitWalk {
        let attached = rows.iter().any(|r| r.attach.is_some());
        // Beside attached rows the epilogues become due at wraps of the one tensor.
        let due = (0..rows.len())
            .filter(|i| !(attached && rows[*i].kind == RowKind::Epilogue))
            .collect();
        let initial = |r: &UnitRow| r.loops.iter().map(|l| l.initial).collect();
        UnitWalk {
            offsets: rows.iter().map(initial).collect(),
            iterations: rows.iter().map(|r| vec![0; r.loops.len()]).collect(),
            due,
            rows,
            run,
            offset_modulus: 1 << offset_bits,
            address_modulus: 1 << address_bits,
            outside: false,
        }
    }

    /// Rows in the order of the record.
    pub fn rows(&self) -> &[UnitRow] {
        &self.rows
    }

    /// Offsets of the rows, in the order of the record: those of the next address in the row under
    /// way, the initial ones in all others.
    pub fn offsets(&self) -> &[Vec<u64>] {
        &self.offsets
    }

    /// True once an address was outside the window: the sequence ended before it.
    pub fn outside(&self) -> bool {
        self.outside
    }

    /// Per loop of a row: this is its last iteration.
    fn finals(&self, index: usize) -> Vec<bool> {
        let row = &self.rows[index];
        (0..row.loops.len())
            .map(|c| {
                let candidate = self.offsets[index][c] + row.loops[c].step;
                let Some(end) = row.loops[c].end else {
                    return true;
                };
                match row.test {
                    EndTest::AtLeast => candidate >= end,
                    EndTest::Equal => candidate % self.offset_modulus == end,
                    EndTest::Trips => self.iterations[index][c] + 1 == end,
                }
            })
            .collect()
    }

    /// Steps the loops of a row; gives how many of them wrapped.
    fn advance(&mut self, index: usize, finals: &[bool]) -> usize {
        for (c, l) in self.rows[index].loops.iter().enumerate() {
            if !finals[c] {
                self.offsets[index][c] = (self.offsets[index][c] + l.step) % self.offset_modulus;
                self.iterations[index][c] += 1;
                return c;
            }
            self.offsets[index][c] = l.initial;
            self.iterations[index][c] = 0;
        }
        finals.len()
    }

    /// Updates `due` after an address of the first row of it, in which `wrapped` loops wrapped.
    fn schedule(&mut self, wrapped: usize) {
        let Some(&index) = self.due.front() else {
            return;
        };
        let done = wrapped == self.rows[index].loops.len();
        let attached = self.rows.iter().any(|r| r.attach.is_some());
        if done {
            self.due.pop_front();
        }
        if !attached || self.rows[index].kind != RowKind::Tensor {
            return;
        }
        let called = |i: &usize, kind| {
            let row = &self.rows[*i];
            row.kind == kind && row.attach.map_or(done, |a| a < wrapped)
        };
        let all = 0..self.rows.len();
        let mut now: VecDeque<usize> = all
            .clone()
            .filter(|i| called(i, RowKind::Epilogue))
            .collect();
        if !done {
            now.extend(all.filter(|i| called(i, RowKind::Prologue)));
        }
        now.append(&mut self.due);
        self.due = now;
    }
}

impl Iterator for UnitWalk {
    type Item = UnitElement;

    fn next(&mut self) -> Option<UnitElement> {
        let index = *self.due.front()?;
        let offsets = self.offsets[index].clone();
        let row = &self.rows[index];
        let base = if self.run.offset_only { 0 } else { row.base };
        let address = (base + offsets.iter().sum::<u64>()) % self.address_modulus;
        let outside = |(first, end)| !(u64::from(first)..end).contains(&address);
        if self.run.window.is_some_and(outside) {
            self.outside = true;
            self.due.clear();
            return None;
        }

        let (number, kind) = (row.number, row.kind);
        let finals = self.finals(index);
        let wrapped = self.advance(index, &finals);
        self.schedule(wrapped);
        Some(UnitElement {
            row: number,
            kind,
            address,
            offsets,
            levels: (0..finals.len()).map(|c| c < wrapped).collect(),
            last: wrapped == finals.len(),
            end: self.due.is_empty(),
            finals,
        })
    }
}

//! One unit, its model, and the operations it still has to do.

use super::memory::degree;
use super::pins::{Accesses, Inputs, Outputs, Pins, Step};
use super::sides::Side;
use crate::beside::bench;
use crate::rtl::{Checked, Dut};
use heddle_sim::blocks::offsets::{
    OffsetState, RegisterKind, RowsModel, RowsOutputs, Run, UnitOptions, Write,
};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

/// Clocks from the one with `start_i` to the one with the first slot at the head.
pub const HEAD: u64 = 5;

/// Something to do.
#[derive(Debug, Clone)]
pub enum Op {
    /// Puts a write at the port until it is taken.
    Write(Write),
    /// Start for one clock, as soon as nothing is under way: behind a run in the clock of `done_o`.
    Start,
    /// As `Start`, with a write in the same clock.
    StartWith(Write),
    /// Start for one clock, whatever is under way.
    Disturb,
    /// Nothing until the run and the expander have ended.
    Wait,
    /// Nothing for so many clocks.
    Clocks(u32),
    /// `ready_i` is high in so many of 100 clocks from now on.
    Ready(u32),
    /// Broadcast: `ready_i` is that of so many banks, each of which serves one row in a clock.
    Banks(u32),
}

/// What the unit does.
enum Phase {
    Idle,
    /// This many clocks after the one with the start.
    Starting(u64, Run),
    Running(RowsModel),
}

/// What a run has shown, for comparison with literal tables.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    /// Outputs of all clocks with a slot in a row.
    pub clocks: Vec<Outputs>,
    /// Entries of the table of bases in the order of their reads.
    pub base_reads: Vec<u16>,
    /// Entries of the table of offsets in the order of their reads.
    pub offset_reads: Vec<u16>,
    /// Entries written since the start of the simulation: bases, offsets.
    pub written: [u32; 2],
    /// Bases that had been read before the clock of the first operand.
    pub bases_before_operand: Option<usize>,
    /// Clocks with `busy_o`.
    pub busy: u64,
    /// Clocks with `done_o`, and those in `clocks` by then.
    pub done: (u64, usize),
}

/// Counts of what has happened, for coverage.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tally {
    /// Runs that ended.
    pub runs: u64,
    /// Starts refused, by their code.
    pub refusals: [u64; 5],
    /// Writes refused.
    pub refused_writes: u64,
    /// Expansions.
    pub expansions: u64,
    /// Expansions beyond the end of a table.
    pub cuts: u64,
    /// Clocks in which a slot waited.
    pub waits: u64,
    /// Rows that did not read in a step of a masked run.
    pub masked: u64,
    /// Starts that were not heard.
    pub unheard: u64,
    /// Clocks in which a write waited.
    pub waiting_writes: u64,
}

/// One unit and its model.
pub struct Driven {
    /// Its name.
    pub name: String,
    /// What is built.
    pub options: UnitOptions,
    /// Registers and tables.
    pub state: OffsetState,
    /// What is left to do.
    pub ops: VecDeque<Op>,
    /// The first disagreement; the unit is not looked at any more.
    pub failure: Option<String>,
    /// The last run.
    pub trace: Trace,
    /// What has happened.
    pub tally: Tally,
    pins: Pins,
    noise: ChaCha8Rng,
    ready: u32,
    /// Banks, and clocks in which they have served the step on the rows.
    banks: Option<(u32, usize)>,
    phase: Phase,
    /// Entries the expander may still be writing.
    expanding: bool,
    /// It will stop at the end of a table.
    cut: bool,
    /// Clocks it will still take.
    expander_clocks: usize,
    error: u64,
    /// `done_o` is due.
    done: bool,
    /// Table reads of the run that has ended.
    reads: [usize; 2],
    /// Entries that should have been written: bases, offsets.
    written: [u32; 2],
    accesses: Accesses,
    inputs: Inputs,
}

impl bench::Driven for Driven {
    type Options = UnitOptions;

    fn new(side: &Side, dut: &Dut, noise: ChaCha8Rng) -> Self {
        Self {
            name: side.name.clone(),
            options: side.options,
            state: OffsetState::new(&side.options),
            ops: VecDeque::new(),
            failure: None,
            trace: Trace::default(),
            tally: Tally::default(),
            pins: Pins::new(side, dut),
            noise,
            ready: 100,
            banks: None,
            phase: Phase::Idle,
            expanding: false,
            cut: false,
            expander_clocks: 0,
            error: 0,
            done: false,
            reads: [0; 2],
            written: [0; 2],
            accesses: Accesses::default(),
            inputs: Inputs::default(),
        }
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    fn fail(&mut self, failure: String) {
        self.failure = Some(failure);
    }

    fn finished(&self) -> bool {
        self.failure.is_some() || (self.ops.is_empty() && self.resting() && !self.done)
    }

    fn begin(&mut self, model: &heddle_tb::Model) {
        self.accesses = self.pins.accesses(model);
        self.written = self.accesses.tables.map(|table| table[1]);
    }

    fn drive(&mut self, model: &mut heddle_tb::Model) {
        let mut inputs = Inputs::default();
        while let Some(op @ (Op::Ready(_) | Op::Banks(_))) = self.ops.front() {
            match op {
                Op::Ready(share) => (self.ready, self.banks) = (*share, None),
                Op::Banks(banks) => self.banks = Some((*banks, 0)),
                _ => (),
            }
            self.ops.pop_front();
        }
        let resting = self.resting();
        match self.ops.front_mut() {
            Some(Op::Write(write)) => inputs.write = Some(*write),
            Some(Op::Start) if resting => {
                inputs.start = true;
                self.ops.pop_front();
            }
            Some(Op::StartWith(write)) if resting => {
                (inputs.start, inputs.write) = (true, Some(*write));
                self.ops.pop_front();
            }
            Some(Op::Disturb) => {
                // Between the clocks of a run only: when idle this would be a start.
                inputs.start = self.busy();
                self.tally.unheard += u64::from(inputs.start);
                self.ops.pop_front();
            }
            Some(Op::Wait) if resting => {
                self.ops.pop_front();
            }
            Some(Op::Clocks(clocks)) => match clocks.checked_sub(1) {
                Some(left) => *clocks = left,
                None => {
                    self.ops.pop_front();
                }
            },
            _ => (),
        }
        inputs.ready = self.noise.random_range(0..100) < self.ready;
        if let Some((banks, clocks)) = &mut self.banks {
            let step = self.pins.read(model).addresses();
            *clocks += 1;
            inputs.ready = *clocks >= degree(&step, *banks, false);
            if inputs.ready {
                *clocks = 0;
            }
        }
        self.inputs = inputs;
        self.pins.drive(model, &inputs, &mut self.noise);
    }

    fn compare(&mut self, model: &heddle_tb::Model) -> Checked {
        let found = self.pins.read(model);
        if self.expanding && self.expander_clocks == 0 {
            self.state.refused |= self.cut;
            (self.expanding, self.cut) = (false, false);
        }
        self.expander_clocks = self.expander_clocks.saturating_sub(1);
        let rows = match &self.phase {
            Phase::Running(rows) => Some(rows.outputs()),
            _ => None,
        };
        self.check(&found, rows.as_ref())?;
        self.trace.busy += u64::from(found.busy);
        if found.done {
            self.trace.done = (self.trace.done.0 + 1, self.trace.clocks.len());
        }
        self.tally.waiting_writes += u64::from(self.inputs.write.is_some() && !found.wr_ready);
        if rows.as_ref().is_some_and(|rows| rows.occupied) {
            self.trace.clocks.push(found.clone());
            let operand = found
                .rows
                .iter()
                .flatten()
                .any(|step| step.address.is_some());
            if operand && self.trace.bases_before_operand.is_none() {
                self.trace.bases_before_operand = Some(self.trace.base_reads.len());
            }
        }
        self.advance(&found);
        match self.done {
            true => self.reads_are_complete(),
            false => Ok(()),
        }
    }

    fn watch(&mut self, model: &heddle_tb::Model) -> Checked {
        let now = self.pins.accesses(model);
        let before = std::mem::replace(&mut self.accesses, now);
        self.trace.written = now.tables.map(|table| table[1]);
        if now.meets != before.meets {
            return Err("a table is read and written at one entry".into());
        }
        let run = match &self.phase {
            Phase::Idle => None,
            Phase::Starting(_, run) => Some(run),
            Phase::Running(rows) => Some(rows.run()),
        };
        if !self.expanding && self.trace.written != self.written {
            let found = (self.trace.written, self.written);
            return Err(format!("(bases, offsets) written and model: {found:?}"));
        }
        let Some(run) = run else {
            // Repeats of the expander read as well.
            return Ok(());
        };
        let reads = [
            (&run.base_reads, &mut self.trace.base_reads),
            (&run.offset_reads, &mut self.trace.offset_reads),
        ];
        let tables = now.tables.iter().zip(before.tables).zip(reads);
        for (name, ((now, before), (expected, seen))) in ["base", "offset"].iter().zip(tables) {
            if now[0] != before[0] {
                let entry = now[2] as u16;
                let due = expected.get(seen.len()).copied();
                seen.push(entry);
                if due != Some(entry) {
                    let place = seen.len() - 1;
                    return Err(format!(
                        "{name} read {place} is of entry {entry}, model {due:?}"
                    ));
                }
            }
        }
        Ok(())
    }
}

impl Driven {
    /// Nothing is left to do and nothing is under way, as behind a reset.
    pub fn forget(&mut self) {
        self.ops.clear();
        self.phase = Phase::Idle;
        self.state.refused = false;
        (self.expanding, self.cut, self.done, self.error) = (false, false, false, 0);
    }

    fn resting(&self) -> bool {
        matches!(self.phase, Phase::Idle) && !self.expanding
    }

    fn busy(&self) -> bool {
        !matches!(self.phase, Phase::Idle)
    }

    fn check(&self, found: &Outputs, rows: Option<&RowsOutputs>) -> Checked {
        let mut expected = Outputs {
            wr_ready: !self.expanding,
            refused: self.state.refused,
            busy: self.busy(),
            done: self.done,
            error: self.error,
            rows: vec![None; self.options.rows],
            ..Outputs::default()
        };
        if let Some(rows) = rows {
            let step = |row: &heddle_sim::blocks::offsets::RowOutputs| {
                row.valid.then_some(Step {
                    address: row.address,
                    first: row.first,
                    last: row.last,
                })
            };
            expected.rows = rows.rows.iter().map(step).collect();
            if let Some(slot) = &rows.head {
                // The row of a word counts with load slots only.
                let row = slot.load.map(|row| row as u16);
                let row = row.or(found.word.map(|word| word.1)).unwrap_or_default();
                expected.word = slot.word.map(|word| (word, row));
                expected.pass =
                    slot.is_step()
                        .then_some((slot.held, slot.cols, slot.sum_first, slot.sum_last));
            }
        }
        match *found == expected {
            true => Ok(()),
            false => Err(format!("found {found:?}, model has {expected:?}")),
        }
    }

    /// At the end of a run: every entry was read as often as the model says.
    fn reads_are_complete(&self) -> Checked {
        let found = [self.trace.base_reads.len(), self.trace.offset_reads.len()];
        match found == self.reads {
            true => Ok(()),
            false => Err(format!(
                "(bases, offsets) read: {found:?}, model has {:?}",
                self.reads
            )),
        }
    }

    /// The clock edge.
    fn advance(&mut self, found: &Outputs) {
        let inputs = self.inputs;
        self.done = false;
        let idle = !self.busy();
        if idle && inputs.start {
            self.start();
        }
        // A write in the clock of a start comes too late.
        let busy = self.busy() || inputs.start;
        if let Some(write) = inputs.write.filter(|_| found.wr_ready) {
            let refused = std::mem::take(&mut self.state.refused);
            let expanded = self.state.write(&write, busy);
            let clocks = expanded.map_or(0, |expanded| expanded.clocks);
            (self.expanding, self.expander_clocks) = (clocks > 0, clocks);
            self.cut = expanded.is_some_and(|expanded| expanded.cut);
            let entries = expanded.map(|expanded| expanded.entries as u32);
            self.count_written(&write, entries.unwrap_or_default());
            self.tally.refused_writes += u64::from(self.state.refused);
            self.tally.expansions += u64::from(self.expanding);
            self.tally.cuts += u64::from(self.cut);
            // A cut shows when the expander has come to it.
            self.state.refused = refused || (self.state.refused && !self.cut);
            if !inputs.start {
                self.ops.pop_front();
            }
        }
        match &mut self.phase {
            _ if idle => (),
            Phase::Idle => (),
            Phase::Starting(clock, _) if *clock + 1 < HEAD => *clock += 1,
            Phase::Starting(_, run) => {
                let rows = RowsModel::new(run.clone(), self.options.rows, self.options.broadcast);
                self.phase = Phase::Running(rows);
            }
            Phase::Running(rows) => {
                let sent = rows.sent();
                rows.step(inputs.ready);
                let finished = rows.outputs().finished;
                self.tally.waits += u64::from(sent == rows.sent() && !finished);
                if finished {
                    let run = rows.run();
                    self.reads = [run.base_reads.len(), run.offset_reads.len()];
                    self.phase = Phase::Idle;
                    self.done = true;
                    self.tally.runs += 1;
                }
            }
        }
    }

    /// Counts the entries that a write changes, itself or through the expander.
    fn count_written(&mut self, write: &Write, expanded: u32) {
        let accepted = u32::from(!self.state.refused);
        match (write.kind, self.state.registers.expander[0]) {
            (RegisterKind::Base, _) => self.written[0] += accepted,
            (RegisterKind::Offset, _) => self.written[1] += accepted,
            (RegisterKind::Register, 1) => self.written[0] += expanded,
            (RegisterKind::Register, _) => self.written[1] += expanded,
            _ => (),
        }
    }

    fn start(&mut self) {
        self.trace = Trace::default();
        match self.state.start() {
            Ok(run) => {
                self.error = 0;
                if self.state.registers.mode & 4 != 0 {
                    let steps = run.steps() * self.options.rows;
                    self.tally.masked += (steps - run.reads()) as u64;
                }
                self.phase = Phase::Starting(1, run);
            }
            Err(refusal) => {
                self.error = refusal as u64;
                self.tally.refusals[refusal as usize] += 1;
            }
        }
    }
}

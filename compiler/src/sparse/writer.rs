//! The order of the commands of a layer.

use std::collections::BTreeMap;

use heddle_arch::isa::sparse::{SparseCommand, UnitRegister};

use super::axis::Span;
use super::commands::Step;
use super::error::PlanError;
use super::layer::Values;
use super::plan::{Plan, Stream};
use super::program::Program;

/// Writes a program.
pub(super) struct Writer<'a> {
    plan: &'a Plan,
    values: &'a Values,
    program: Program,
    /// What is known of the registers of the units.
    registers: BTreeMap<(u32, u32), UnitRegister>,
    /// Portions that the units hold, by first group and first chunk, in their places.
    held: Vec<Option<[u32; 2]>>,
    /// Place of the next portion.
    next: usize,
    /// Set of the next chunk.
    set: u32,
}

impl Plan {
    /// The program of the layer with its weights.
    ///
    /// # Errors
    /// The number of weights or of scales is another one, or a value is out of range.
    pub fn program(&self, values: &Values) -> Result<Program, PlanError> {
        values.check(&self.shape, self.left_shift)?;
        let empty = Program {
            commands: Vec::new(),
            weights: Vec::new(),
            plan: self.clone(),
            maps: Vec::new(),
            results: Vec::new(),
        };
        Ok(Writer::new(self, values, empty).write())
    }
}

impl<'a> Writer<'a> {
    pub(super) fn new(plan: &'a Plan, values: &'a Values, empty: Program) -> Self {
        Self {
            plan,
            values,
            program: empty,
            registers: BTreeMap::new(),
            held: vec![None; plan.portions.held as usize],
            next: 0,
            set: 0,
        }
    }

    /// All steps. Each is drained while the next one is computed, if the sums of both have room.
    pub(super) fn write(mut self) -> Program {
        let plan = self.plan;
        let passes = plan.passes.iter();
        let steps = passes.flat_map(|pass| plan.folds.iter().map(move |fold| (pass, fold)));
        let mut before = None;
        for (number, (pass, fold)) in steps.enumerate() {
            let region = plan.sums.overlap && number % 2 == 1;
            let step = Step { pass, fold, region };
            self.step(&step, before.as_ref());
            if plan.sums.overlap {
                self.drain(before.as_ref());
            }
            before = Some(step);
        }
        self.drain(before.as_ref());
        self.program
    }

    /// What waits longest comes last: registers of results wait for drains, runs for weights.
    fn step(&mut self, step: &Step, before: Option<&Step>) {
        if step.fold.is_padding() {
            return self.begin(step, before);
        }
        for part in 0..self.plan.portions.parts {
            let chunks = self.plan.portions.chunks;
            let streams = self.streams(step, &(part * chunks..(part + 1) * chunks));
            let (place, is_new) = self.place([step.pass.groups.start, part]);
            if part == 0 {
                self.set(|plan, unit| plan.takes(unit, step.fold));
            }
            let mut loads = self.loads(step, &streams, place);
            // Each unit has a chunk on its way before runs begin.
            let rest = loads.split_off(loads.len().min(streams.len()));
            self.program.commands.extend(loads);
            if part == 0 {
                self.begin(step, before);
            }
            if is_new {
                self.fill(step, &streams, place);
            }
            self.run(step, &streams, place);
            self.program.commands.extend(rest);
        }
    }

    /// What units take in a part: streams with the channels of its chunks.
    fn streams(&self, step: &Step, chunks: &Span) -> Vec<Stream> {
        let streams = self.plan.streams(step.pass).into_iter();
        let streams = streams.map(|stream| Stream {
            channels: self.plan.channels(&stream, chunks),
            ..stream
        });
        streams
            .filter(|stream| !stream.channels.is_empty())
            .collect()
    }

    /// The place of a portion of weights, and whether they are not there.
    fn place(&mut self, portion: [u32; 2]) -> (u32, bool) {
        let found = self.held.iter().position(|held| *held == Some(portion));
        if let Some(place) = found {
            return (place as u32, false);
        }
        let place = self.next;
        self.held[place] = Some(portion);
        self.next = (place + 1) % self.held.len();
        (place as u32, true)
    }

    /// Writes registers whose values change, those of all units at once if they are the same.
    fn set(&mut self, values: impl Fn(&Plan, u32) -> Vec<UnitRegister>) {
        let units = 0..self.plan.section.units;
        let all: Vec<_> = units.map(|unit| values(self.plan, unit)).collect();
        let is_known = |(unit, values): &(u32, &Vec<UnitRegister>)| {
            let mut values = values.iter();
            values.all(|value| self.registers.get(&(*unit, value.number())) == Some(value))
        };
        let mut changed = (0..).zip(&all).filter(|values| !is_known(values));
        let commands: Vec<_> = match all.iter().all(|values| *values == all[0]) {
            true => {
                let one = changed.next();
                let one = one.map(|(_, values)| SparseCommand::Set(None, values.clone()));
                one.into_iter().collect()
            }
            false => changed
                .map(|(unit, values)| SparseCommand::Set(Some(unit), values.clone()))
                .collect(),
        };
        self.program.commands.extend(commands);
        for (unit, values) in (0..).zip(all) {
            let values = values.into_iter();
            let values = values.map(|value| ((unit, value.number()), value));
            self.registers.extend(values);
        }
    }

    /// What units keep, as soon as nothing of the region is left.
    fn begin(&mut self, step: &Step, before: Option<&Step>) {
        if before.is_none() {
            // Shares and scales wait for all drains, so that no sums are left of the layer before.
            self.set(|plan, unit| vec![UnitRegister::Share(plan.split.share(unit))]);
            let scales = self.plan.scales(self.values);
            self.program.commands.extend(scales);
        }
        if !self.plan.sums.overlap {
            self.drain(before);
        }
        self.set(|plan, unit| plan.keeps(unit, step));
    }

    /// The loads of a part, if its entries do not stay from the pass before.
    fn loads(&mut self, step: &Step, streams: &[Stream], place: u32) -> Vec<SparseCommand> {
        if self.plan.keeps_entries() && step.pass.groups.start > 0 {
            return Vec::new();
        }
        let loads = self
            .plan
            .loads(step, streams, (self.set, place), self.values);
        let (loads, parts): (Vec<_>, Vec<_>) = loads.into_iter().unzip();
        self.program.maps.extend(parts);
        loads.into_iter().map(SparseCommand::Load).collect()
    }

    fn fill(&mut self, step: &Step, streams: &[Stream], place: u32) {
        for stream in streams {
            for (command, record) in self.plan.fills(step, stream, place, self.values) {
                self.program.commands.push(command);
                self.program.weights.extend(record);
            }
        }
    }

    /// One run for the units with the same number of chunks.
    fn run(&mut self, step: &Step, streams: &[Stream], place: u32) {
        let mut units = BTreeMap::new();
        for stream in streams {
            *units.entry(self.plan.chunks(stream)).or_insert(0) |= stream.units;
        }
        for (chunks, units) in &units {
            let run = self.plan.run(step, (self.set, place), *chunks, *units);
            self.program.commands.push(SparseCommand::Run(run));
        }
        if let Some((most, _)) = units.last_key_value() {
            if !self.plan.stays(step) {
                self.set = (self.set + most) % self.plan.section.map_sets;
            }
        }
    }

    /// The results of a step leave.
    fn drain(&mut self, step: Option<&Step>) {
        let Some(step) = step else { return };
        let (drain, part) = self.plan.drain(step, self.values);
        self.program.commands.push(SparseCommand::Drain(drain));
        self.program.results.push(part);
    }
}

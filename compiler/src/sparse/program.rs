//! The commands of a layer.

use std::collections::BTreeMap;

use heddle_arch::isa::sparse::{
    ChannelScale, SparseCommand, SparseDrain, SparseLoad, SparseRun, SparseWeights, UnitRegister,
};
use heddle_arch::params::Params;
use heddle_arch::requantise::Rounding;

use super::axis::Span;
use super::error::PlanError;
use super::layer::Values;
use super::plan::{Fold, Pass, Plan, Stream};
use super::portions::Portions;
use super::streams::{MapPart, ResultPart};

/// What a cluster is given for a layer. All sums are 0 before it and behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The commands.
    pub commands: Vec<SparseCommand>,
    /// The words of the weight stream.
    pub weights: Vec<u64>,
    pub(super) plan: Plan,
    /// What each load takes.
    pub(super) maps: Vec<MapPart>,
    /// What each drain gives.
    pub(super) results: Vec<ResultPart>,
}

/// The commands that clear all sums of a cluster after its reset.
#[must_use]
pub fn clear(params: &Params) -> Vec<SparseCommand> {
    let words = params.sparse_cluster().sums.ilog2();
    let size = [words - words / 2, words / 2];
    let [rows, cols] = size.map(|side| 0..1 << side);
    let windows = [
        UnitRegister::WindowRows(false, rows),
        UnitRegister::WindowCols(false, cols),
    ];
    vec![
        SparseCommand::Set(None, vec![UnitRegister::Share(0)]),
        SparseCommand::Set(None, windows.into()),
        SparseCommand::Drain(SparseDrain {
            discard: true,
            pitch: size[1],
            groups: 1,
            each: 1,
            size: size.map(|side| 1 << side),
            ..SparseDrain::default()
        }),
    ]
}

impl Plan {
    /// The program of the layer with its weights.
    ///
    /// # Errors
    /// The number of weights or of scales is another one, or a value is out of range.
    pub fn program(&self, values: &Values) -> Result<Program, PlanError> {
        values.check(&self.shape, &self.params)?;
        let mut writer = Writer {
            plan: self,
            values,
            program: Program {
                commands: Vec::new(),
                weights: Vec::new(),
                plan: self.clone(),
                maps: Vec::new(),
                results: Vec::new(),
            },
            registers: BTreeMap::new(),
            held: vec![None; self.portions.held as usize],
            next: 0,
            set: 0,
        };
        writer.layer();
        Ok(writer.program)
    }

    /// Chunks of each part of a pass.
    fn parts(&self) -> impl Iterator<Item = Span> {
        let Portions { chunks, parts, .. } = self.portions;
        (0..parts).map(move |part| part * chunks..(part + 1) * chunks)
    }
}

/// A fold of a pass, and the region of its sums.
struct Step<'a> {
    pass: &'a Pass,
    fold: &'a Fold,
    region: bool,
}

/// Writes a program.
struct Writer<'a> {
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

impl Writer<'_> {
    fn layer(&mut self) {
        let plan = self.plan;
        let pairs = plan.passes.iter();
        let pairs = pairs.flat_map(|pass| plan.folds.iter().map(move |fold| (pass, fold)));
        let mut before = None;
        for (number, (pass, fold)) in pairs.enumerate() {
            let region = plan.sums.overlap && number % 2 == 1;
            let step = Step { pass, fold, region };
            self.step(&step, before.as_ref());
            if plan.sums.overlap {
                self.drain(before.as_ref());
            }
            before = Some(step);
        }
        self.drain(before.as_ref());
    }

    /// What waits longest comes last: loads for their sets, registers of results for drains, runs for weights.
    fn step(&mut self, step: &Step, before: Option<&Step>) {
        if step.fold.is_padding() {
            return self.begin(step, before);
        }
        for part in self.plan.parts() {
            let streams = self.streams(step, &part);
            let (place, is_new) = self.place([step.pass.groups.start, part.start]);
            if part.start == 0 {
                self.set_inputs(step.fold);
            }
            let loads = self.loads(step, &streams, place);
            // Each unit has a chunk before runs begin; one stream needs no turns.
            let first = loads.len().min(streams.len());
            self.push(loads[..first].iter().cloned().map(SparseCommand::Load));
            if part.start == 0 {
                self.begin(step, before);
            }
            if is_new {
                self.fill(step, &streams, place);
            }
            self.runs(step, &streams, place);
            self.push(loads[first..].iter().cloned().map(SparseCommand::Load));
        }
    }

    fn push(&mut self, commands: impl IntoIterator<Item = SparseCommand>) {
        self.program.commands.extend(commands);
    }

    /// What units take in a part: streams with the channels of its chunks.
    fn streams(&self, step: &Step, part: &Span) -> Vec<Stream> {
        let streams = self.plan.streams(step.pass).into_iter();
        let streams = streams.map(|stream| Stream {
            channels: self.plan.channels(&stream, part),
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

    /// Writes registers whose values change, of all units at once if they are the same.
    fn set(&mut self, values: impl Fn(u32) -> Vec<UnitRegister>) {
        let all: Vec<_> = (0..self.plan.section.units).map(values).collect();
        let changes = |unit: u32, values: &[UnitRegister]| {
            let mut values = values.iter();
            values.any(|value| self.registers.get(&(unit, value.number())) != Some(value))
        };
        let changed: Vec<_> = (0..)
            .zip(&all)
            .filter(|(unit, values)| changes(*unit, values))
            .collect();
        let is_one = all.iter().all(|values| *values == all[0]);
        let commands: Vec<_> = match is_one && !changed.is_empty() {
            true => vec![SparseCommand::Set(None, all[0].clone())],
            false => (changed.iter())
                .map(|(unit, values)| SparseCommand::Set(Some(*unit), (*values).clone()))
                .collect(),
        };
        self.push(commands);
        for (unit, values) in (0..).zip(all) {
            let values = values.into_iter();
            let values = values.map(|value| ((unit, value.number()), value));
            self.registers.extend(values);
        }
    }

    /// What the units take of a fold.
    fn set_inputs(&mut self, fold: &Fold) {
        let split = self.plan.split;
        self.set(|unit| {
            let [row, col] = split.cell(unit);
            let [rows, cols] = &fold.sides;
            vec![
                UnitRegister::PartRows(rows.cells[row].takes.clone()),
                UnitRegister::PartCols(cols.cells[col].takes.clone()),
            ]
        });
    }

    /// What the units keep, as soon as nothing of the region is left.
    fn begin(&mut self, step: &Step, before: Option<&Step>) {
        let split = self.plan.split;
        if before.is_none() {
            // They wait for all drains, so that no sums are left of the layer before.
            self.set(|unit| vec![UnitRegister::Share(split.share(unit))]);
            self.scales();
        }
        if !self.plan.sums.overlap {
            self.drain(before);
        }
        self.set(|unit| {
            let [row, col] = split.cell(unit);
            let [rows, cols] = &step.fold.sides;
            vec![
                UnitRegister::WindowRows(step.region, rows.cells[row].keeps.clone()),
                UnitRegister::WindowCols(step.region, cols.cells[col].keeps.clone()),
            ]
        });
    }

    /// Scales of all output channels; a command has room for 84.
    fn scales(&mut self) {
        let section = &self.plan.section;
        if !section.post {
            return;
        }
        let lanes = section.channels as usize;
        let mut channels = self.values.channels.clone();
        channels.resize(
            channels.len().next_multiple_of(lanes),
            ChannelScale::default(),
        );
        let tiles = 84 / lanes;
        let firsts = (0..).step_by(tiles);
        let commands: Vec<_> = (firsts.zip(channels.chunks(tiles * lanes)))
            .map(|(tile, channels)| SparseCommand::Scale(tile, 0, channels.to_vec()))
            .collect();
        self.push(commands);
    }

    /// The loads of a part: of one stream all chunks at once, of several ones chunk by chunk in turn.
    fn loads(&mut self, step: &Step, streams: &[Stream], place: u32) -> Vec<SparseLoad> {
        let plan = self.plan;
        if plan.keeps_entries() && step.pass.groups.start > 0 {
            return Vec::new();
        }
        let load = |stream: &Stream, chunks: Span| {
            let [rows, cols] = &step.fold.sides;
            let portions = &plan.portions;
            let load = SparseLoad {
                set: (self.set + chunks.start) % plan.section.map_sets,
                alternate: true,
                stride: plan.shape.stride_log2(),
                list: place * portions.lists + chunks.start * portions.step,
                lanes: plan.lanes,
                threshold: self.values.threshold.into(),
                first: [rows.loads.start, cols.loads.start],
                size: [rows.loads.len() as u32, cols.loads.len() as u32],
                chunks: chunks.len() as u32,
                step: if chunks.len() > 1 { portions.step } else { 0 },
                units: stream.units,
                ..SparseLoad::default()
            };
            let part = MapPart {
                rows: rows.input.clone(),
                cols: cols.input.clone(),
                channels: plan.channels(stream, &chunks),
                lanes: plan.lanes,
            };
            (load, part)
        };
        let chunks = |stream: &Stream| plan.chunks(stream);
        let loads: Vec<_> = match streams {
            [stream] => vec![load(stream, 0..chunks(stream))],
            _ => {
                let most = streams.iter().map(chunks).max().unwrap_or(0);
                let turn = |chunk: u32| {
                    let streams = streams.iter().filter(move |stream| chunk < chunks(stream));
                    streams.map(move |stream| (stream, chunk..chunk + 1))
                };
                let turns = (0..most).flat_map(turn);
                turns.map(|(stream, chunks)| load(stream, chunks)).collect()
            }
        };
        let (loads, parts): (Vec<_>, Vec<_>) = loads.into_iter().unzip();
        self.program.maps.extend(parts);
        loads
    }

    /// The weights of a part, to each unit those of its shares.
    fn fill(&mut self, step: &Step, streams: &[Stream], place: u32) {
        let split = &self.plan.split;
        for stream in streams {
            let shares = match stream.share {
                Some(share) => share..share + 1,
                None => 0..split.outputs,
            };
            for share in shares {
                let record = self
                    .plan
                    .record(self.values, step.pass, share, &stream.channels);
                let (words, record) = record;
                self.push([SparseCommand::Weights(SparseWeights {
                    first: place * self.plan.portions.words,
                    words,
                    list: place * self.plan.portions.lists,
                    half: place % 2 == 1,
                    units: stream.units & split.units(share..share + 1, 0..split.inputs),
                })]);
                self.program.weights.extend(record);
            }
        }
    }

    /// One run for the units with the same number of chunks.
    fn runs(&mut self, step: &Step, streams: &[Stream], place: u32) {
        let plan = self.plan;
        let mut runs = BTreeMap::new();
        for stream in streams {
            *runs.entry(plan.chunks(stream)).or_insert(0) |= stream.units;
        }
        let keep = plan.keeps_entries()
            && step.pass.groups.end < plan.shape.outputs.div_ceil(plan.section.channels);
        let run = |(chunks, units): (&u32, &u64)| {
            SparseCommand::Run(SparseRun {
                set: self.set,
                keep,
                half: place % 2 == 1,
                region: step.region,
                chunks: *chunks,
                kernel: [0, 1].map(|side| plan.shape.axis(side).places()),
                pitch: plan.sums.pitch,
                area: plan.sums.area,
                units: *units,
            })
        };
        let commands: Vec<_> = runs.iter().map(run).collect();
        self.push(commands);
        if !keep {
            let most = runs.keys().max().copied().unwrap_or(0);
            self.set = (self.set + most) % plan.section.map_sets;
        }
    }

    /// The results of a step leave.
    fn drain(&mut self, step: Option<&Step>) {
        let Some(step) = step else { return };
        let plan = self.plan;
        let [rows, cols] = &step.fold.sides;
        let groups = &step.pass.groups;
        self.push([SparseCommand::Drain(SparseDrain {
            region: step.region,
            pitch: plan.sums.pitch,
            area: plan.sums.area,
            groups: groups.len() as u32,
            each: plan.sums.each,
            first: [rows.results.start, cols.results.start],
            size: [rows.results.len() as u32, cols.results.len() as u32],
            group: step.pass.number,
            tile: if plan.section.post { groups.start } else { 0 },
            bounds: self.values.bounds,
            single: self.values.rounding == Rounding::Single,
            ..SparseDrain::default()
        })]);
        self.program.results.push(ResultPart {
            groups: groups.clone(),
            rows: rows.outputs.clone(),
            cols: cols.outputs.clone(),
        });
    }
}

//! Single commands of a plan.

use heddle_arch::isa::sparse::{
    ChannelScale, SparseCommand, SparseDrain, SparseLoad, SparseRun, SparseWeights, UnitRegister,
};
use heddle_arch::requantise::Rounding;

use super::axis::Span;
use super::fold::Fold;
use super::layer::Values;
use super::passed::{MapPart, ResultPart};
use super::plan::{Pass, Plan, Stream};

/// Channels that have room in a command.
const SCALES: usize = 84;

/// A fold of a pass, and the region of its sums.
pub(super) struct Step<'a> {
    pub(super) pass: &'a Pass,
    pub(super) fold: &'a Fold,
    pub(super) region: bool,
}

impl Plan {
    /// What a unit takes of a fold.
    pub(super) fn takes(&self, unit: u32, fold: &Fold) -> Vec<UnitRegister> {
        let [rows, cols] = self.cell_of(unit, fold);
        vec![
            UnitRegister::PartRows(rows.takes.clone()),
            UnitRegister::PartCols(cols.takes.clone()),
        ]
    }

    /// What it keeps of the results.
    pub(super) fn keeps(&self, unit: u32, step: &Step) -> Vec<UnitRegister> {
        let [rows, cols] = self.cell_of(unit, step.fold);
        vec![
            UnitRegister::WindowRows(step.region, rows.keeps.clone()),
            UnitRegister::WindowCols(step.region, cols.keeps.clone()),
        ]
    }

    /// First list of a portion of weights in its place.
    fn list_of(&self, place: u32) -> u32 {
        self.resident.unwrap_or_default().lists + place * self.portions.lists
    }

    /// First word of it.
    fn word_of(&self, place: u32) -> u32 {
        self.resident.unwrap_or_default().words + place * self.portions.words
    }

    /// Half of the weights: those that stay are never filled while they are in use.
    fn half_of(&self, place: u32) -> bool {
        self.resident.is_none() && place % 2 == 1
    }

    /// Scales of all output channels.
    pub(super) fn scales(&self, values: &Values) -> Vec<SparseCommand> {
        if !self.section.post {
            return Vec::new();
        }
        let lanes = self.section.channels as usize;
        let mut channels = values.channels.clone();
        let whole = channels.len().next_multiple_of(lanes);
        channels.resize(whole, ChannelScale::default());
        let tiles = SCALES / lanes;
        let commands = (0..).step_by(tiles).zip(channels.chunks(tiles * lanes));
        commands
            .map(|(tile, channels)| SparseCommand::Scale(tile, 0, channels.to_vec()))
            .collect()
    }

    /// The loads of some streams, and what they take: of one stream all chunks at once, of several ones chunk by chunk in turn. The first
    /// chunk has this set, and its weights lie in this place.
    pub(super) fn loads(
        &self,
        step: &Step,
        streams: &[Stream],
        (set, place): (u32, u32),
        values: &Values,
    ) -> Vec<(SparseLoad, MapPart)> {
        let load = |stream: &Stream, chunks: Span| {
            let [rows, cols] = &step.fold.sides;
            let count = chunks.len() as u32;
            let channels = self.channels(stream, &chunks);
            let load = SparseLoad {
                set: (set + chunks.start) % self.section.map_sets,
                alternate: true,
                stride: self.shape.stride_log2(),
                list: self.list_of(place) + chunks.start * self.portions.step,
                // What lies beside the channels of a plane belongs to others.
                lanes: match self.resident {
                    Some(_) => self.lanes.min(channels.len() as u32),
                    None => self.lanes,
                },
                threshold: values.threshold.into(),
                first: [rows.loads.start, cols.loads.start],
                size: [rows.loads.len() as u32, cols.loads.len() as u32],
                chunks: count,
                step: if count > 1 { self.portions.step } else { 0 },
                units: stream.units,
                ..SparseLoad::default()
            };
            let part = MapPart {
                rows: rows.input.clone(),
                cols: cols.input.clone(),
                channels,
                lanes: self.lanes,
            };
            (load, part)
        };
        if let [stream] = streams {
            let chunks = self.chunks(stream);
            let is_partial = stream.channels.len() as u32 % self.lanes > 0;
            return match self.resident.is_some() && is_partial && chunks > 1 {
                true => vec![
                    load(stream, 0..chunks - 1),
                    load(stream, chunks - 1..chunks),
                ],
                false => vec![load(stream, 0..chunks)],
            };
        }
        let most = streams.iter().map(|stream| self.chunks(stream)).max();
        let turn = |chunk: u32| {
            let streams = streams.iter();
            let streams = streams.filter(move |stream| chunk < self.chunks(stream));
            streams.map(move |stream| load(stream, chunk..chunk + 1))
        };
        (0..most.unwrap_or(0)).flat_map(turn).collect()
    }

    /// The weights of a stream, to each unit those of its shares, and their words.
    pub(super) fn fills(
        &self,
        step: &Step,
        stream: &Stream,
        place: u32,
        values: &Values,
    ) -> Vec<(SparseCommand, Vec<u64>)> {
        let shares = match stream.share {
            Some(share) => share..share + 1,
            None => 0..self.split.outputs,
        };
        let fill = |share: u32| {
            let (words, record) = self.record(values, step.pass, share, &stream.channels);
            let command = SparseCommand::Weights(SparseWeights {
                first: self.word_of(place),
                words,
                list: self.list_of(place),
                half: self.half_of(place),
                units: stream.units & self.split.units(share..share + 1, 0..self.split.inputs),
            });
            (command, record)
        };
        shares.map(fill).collect()
    }

    /// The run of units that have so many chunks.
    pub(super) fn run(
        &self,
        step: &Step,
        (set, place): (u32, u32),
        chunks: u32,
        units: u64,
    ) -> SparseRun {
        SparseRun {
            set,
            keep: self.stays(step),
            half: self.half_of(place),
            region: step.region,
            chunks,
            kernel: [0, 1].map(|side| self.shape.axis(side).places()),
            pitch: self.sums.pitch,
            area: self.sums.area,
            units,
        }
    }

    /// The entries stay in their sets for the next pass.
    pub(super) fn stays(&self, step: &Step) -> bool {
        let is_last = step.pass.groups.end * self.section.channels >= self.shape.outputs;
        self.keeps_entries() && !is_last
    }

    /// The drain of a step, and what it gives.
    pub(super) fn drain(&self, step: &Step, values: &Values) -> (SparseDrain, ResultPart) {
        let [rows, cols] = &step.fold.sides;
        let groups = &step.pass.groups;
        let drain = SparseDrain {
            region: step.region,
            pitch: self.sums.pitch,
            area: self.sums.area,
            groups: groups.len() as u32,
            each: self.sums.each,
            first: [rows.results.start, cols.results.start],
            size: [rows.results.len() as u32, cols.results.len() as u32],
            group: step.pass.number,
            tile: match self.section.post || self.resident.is_some() {
                true => groups.start,
                false => 0,
            },
            bounds: values.bounds,
            single: values.rounding == Rounding::Single,
            ..SparseDrain::default()
        };
        let part = ResultPart {
            groups: groups.clone(),
            rows: rows.outputs.clone(),
            cols: cols.outputs.clone(),
        };
        (drain, part)
    }
}

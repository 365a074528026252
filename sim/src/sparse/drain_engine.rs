//! The clocked engine of SPARSE_DRAIN and SPARSE_SCALE.

use std::collections::VecDeque;

use super::Position;
use super::census::{CensusModel, Counted};
use super::drain_out::OutQueue;
use super::drain_walk::{Bounds, DrainWords, Drained};
use crate::delay::DelayLine;
use crate::post::{Scale, requantise};

/// Sizes of the engine.
#[derive(Debug, Clone, Copy)]
pub struct DrainSizes {
    /// Sums of a position.
    pub lanes: usize,
    /// Units.
    pub units: usize,
    /// Groups of output channels that have parameters.
    pub tiles: usize,
    /// Sums are scaled to bytes.
    pub post: bool,
    /// They may be shifted to the left before.
    pub left_shift: bool,
    /// Counts of results that are kept; 0 without a census.
    pub positions: usize,
    /// Sums leave as they come, for a machine that takes each of them ([`DrainModel::leaving`]).
    pub direct: bool,
}

impl DrainSizes {
    /// Cycles from the sums of a position to its bytes.
    fn scale_cycles(&self) -> usize {
        match (self.post, self.left_shift) {
            (false, _) => 0,
            (true, false) => 7,
            (true, true) => 9,
        }
    }

    /// Results that are on their way or wait at the same time.
    fn places(&self) -> usize {
        let round = self.units + 7 + self.scale_cycles();
        round.next_power_of_two()
    }
}

/// A parameter of a lane.
#[derive(Debug, Clone, Copy)]
pub struct ScaleWord {
    /// Group of output channels.
    pub tile: usize,
    /// The channel in it.
    pub lane: usize,
    /// 0 bias, 1 multiplier, 2 shift.
    pub number: usize,
    /// The parameter.
    pub data: u32,
}

/// Inputs in one clock cycle.
#[derive(Debug, Clone, Default)]
pub struct DrainInputs {
    /// A word of a command, and its place in it.
    pub word: Option<(usize, u32)>,
    /// The command starts.
    pub start: bool,
    /// A parameter comes.
    pub scale: Option<ScaleWord>,
    /// Sums behind the last unit.
    pub sums: Vec<i32>,
    /// A word of results is taken.
    pub ready: bool,
    /// The count of a position is asked for; from the third cycle on in which no parameters are in use.
    pub asked: Option<usize>,
}

/// Outputs in one clock cycle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrainOutputs {
    /// A command waits for its begin.
    pub busy: bool,
    /// Region of the words that came last.
    pub region: bool,
    /// The regions are drained.
    pub region_busy: [bool; 2],
    /// Parameters may be in use.
    pub scale_busy: bool,
    /// Nothing is here.
    pub idle: bool,
    /// A position for the units.
    pub position: Option<Position>,
    /// What the sums of the position of four cycles ago begin with, if they leave.
    pub bias: Option<Vec<i32>>,
    /// A word of results, and whether it is the last one of a command.
    pub out: Option<(u64, bool)>,
    /// The count that was asked for in the cycle before.
    pub count: Option<u32>,
}

/// Words of a result, and whether it is the last one of a command.
type Slot = (Vec<u64>, bool);

/// A result, and what is counted of it.
type Scaled = (Slot, Option<Counted>);

/// The engine. What is written between clocks as a queue is a counter or a memory in the hardware.
#[derive(Debug, Clone)]
pub struct DrainModel {
    sizes: DrainSizes,
    /// Bias and scale by tile and lane, and the multiplier whose shift has not come.
    parameters: Vec<Vec<(i32, Scale)>>,
    multiplier: u32,
    words: DrainWords,
    started: bool,
    waits: bool,
    bounds: Option<Bounds>,
    walk: VecDeque<Drained>,
    position: Option<Drained>,
    clock: usize,
    /// When the word of the last position of each region has been written.
    passed: [usize; 2],
    bias: DelayLine<Option<Vec<i32>>>,
    units: DelayLine<Option<Drained>>,
    scaling: DelayLine<Option<Scaled>>,
    /// Results sent that have not come, and that are there.
    on_their_way: usize,
    /// Results were on their way a cycle ago.
    unsettled: bool,
    out: OutQueue,
    census: CensusModel,
    count: Option<u32>,
    /// When the group began whose positions are named.
    group_began: usize,
}

impl DrainModel {
    /// An engine of these sizes, its parameters 0; in the hardware they are undefined until written.
    pub fn new(sizes: DrainSizes) -> Self {
        Self {
            sizes,
            parameters: vec![vec![(0, Scale::default()); sizes.lanes]; sizes.tiles],
            multiplier: 0,
            words: DrainWords::default(),
            started: false,
            waits: false,
            bounds: None,
            walk: VecDeque::new(),
            position: None,
            clock: 0,
            passed: [0; 2],
            bias: DelayLine::new(4),
            units: DelayLine::new(sizes.units + 4),
            scaling: DelayLine::new(sizes.scale_cycles()),
            on_their_way: 0,
            unsettled: false,
            out: OutQueue::default(),
            census: CensusModel::new(sizes.positions.max(1)),
            count: None,
            group_began: 0,
        }
    }

    /// The bias of a lane.
    pub fn set_bias(&mut self, tile: usize, lane: usize, bias: i32) {
        self.parameters[tile][lane].0 = bias;
    }

    /// The sums behind the last unit belong in this cycle to a position whose sums leave.
    pub fn leaving(&self) -> bool {
        self.units.front().is_some()
    }

    /// One clock cycle: returns the outputs of this cycle, then takes the clock edge.
    pub fn step(&mut self, inputs: &DrainInputs) -> DrainOutputs {
        let leaves = self.position.filter(|drained| drained.leaves);
        let bias = leaves.map(|drained| self.bias(drained.tile));
        let bias = self.bias.shift(bias);
        let outputs = self.outputs(bias);

        // Whatever is known at the beginning of the cycle decides, so the walk comes first.
        let room = self.sizes.direct || self.on_their_way + self.out.stored() < self.sizes.places();
        let settled = !self.unsettled;
        let before = self.on_their_way;
        let arrives = self.units.shift(leaves);
        let arrives = arrives.filter(|_| !self.sizes.direct);
        let scaled = arrives.map(|drained| self.scaled(&drained, &inputs.sums));
        let (come, counted) = self.scaling.shift(scaled).unzip();
        self.count = self.census.step(counted.flatten().as_ref(), inputs.asked);
        self.on_their_way -= usize::from(come.is_some());
        self.out.step(inputs.ready, come);
        let left = self.on_their_way;
        self.walk(room, settled);
        self.unsettled = before > 0 || self.on_their_way > left;
        self.take(inputs);
        self.clock += 1;
        outputs
    }

    /// What has been counted of a position; anything if nothing has.
    pub fn counted(&self, position: usize) -> u32 {
        self.census.count(position).unwrap_or(0)
    }

    fn outputs(&self, bias: Option<Vec<i32>>) -> DrainOutputs {
        let busy = self.started || self.waits;
        let walking = self.walk.front().map(|drained| drained.position.region);
        let region_busy = [false, true].map(|region| {
            (busy && self.words.region() == region)
                || walking == Some(region)
                || self.clock < self.passed[usize::from(region)]
        });
        let has_results = self.unsettled || !self.out.is_empty();
        DrainOutputs {
            busy,
            region: self.words.region(),
            region_busy,
            scale_busy: busy || walking.is_some() || self.unsettled,
            idle: region_busy == [false; 2] && !has_results,
            position: self.position.map(|drained| drained.position),
            bias,
            out: self.out.front(),
            count: self.count,
        }
    }

    /// The next position, of the command that is under way or of the one that waits.
    fn walk(&mut self, room: bool, settled: bool) {
        let goes_on = !self.walk.is_empty();
        if self.walk.is_empty() && self.waits {
            let fits = self.bounds == Some(self.words.bounds()) || !self.sizes.post;
            let leaves = self.words.leaves();
            if !leaves || room && (fits || settled) {
                self.walk = self.words.positions().into();
                self.waits = false;
                if leaves {
                    self.bounds = Some(self.words.bounds());
                }
            }
        }
        // Counts are written before they are read for the next group.
        let meets = |drained: &Drained| {
            goes_on && drained.counts && drained.group_first && self.clock < self.group_began + 4
        };
        let may_go = |drained: &&Drained| (!drained.leaves || room) && !meets(drained);
        let goes = self.walk.front().filter(may_go).is_some();
        self.position = match goes {
            true => self.walk.pop_front(),
            false => None,
        };
        if let Some(drained) = self.position {
            self.on_their_way += usize::from(drained.leaves && !self.sizes.direct);
            if drained.group_first {
                self.group_began = self.clock;
            }
            // On the wave in the next cycle.
            let passed = self.clock + 1 + self.sizes.units + 4;
            self.passed[usize::from(drained.position.region)] = passed;
        }
    }

    /// Words and parameters come.
    fn take(&mut self, inputs: &DrainInputs) {
        if let Some((index, word)) = inputs.word {
            self.words.0[index] = word;
        }
        self.waits |= self.started;
        self.started = inputs.start;
        let Some(word) = inputs.scale else { return };
        if !self.sizes.post {
            return;
        }
        let (bias, scale) = &mut self.parameters[word.tile % self.sizes.tiles][word.lane];
        match word.number {
            0 => *bias = word.data as i32,
            1 => self.multiplier = word.data,
            _ => {
                let data = u64::from(word.data & 63) << 32 | u64::from(self.multiplier);
                *scale = Scale::of_word(data, self.sizes.left_shift);
            }
        }
    }

    /// What the sums of a tile begin with.
    fn bias(&self, tile: usize) -> Vec<i32> {
        if !self.sizes.post && !self.sizes.direct {
            return vec![0; self.sizes.lanes];
        }
        let parameters = self.parameters[tile % self.sizes.tiles].iter();
        parameters.map(|(bias, _)| *bias).collect()
    }

    /// The words of 64 bits that sums become, and what is counted of them.
    fn scaled(&self, drained: &Drained, sums: &[i32]) -> Scaled {
        let pack = |bits: usize, values: &mut dyn Iterator<Item = u64>| {
            let values: Vec<u64> = values.collect();
            let words = values.chunks(64 / bits);
            let word = |values: &[u64]| {
                let values = values.iter().rev();
                values.fold(0, |word, value| word << bits | value)
            };
            (words.map(word).collect(), drained.last)
        };
        if !self.sizes.post {
            let mut sums = sums.iter().map(|sum| u64::from(*sum as u32));
            return (pack(32, &mut sums), None);
        }
        let bounds = self.bounds.expect("a command has begun");
        let parameters = &self.parameters[drained.tile % self.sizes.tiles];
        let byte = |(sum, (_, scale)): (&i32, &(i32, Scale))| {
            let scaled = requantise(*sum, *scale, bounds.single);
            scaled.min(bounds.hi).max(bounds.lo) as u8
        };
        let bytes: Vec<u8> = sums.iter().zip(parameters).map(byte).collect();
        let slot = pack(8, &mut bytes.iter().map(|byte| u64::from(*byte)));
        let counted = Counted {
            bytes,
            group_last: drained.group_last,
            last: drained.last,
        };
        (slot, Some(counted).filter(|_| drained.counts))
    }
}

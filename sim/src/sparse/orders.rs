//! The clocked registers of a unit, and its runs.

use std::collections::VecDeque;
use std::ops::Range;

use heddle_arch::isa::fields::sparse::{range, run, share};

use super::map::Part;
use super::unit::{Layout, Window};
use crate::delay::DelayLine;

/// Inputs in one clock cycle.
#[derive(Debug, Clone, Default)]
pub struct OrdersInputs {
    /// A register is written: its number and its value.
    pub write: Option<(usize, u32)>,
    /// A run is given: word 1 of SPARSE_RUN.
    pub run: Option<u32>,
    /// The last entries of a load come, for this set.
    pub filled: Option<usize>,
    /// A set that is to be read is taken.
    pub read_ready: bool,
    /// A set has been read.
    pub read_done: Option<usize>,
    /// Sets are read, or values or products are on their way.
    pub busy: bool,
}

/// Outputs in one clock cycle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrdersOutputs {
    /// A set is to be read.
    pub read: Option<usize>,
    /// A run may be given.
    pub run_ready: bool,
    /// A run names this half of the weights.
    pub half_busy: [bool; 2],
    /// A run names this region of the sums.
    pub region_busy: [bool; 2],
    /// There is a run.
    pub running: bool,
    /// The run under way waits for a set that is not full.
    pub waits: bool,
    /// Changes when a set is released.
    pub released: Vec<bool>,
}

/// A run, and the sets that it has not handed over.
#[derive(Debug, Clone)]
struct Run {
    word: u32,
    sets: VecDeque<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Set {
    Empty,
    Full,
    /// Handed over, not read yet.
    Claimed,
}

/// The registers and the runs.
#[derive(Debug, Clone)]
pub struct OrdersModel {
    registers: [u32; 8],
    run: Option<Run>,
    next: Option<Run>,
    sets: Vec<Set>,
    filled: DelayLine<Option<usize>>,
    released: Vec<bool>,
}

impl OrdersModel {
    /// Of a unit with so many sets.
    pub fn new(sets: usize) -> Self {
        Self {
            registers: [0; 8],
            run: None,
            next: None,
            sets: vec![Set::Empty; sets],
            filled: DelayLine::new(1),
            released: vec![false; sets],
        }
    }

    /// What the unit takes of a map.
    pub fn part(&self) -> Part {
        self.rectangle(0)
    }

    /// The results that it keeps in a region.
    pub fn window(&self, region: bool) -> Part {
        self.rectangle(if region { 6 } else { 4 })
    }

    /// Whose output channels it has.
    pub fn share(&self) -> usize {
        share::SHARE.get(self.registers[2]) as usize
    }

    /// The region of the run under way.
    pub fn region(&self) -> Option<bool> {
        let run = self.run.as_ref()?;
        Some(run::REGION.is_set(run.word))
    }

    /// The results of the run under way, in a memory of so many words.
    pub fn results(&self, words: usize) -> Option<Window> {
        let word = self.run.as_ref()?.word;
        let window = self.window(run::REGION.is_set(word));
        Some(Window {
            kernel: (
                run::KERNEL_ROWS.get(word) as i32 + 1,
                run::KERNEL_COLS.get(word) as i32 + 1,
            ),
            rows: window.rows,
            cols: window.cols,
            layout: Layout {
                pitch: run::PITCH.get(word),
                area: run::AREA.get(word),
                words,
            },
        })
    }

    fn rectangle(&self, rows: usize) -> Part {
        let range = |register: usize| -> Range<i32> {
            let word = self.registers[register];
            range::FIRST.get(word) as i32..range::END.get(word) as i32
        };
        Part {
            rows: range(rows),
            cols: range(rows + 1),
        }
    }

    /// Outputs in this cycle; they follow no input.
    pub fn outputs(&self) -> OrdersOutputs {
        let runs = || self.run.iter().chain(&self.next);
        let names = |flag: fn(u32) -> bool| {
            [false, true].map(|is_set| runs().any(|run| flag(run.word) == is_set))
        };
        OrdersOutputs {
            read: self.next_set(Set::Full),
            run_ready: self.next.is_none(),
            half_busy: names(|word| run::HALF.is_set(word)),
            region_busy: names(|word| run::REGION.is_set(word)),
            running: runs().next().is_some(),
            waits: self.next_set(Set::Empty).is_some(),
            released: self.released.clone(),
        }
    }

    /// The next set of the run under way, if this is its state.
    fn next_set(&self, state: Set) -> Option<usize> {
        let set = *self.run.as_ref()?.sets.front()?;
        (self.sets[set] == state).then_some(set)
    }

    /// One clock cycle: takes the clock edge.
    ///
    /// # Panics
    /// If a run is given where there is no room, or a set has been read without a run.
    pub fn step(&mut self, inputs: &OrdersInputs) {
        let read = self.next_set(Set::Full).filter(|_| inputs.read_ready);
        let ends = self.run.as_ref().is_some_and(|run| run.sets.is_empty()) && !inputs.busy;
        if let Some(set) = self.filled.shift(inputs.filled) {
            self.sets[set] = Set::Full;
        }
        if let Some(set) = inputs.read_done {
            self.done(set);
        }
        if let (Some(set), Some(run)) = (read, &mut self.run) {
            self.sets[set] = Set::Claimed;
            run.sets.pop_front();
        }
        if ends {
            self.run = None;
        }
        if self.run.is_none() {
            self.run = self.next.take();
        }
        if let Some(word) = inputs.run {
            assert!(self.next.is_none(), "a run waits until there is room");
            let first = run::SET.get(word) as usize;
            let chunks = run::CHUNKS.get(word) as usize + 1;
            let sets = (first..first + chunks).map(|set| set % self.sets.len());
            let sets = sets.collect();
            self.next = Some(Run { word, sets });
        }
        if let Some((register, value)) = inputs.write {
            self.registers[register] = value;
        }
    }

    /// A set has been read.
    fn done(&mut self, set: usize) {
        let run = self.run.as_ref().expect("sets are read for a run");
        if run::KEEP.is_set(run.word) {
            self.sets[set] = Set::Full;
        } else {
            self.sets[set] = Set::Empty;
            self.released[set] = !self.released[set];
        }
    }
}

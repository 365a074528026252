//! A unit of a cluster without clocks.

use std::collections::VecDeque;
use std::ops::Range;

use heddle_arch::isa::fields::sparse::{range, run, share};
use heddle_arch::isa::sparse::SparseError;
use heddle_arch::params::Sparse;

use super::interpreter::CommandFault;
use super::reference::{Entry, Tap, place};
use super::weights::FillWord;

/// What memories hold before they are written.
const NOISE: i32 = 0x5eed_c0de;

/// State of a set of entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SetState {
    /// It may be loaded.
    Free,
    /// A load has begun and not ended.
    Open,
    /// It may be read.
    Full,
}

/// A set of entries.
#[derive(Debug, Clone)]
pub(super) struct Set {
    pub(super) state: SetState,
    entries: Vec<Entry>,
}

/// A run of a unit.
#[derive(Debug, Clone)]
pub(super) struct Run {
    /// Word 1 of its command.
    word: u32,
    /// Sets that it has not read.
    sets: VecDeque<usize>,
}

impl Run {
    pub(super) fn new(word: u32, sets: usize) -> Self {
        let first = run::SET.get(word) as usize;
        let chunks = run::CHUNKS.get(word) as usize + 1;
        let names = (first..first + chunks).map(|set| set % sets);
        Self {
            word,
            sets: names.collect(),
        }
    }

    /// Half of the weights that it names.
    pub(super) fn half(&self) -> bool {
        run::HALF.is_set(self.word)
    }

    /// Region of the sums that it names.
    pub(super) fn region(&self) -> bool {
        run::REGION.is_set(self.word)
    }
}

/// The unit.
#[derive(Debug, Clone)]
pub(super) struct Unit {
    pub(super) registers: [u32; 8],
    pub(super) sets: Vec<Set>,
    /// One is under way, one waits.
    pub(super) runs: VecDeque<Run>,
    entry_max: usize,
    words: Vec<Option<Tap>>,
    lists: Vec<Option<Range<usize>>>,
    sums: Vec<Vec<i32>>,
}

impl Unit {
    pub(super) fn new(params: &Sparse) -> Self {
        let set = Set {
            state: SetState::Free,
            entries: Vec::new(),
        };
        let sums = vec![NOISE; params.channels as usize];
        Self {
            registers: [0; 8],
            sets: vec![set; params.map_sets as usize],
            runs: VecDeque::new(),
            entry_max: params.map_entries as usize,
            words: vec![None; params.weight_words as usize],
            lists: vec![None; params.lists as usize],
            sums: vec![sums; params.sums as usize],
        }
    }

    pub(super) fn share(&self) -> u32 {
        share::SHARE.get(self.registers[2])
    }

    /// Whether a result of a region is kept here.
    pub(super) fn keeps(&self, region: bool, row: u32, col: u32) -> bool {
        self.contains(if region { 6 } else { 4 }, row as i32, col as i32)
    }

    /// Whether a place lies in the rows of a register and the columns of the next one.
    fn contains(&self, register: usize, row: i32, col: i32) -> bool {
        let within = |word: u32, place: i32| {
            (range::FIRST.get(word) as i32..range::END.get(word) as i32).contains(&place)
        };
        within(self.registers[register], row) && within(self.registers[register + 1], col)
    }

    pub(super) fn begin(&mut self, set: usize) {
        self.sets[set].state = SetState::Open;
        self.sets[set].entries.clear();
    }

    /// Takes those entries that lie in its part.
    pub(super) fn append(&mut self, set: usize, entries: &[Entry]) -> Result<(), CommandFault> {
        if self.sets[set].state != SetState::Open {
            let message = "a load goes on with a set that is not open";
            return Err(CommandFault::Undefined(message));
        }
        let own = entries.iter();
        let own = own.filter(|entry| self.contains(0, entry.row, entry.col));
        let own: Vec<Entry> = own.copied().collect();
        let kept = &mut self.sets[set].entries;
        kept.extend(own);
        match kept.len() > self.entry_max {
            true => Err(CommandFault::Stops(SparseError::MapFull)),
            false => Ok(()),
        }
    }

    /// Words of weights from a word and a list on.
    pub(super) fn fill(
        &mut self,
        first: usize,
        list: usize,
        words: &[FillWord],
    ) -> Result<(), CommandFault> {
        let (mut begin, mut list) = (first, list);
        for (at, word) in (first..).zip(words) {
            self.words[at] = Some(word.tap());
            if word.index >> 15 == 0 {
                continue;
            }
            let is_empty = at == begin && word.weights.iter().all(|weight| *weight == 0);
            let place = self.lists.get_mut(list);
            let place = place.ok_or(CommandFault::Undefined("there are not so many lists"))?;
            *place = Some(begin..if is_empty { begin } else { at + 1 });
            (begin, list) = (at + 1, list + 1);
        }
        Ok(())
    }

    /// The words that a value of a channel meets.
    fn list(&self, channel: usize) -> Option<Vec<Tap>> {
        let list = self.lists.get(channel)?.clone()?;
        self.words[list].iter().cloned().collect()
    }

    /// The run under way reads its next set, if it is full.
    pub(super) fn step(&mut self) -> Result<bool, CommandFault> {
        let Some(run) = self.runs.front_mut() else {
            return Ok(false);
        };
        let set = run.sets[0];
        if self.sets[set].state != SetState::Full {
            return Ok(false);
        }
        run.sets.pop_front();
        let (word, is_done) = (run.word, run.sets.is_empty());
        for entry in self.sets[set].entries.clone() {
            self.meet(&entry, word)?;
        }
        if !run::KEEP.is_set(word) {
            self.sets[set].state = SetState::Free;
        }
        if is_done {
            self.runs.pop_front();
        }
        Ok(true)
    }

    /// A value meets its weights.
    fn meet(&mut self, entry: &Entry, word: u32) -> Result<(), CommandFault> {
        let window = if run::REGION.is_set(word) { 6 } else { 4 };
        let kernel = [run::KERNEL_ROWS, run::KERNEL_COLS].map(|side| side.get(word) as i32 + 1);
        let taps = self.list(entry.channel);
        let taps = taps.ok_or(CommandFault::Undefined("a list was not written"))?;
        for tap in taps {
            let (group, row, col) = place(entry, &tap, (kernel[0], kernel[1]));
            if !self.contains(window, row, col) {
                continue;
            }
            let words = (group << run::AREA.get(word)) + ((row as usize) << run::PITCH.get(word));
            let at = (words + col as usize) % self.sums.len();
            for (sum, weight) in self.sums[at].iter_mut().zip(&tap.weights) {
                *sum = sum.wrapping_add(entry.value * weight);
            }
        }
        Ok(())
    }

    /// Adds a word of sums to those of the units before.
    pub(super) fn drain(&mut self, word: usize, keeps: bool, sums: &mut [i32]) {
        let at = word % self.sums.len();
        for (sum, own) in sums.iter_mut().zip(&mut self.sums[at]) {
            *sum = sum.wrapping_add(*own);
            if !keeps {
                *own = 0;
            }
        }
    }
}

//! The clocked engine of SPARSE_WEIGHTS.

use std::collections::VecDeque;

use heddle_arch::isa::fields::sparse::{weights, weights_lists};

use super::weights::FillWord;
use crate::delay::DelayLine;

/// Inputs in one clock cycle.
#[derive(Debug, Clone, Default)]
pub struct FillInputs {
    /// A word of the command, and its place in it.
    pub command: Option<(usize, u32)>,
    /// The command begins.
    pub start: bool,
    /// A word of the record that is offered.
    pub weight: Option<u64>,
}

/// Outputs in one clock cycle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FillOutputs {
    /// A command is under way.
    pub busy: bool,
    /// The word of the record is taken.
    pub weight_ready: bool,
    /// Words will come: where they begin, and the number of their first list.
    pub begin: Option<(usize, usize)>,
    /// A word of weights.
    pub word: Option<FillWord>,
    /// Units that it is for.
    pub mask: Vec<bool>,
    /// Half of the memory that it belongs to.
    pub half: bool,
}

/// The engine.
#[derive(Debug, Clone)]
pub struct FillModel {
    lanes: usize,
    units: usize,
    /// Words of the last command.
    words: [u32; 5],
    /// Words of weights that are to come.
    left: usize,
    /// Indices of words to come.
    indices: VecDeque<u16>,
    /// Weights of the word that comes.
    bytes: Vec<i8>,
    begin: DelayLine<bool>,
    word: DelayLine<Option<FillWord>>,
    /// The last word on its way, and whether it is to be written.
    travels: VecDeque<bool>,
}

impl FillModel {
    /// Words of so many weights, for so many units.
    pub fn new(lanes: usize, units: usize) -> Self {
        Self {
            lanes,
            units,
            words: [0; 5],
            left: 0,
            indices: VecDeque::new(),
            bytes: Vec::new(),
            begin: DelayLine::new(1),
            word: DelayLine::new(1),
            // From unit to unit, and two cycles until its list is written.
            travels: vec![false; units + 2].into(),
        }
    }

    /// One clock cycle: returns the outputs of this cycle, then takes the clock edge.
    pub fn step(&mut self, inputs: &FillInputs) -> FillOutputs {
        let works = self.left > 0;
        let word = inputs.weight.filter(|_| works);
        let word = word.and_then(|word| self.take(word));
        let is_last = works && self.left == 0;
        let words = self.words;
        let begin = (
            weights::FIRST.get(words[1]) as usize,
            weights_lists::LIST.get(words[2]) as usize,
        );
        let mask = |unit| words[3 + unit / 32] >> (unit % 32) & 1 == 1;
        let outputs = FillOutputs {
            busy: works || self.travels.contains(&true),
            weight_ready: works,
            begin: self.begin.shift(inputs.start).then_some(begin),
            word: self.word.shift(word),
            mask: (0..self.units).map(mask).collect(),
            half: weights_lists::HALF.is_set(words[2]),
        };
        self.travels.pop_front();
        self.travels.push_back(is_last);
        if let Some((place, word)) = inputs.command {
            self.words[place] = word;
        }
        if inputs.start {
            self.left = weights::WORDS.get(self.words[1]) as usize;
            self.indices.clear();
        }
        outputs
    }

    /// Takes a word of the record; gives the word of weights that it completes.
    fn take(&mut self, word: u64) -> Option<FillWord> {
        if self.indices.is_empty() {
            self.indices = (0..4).map(|i| (word >> (16 * i)) as u16).collect();
            return None;
        }
        self.bytes.extend(word.to_le_bytes().map(|byte| byte as i8));
        if self.bytes.len() < self.lanes {
            return None;
        }
        self.left -= 1;
        let mut weights = std::mem::take(&mut self.bytes);
        weights.truncate(self.lanes);
        let index = self.indices.pop_front()?;
        Some(FillWord { weights, index })
    }
}

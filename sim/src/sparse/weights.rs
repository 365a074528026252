//! The weights of a unit.

use std::collections::VecDeque;
use std::ops::Range;

use super::reference::Tap;

/// A word of weights.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FillWord {
    /// Its weights.
    pub weights: Vec<i8>,
    /// Its index.
    pub index: u16,
}

impl FillWord {
    /// A word at a place of the kernel; `last` ends a list.
    pub fn new(tap: &Tap, last: bool) -> Self {
        let place = tap.row as u16 | (tap.col as u16) << 4 | (tap.group as u16) << 8;
        Self {
            weights: tap.weights.iter().map(|weight| *weight as i8).collect(),
            index: place | u16::from(last) << 15,
        }
    }

    pub(super) fn tap(&self) -> Tap {
        Tap {
            row: i32::from(self.index & 15),
            col: i32::from(self.index >> 4 & 15),
            group: usize::from(self.index >> 8 & 15),
            weights: self.weights.iter().copied().map(i32::from).collect(),
        }
    }
}

/// What fills the memory in one clock cycle.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fill {
    /// Words come from now on: where they begin, and the number of their first list.
    pub begin: Option<(usize, usize)>,
    /// A word.
    pub word: Option<FillWord>,
}

/// The memory. Words are there at once: no list is read before it has been written.
#[derive(Debug, Clone)]
pub struct WeightsModel {
    words: Vec<Tap>,
    lists: Vec<Range<usize>>,
    /// The list that is written, and its words so far.
    list: usize,
    written: Range<usize>,
}

impl WeightsModel {
    /// A memory of so many words and lists.
    pub fn new(words: usize, lists: usize) -> Self {
        let none = Tap {
            row: 0,
            col: 0,
            group: 0,
            weights: Vec::new(),
        };
        Self {
            words: vec![none; words],
            lists: vec![0..0; lists],
            list: 0,
            written: 0..0,
        }
    }

    /// Takes what comes in a clock cycle.
    ///
    /// # Panics
    /// If a word or a list lies outside the memory.
    pub fn fill(&mut self, fill: &Fill) {
        if let Some((word, list)) = fill.begin {
            self.list = list;
            self.written = word..word;
        }
        if let Some(word) = &fill.word {
            self.words[self.written.end] = word.tap();
            self.written.end += 1;
            if word.index >> 15 == 1 {
                self.end_list();
            }
        }
    }

    /// An empty list is one word of zeros.
    fn end_list(&mut self) {
        let Range { start, end } = self.written;
        let is_zero = self.words[start].weights.iter().all(|weight| *weight == 0);
        let is_empty = end - start == 1 && is_zero;
        self.lists[self.list] = start..if is_empty { start } else { end };
        self.list += 1;
        self.written = end..end;
    }

    /// The words of a list.
    pub fn list(&self, number: usize) -> VecDeque<Tap> {
        self.words[self.lists[number].clone()]
            .iter()
            .cloned()
            .collect()
    }
}

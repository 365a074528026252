//! The clocked sliced memory as seen at its ports.

use super::packing::{enables, mask, pop};
use crate::delay::DelayLine;

/// Slice accesses of one clock cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Accesses {
    /// Mask slice read.
    pub mask_read: bool,
    /// Mask slice written.
    pub mask_write: bool,
    /// First data slice read.
    pub a_read: bool,
    /// First data slice written.
    pub a_write: bool,
    /// Second data slice read.
    pub b_read: bool,
    /// Second data slice written.
    pub b_write: bool,
}

/// Inputs of one clock cycle. Words are numbers: byte k is bits 8k+7..8k.
#[derive(Debug, Clone, Copy, Default)]
pub struct SlicedInputs {
    /// Word written: (word address, data).
    pub write: Option<(u16, u64)>,
    /// Word address read.
    pub read: Option<u16>,
}

/// Outputs of one clock cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SlicedOutputs {
    /// The word requested two cycles ago, if one was requested.
    pub rdata: Option<u64>,
    /// Accesses made in this cycle.
    pub accesses: Accesses,
}

/// One mask slice and two data slices. Mask access in the request cycle, data slices one cycle
/// later, word after two cycles.
#[derive(Debug, Clone)]
pub struct SlicedModel {
    widths: [usize; 2],
    words: Vec<u64>,
    data_accesses: DelayLine<Accesses>,
    answers: DelayLine<Option<u64>>,
}

impl SlicedModel {
    /// A memory of `depth` words whose first data slice has `first` bytes (1 to 7). Words start at
    /// zero here; in the hardware they are undefined until written.
    pub fn new(depth: usize, first: usize) -> Self {
        Self {
            widths: [first, 8 - first],
            words: vec![0; depth],
            data_accesses: DelayLine::new(1),
            answers: DelayLine::new(2),
        }
    }

    /// One clock cycle: returns the outputs of this cycle, then takes the clock edge.
    ///
    /// # Panics
    /// If an address lies outside the memory.
    pub fn step(&mut self, inputs: &SlicedInputs) -> SlicedOutputs {
        let mut later = Accesses::default();
        if let Some((address, data)) = inputs.write {
            self.words[usize::from(address)] = data;
            [later.a_write, later.b_write] = self.slices_of(data);
        }
        // After the write: a read in the same cycle returns the new word.
        let word = inputs.read.map(|address| self.words[usize::from(address)]);
        if let Some(word) = word {
            [later.a_read, later.b_read] = self.slices_of(word);
        }
        SlicedOutputs {
            rdata: self.answers.shift(word),
            accesses: Accesses {
                mask_read: inputs.read.is_some(),
                mask_write: inputs.write.is_some(),
                ..self.data_accesses.shift(later)
            },
        }
    }

    /// Content of a word, for checks.
    pub fn word(&self, address: u16) -> u64 {
        self.words[usize::from(address)]
    }

    fn slices_of(&self, word: u64) -> [bool; 2] {
        let needed = enables(pop(&mask(&word.to_be_bytes())), &self.widths);
        [needed[0], needed[1]]
    }
}

//! Registers in a row.

use super::StreamWord;

/// A stream through registers, each of which moves on as soon as there is room.
#[derive(Debug, Clone)]
pub struct Pipe {
    words: Vec<Option<StreamWord>>,
}

impl Pipe {
    /// So many registers.
    pub fn new(depth: usize) -> Self {
        Self {
            words: vec![None; depth],
        }
    }

    /// The word at the output.
    pub fn front(&self) -> Option<StreamWord> {
        *self.words.last().expect("there is a register")
    }

    /// There is no word.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(Option::is_none)
    }

    /// A word would be taken: a register is free, or one becomes so.
    pub fn ready(&self, ready: bool) -> bool {
        ready || self.words.contains(&None)
    }

    /// The clock edge: what comes, if it is taken, and whether the word at the output is.
    pub fn clock(&mut self, word: Option<StreamWord>, ready: bool) {
        // All before the last free register move on.
        let moving = match ready {
            true => self.words.len(),
            false => self
                .words
                .iter()
                .rposition(Option::is_none)
                .map_or(0, |at| at + 1),
        };
        if moving > 0 {
            self.words[..moving].rotate_right(1);
            self.words[0] = word;
        }
    }
}

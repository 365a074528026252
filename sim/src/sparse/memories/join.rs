//! Two streams become one.

use super::super::net::StreamWord;

/// Lists of two streams, each as a whole.
#[derive(Debug, Clone, Default)]
pub struct JoinModel {
    word: Option<StreamWord>,
    /// The stream whose list is under way.
    list: Option<usize>,
}

impl JoinModel {
    /// The word at the output.
    pub fn front(&self) -> Option<StreamWord> {
        self.word
    }

    /// The stream that has its turn.
    fn turn(&self, words: [Option<StreamWord>; 2]) -> usize {
        self.list.unwrap_or(usize::from(words[0].is_none()))
    }

    /// Which stream's word would be taken.
    pub fn ready(&self, words: [Option<StreamWord>; 2], ready: bool) -> [bool; 2] {
        let free = self.word.is_none() || ready;
        [0, 1].map(|stream| free && stream == self.turn(words))
    }

    /// The clock edge.
    pub fn clock(&mut self, words: [Option<StreamWord>; 2], ready: bool) {
        if self.word.is_none() || ready {
            let turn = self.turn(words);
            self.word = words[turn];
            if let Some(word) = self.word {
                self.list = Some(turn).filter(|_| !word.last);
            }
        }
    }
}

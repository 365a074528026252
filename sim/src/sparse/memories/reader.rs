//! What reads a set.

use std::collections::VecDeque;

use super::super::net::StreamWord;
use super::super::reference::Entry;

/// Reads a list: one word stands at the buffer, two behind it.
#[derive(Debug, Clone, Default)]
pub struct ReaderModel {
    /// Entries that have been read; the last one has.
    at: usize,
    ended: bool,
    read: Option<StreamWord>,
    kept: VecDeque<StreamWord>,
}

impl ReaderModel {
    /// The word at the output.
    pub fn front(&self) -> Option<StreamWord> {
        self.kept.front().copied()
    }

    /// The last word of the list leaves the buffer.
    pub fn done(&self) -> bool {
        self.kept.len() < 2 && self.read.is_some_and(|word| word.last)
    }

    /// The clock edge: the set that is to be read, if there is one, for a memory or not; whether the word at the output is taken.
    pub fn clock(&mut self, set: Option<(&[Entry], bool)>, ready: bool) {
        let has_room = self.kept.len() < 2;
        let done = self.done();
        if ready {
            self.kept.pop_front();
        }
        if has_room {
            self.kept.extend(self.read.take());
        }
        if self.read.is_none() && !self.ended {
            self.read = set.map(|(entries, to_memory)| self.next(entries, to_memory));
        }
        if done {
            (self.at, self.ended) = (0, false);
        }
    }

    /// An empty set is a word without an entry.
    fn next(&mut self, entries: &[Entry], to_memory: bool) -> StreamWord {
        let none = Entry {
            value: 0,
            channel: 0,
            row: 0,
            col: 0,
        };
        let entry = entries.get(self.at).copied().unwrap_or(none);
        self.at += 1;
        self.ended = self.at >= entries.len();
        StreamWord {
            entry,
            last: self.ended,
            to_memory,
        }
    }
}

//! Copies of the weight unit: words on their way from one address to another.

use std::collections::VecDeque;

use heddle_arch::word::{WORD_BYTES, WordBytes};

use super::super::datapath::Datapath;
use super::super::meetings::{Client, Meeting};
use super::super::walk::Step;
use super::{Clockwork, Trap};

/// A word of all partitions that copy.
#[derive(Debug, Clone)]
struct Copied {
    /// Cycle in which an address is accepted that meets the copy.
    due: u64,
    word: usize,
    /// One word for each partition.
    data: Vec<WordBytes>,
}

/// The copy in progress and what is on its way.
#[derive(Debug, Clone, Default)]
pub(super) struct Copies {
    /// Partitions and distance of the weight unit's instruction, if it is a copy.
    current: Option<(usize, u32)>,
    on_the_way: VecDeque<Copied>,
    /// Cycle in which a destination outside the memory comes to light, and what then stops the machine.
    fault: Option<(u64, Trap)>,
    /// From this cycle on the weight unit is idle.
    pub(super) idle_from: u64,
}

impl Copies {
    pub(super) fn begin(&mut self, rows: u32, distance: u32) {
        self.current = Some((rows as usize, distance));
    }

    /// The weight unit loads weights.
    pub(super) fn end(&mut self) {
        self.current = None;
    }

    pub(super) fn is_current(&self) -> bool {
        self.current.is_some()
    }
}

impl Clockwork {
    /// Writes the words that whoever accepts an address in this cycle meets. Tells of a destination in the cycle
    /// behind that of its word.
    pub(super) fn write_copies(&mut self, data: &mut Datapath) -> Result<(), Trap> {
        let now = self.now;
        let copies = &mut self.copies;
        while copies
            .on_the_way
            .front()
            .is_some_and(|copied| copied.due <= now)
        {
            let copied = copies.on_the_way.pop_front().expect("there is a front");
            data.write_copy(copied.word, &copied.data);
        }
        match copies.fault.take_if(|(due, _)| *due == now) {
            Some((_, trap)) => Err(trap),
            None => Ok(()),
        }
    }

    /// Reads a word of all partitions that copy.
    pub(super) fn take_copy(&mut self, data: &mut Datapath, step: &Step) {
        let Some((rows, distance)) = self.copies.current else {
            return;
        };
        self.accept_words(Client::Copy, step.address, rows);
        let words = data.read_copy((step.address / WORD_BYTES) as usize, rows);
        let destination = (step.address / WORD_BYTES * WORD_BYTES + distance) & 0xffff;
        let limit = self.params.work_bytes();
        let place = self
            .weights
            .check_address(destination, limit, "destination of a copy");
        match place {
            Ok(address) => {
                data.announce_copy(address / WORD_BYTES as usize, &words);
                self.copies.on_the_way.push_back(Copied {
                    due: self.now + self.clocks.copy,
                    word: address / WORD_BYTES as usize,
                    data: words,
                });
            }
            Err(trap) => self.copies.fault = Some((self.now + 1, trap)),
        }
        self.copies.idle_from = self.now + self.clocks.copy_idle;
        self.weights.accept();
        self.progress = true;
    }

    /// What is on its way arrives, whether the program goes on or not. Gives a meeting that is still to come.
    pub fn finish(&mut self, data: &mut Datapath) -> Option<Meeting> {
        for copied in self.copies.on_the_way.drain(..) {
            data.write_copy(copied.word, &copied.data);
        }
        self.meetings.as_mut()?.finish(&data.memory)
    }
}

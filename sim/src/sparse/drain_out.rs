//! Where results wait until they leave.

use std::collections::VecDeque;

/// A queue in a memory with a register at its output: what comes is at the output three cycles later, and leaves in words, of 64 bits unless it leaves whole. What is written
/// between clocks as a queue is a counter or a memory in the hardware.
#[derive(Debug, Clone)]
pub struct OutQueue<T = u64> {
    stored: VecDeque<(Vec<T>, bool)>,
    shown: Option<(Vec<T>, bool)>,
    out: Option<(VecDeque<T>, bool)>,
}

impl<T> Default for OutQueue<T> {
    fn default() -> Self {
        Self {
            stored: VecDeque::new(),
            shown: None,
            out: None,
        }
    }
}

impl<T: Clone> OutQueue<T> {
    /// The word at the output, and whether it is the last one of a last result.
    pub fn front(&self) -> Option<(T, bool)> {
        let (words, last) = self.out.as_ref()?;
        Some((words[0].clone(), *last && words.len() == 1))
    }

    /// Results in the memory.
    pub fn stored(&self) -> usize {
        self.stored.len()
    }

    /// Nothing is here.
    pub fn is_empty(&self) -> bool {
        self.stored.is_empty() && self.shown.is_none() && self.out.is_none()
    }

    /// One clock edge: the word at the output is taken if `ready`, the others go on, those in front first, and a result comes.
    pub fn step(&mut self, ready: bool, come: Option<(Vec<T>, bool)>) {
        if let Some((words, _)) = &mut self.out {
            if ready {
                words.pop_front();
            }
        }
        self.out.take_if(|(words, _)| words.is_empty());
        if self.out.is_none() {
            let next = self.shown.take();
            self.out = next.map(|(words, last)| (words.into(), last));
        }
        if self.shown.is_none() {
            self.shown = self.stored.pop_front();
        }
        self.stored.extend(come);
    }
}

//! Accesses of the register port to the memories of the engine, and its starts, as a queue of things to do.

use std::collections::VecDeque;

/// What reaches the unit in a clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct WindowInputs {
    /// Reset is not active.
    pub alive: bool,
    /// The engine is reset.
    pub clear: bool,
    /// Starts the program here.
    pub start: Option<u16>,
    /// START_PC.
    pub pc: u16,
    /// HOST_ZERO.
    pub zero: u8,
    /// Write, else read.
    pub access: Option<bool>,
    /// A program runs.
    pub running: bool,
    /// The engine takes a request, or would take any.
    pub ready: bool,
    /// The engine answers a read.
    pub answer: Option<u64>,
}

/// What the unit says in a clock.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WindowOutputs {
    /// An access is under way.
    pub busy: bool,
    /// A start is under way.
    pub starting: bool,
    /// An access is taken.
    pub next: bool,
    /// Word of the last read.
    pub word: Option<u64>,
    /// The request: whether it is a write.
    pub request: Option<bool>,
    /// Zero point of the access that is under way, until its end.
    pub zero: Option<u8>,
    /// The engine starts here.
    pub start: Option<u16>,
}

/// What is asked for, in the order of asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Task {
    Access {
        write: bool,
        zero: u8,
    },
    /// It can be seen a clock after it has become the next.
    Start {
        pc: u16,
        seen: bool,
    },
}

/// The unit, clock by clock.
#[derive(Debug, Clone, Default)]
pub struct WindowModel {
    tasks: VecDeque<Task>,
    /// Zero point of a read that was taken and has no answer.
    reads: Option<u8>,
    starting: bool,
    start: Option<u16>,
    word: Option<u64>,
}

impl WindowModel {
    /// One clock cycle: the outputs of this cycle, then the clock edge.
    pub fn step(&mut self, inputs: &WindowInputs) -> WindowOutputs {
        let request = match self.tasks.front() {
            Some(Task::Access { write, .. }) if self.start.is_none() => Some(*write),
            _ => None,
        };
        let waiting = self.tasks.iter().find_map(|task| match task {
            Task::Access { zero, .. } => Some(*zero),
            Task::Start { .. } => None,
        });
        let zero = self.reads.or(waiting);
        let taken = request.filter(|_| inputs.ready);
        let outputs = WindowOutputs {
            busy: zero.is_some(),
            zero,
            starting: self.starting,
            next: taken.is_some(),
            word: self.word,
            request,
            start: self.start,
        };
        let keeps = inputs.alive && !inputs.clear;
        if inputs.alive {
            self.word = inputs.answer.or(self.word);
        }
        if !keeps {
            *self = Self {
                word: self.word.filter(|_| inputs.alive),
                ..Self::default()
            };
            return outputs;
        }
        self.starting = (self.starting && !inputs.running) || inputs.start.is_some();
        self.reads = match taken {
            Some(false) => zero,
            _ => self.reads.filter(|_| inputs.answer.is_none()),
        };
        self.start = None;
        match self.tasks.front_mut() {
            Some(Task::Access { .. }) if taken.is_some() => _ = self.tasks.pop_front(),
            Some(Task::Start { pc, seen: true }) if inputs.ready => {
                self.start = Some(*pc);
                self.tasks.pop_front();
            }
            Some(Task::Start { seen, .. }) if !outputs.busy => *seen = true,
            _ => {}
        }
        if let Some(write) = inputs.access {
            let zero = inputs.zero;
            self.tasks.push_back(Task::Access { write, zero });
        }
        if let Some(pc) = inputs.start {
            self.tasks.push_back(Task::Start { pc, seen: false });
        }
        outputs
    }
}

//! A feature-map memory.

use super::super::net::StreamWord;
use super::super::reference::Entry;
use super::ReaderModel;

/// What becomes of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Job {
    /// It is written from outside.
    Load = 1,
    /// It is written from another memory.
    Copy,
    /// It is written with results of a unit.
    Store,
    /// It is read for a unit.
    Unit,
    /// It is read for another memory.
    Memory,
    /// It is read for outside.
    Out,
}

impl Job {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Load,
        Self::Copy,
        Self::Store,
        Self::Unit,
        Self::Memory,
        Self::Out,
    ];

    /// Each side of a switch has one job at a time.
    fn side(self) -> usize {
        match self {
            Self::Load | Self::Copy => 0,
            Self::Store => 1,
            Self::Unit | Self::Memory => 2,
            Self::Out => 3,
        }
    }
}

/// What lies in which buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryLayout {
    /// Any set has any job.
    Free,
    /// The first set is for inputs, the second one for results.
    Roles,
    /// Sets share their buffers.
    Shared,
}

/// An order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order {
    /// The memory.
    pub memory: usize,
    /// The set.
    pub set: usize,
    /// What becomes of it; none is wrong.
    pub job: Option<Job>,
    /// It keeps its entries.
    pub append: bool,
}

/// Inputs in one clock cycle.
#[derive(Debug, Clone, Copy, Default)]
pub struct MemoryInputs {
    /// An order for this memory.
    pub order: Option<Order>,
    /// Words from outside, from another memory, of results.
    pub words: [Option<StreamWord>; 3],
    /// Words for units or memories, and for outside, are taken.
    pub ready: [bool; 2],
}

/// What came of a clock cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MemoryEvents {
    /// An entry found its set full.
    pub full: bool,
    /// A list ended with the entry that filled its set.
    pub exactly_full: bool,
    /// An order was wrong.
    pub wrong: bool,
}

/// The memory.
#[derive(Debug, Clone)]
pub struct FeatureMemoryModel {
    layout: MemoryLayout,
    entry_max: usize,
    /// There is a network to other memories.
    copies: bool,
    sets: [Vec<Entry>; 2],
    jobs: [Option<Job>; 2],
    /// For units or memories, and for outside.
    readers: [ReaderModel; 2],
}

impl FeatureMemoryModel {
    /// A memory of two sets of so many entries.
    pub fn new(entry_max: usize, layout: MemoryLayout, copies: bool) -> Self {
        Self {
            layout,
            entry_max,
            copies,
            sets: Default::default(),
            jobs: [None; 2],
            readers: Default::default(),
        }
    }

    /// The words for units or memories, and for outside.
    pub fn outputs(&self) -> [Option<StreamWord>; 2] {
        [self.readers[0].front(), self.readers[1].front()]
    }

    /// A set has this job.
    pub fn has(&self, job: Job) -> bool {
        self.jobs.contains(&Some(job))
    }

    /// The set is in use.
    pub fn busy(&self, set: usize) -> bool {
        self.jobs[set].is_some()
    }

    fn is_wrong(&self, order: Order) -> bool {
        let Some(job) = order.job else { return true };
        let copies = matches!(job, Job::Copy | Job::Memory);
        let is_for = match job {
            Job::Load | Job::Copy => Some(0),
            Job::Store => Some(1),
            _ => None,
        };
        copies && !self.copies
            || self.layout == MemoryLayout::Roles && is_for.is_some_and(|set| set != order.set)
    }

    /// The order would be taken.
    pub fn order_ready(&self, order: Order) -> bool {
        let may_have = |job: Job| {
            let other = self.jobs[1 - order.set];
            let meets = other.is_some_and(|other| other.side() == job.side());
            let shares = self.layout == MemoryLayout::Shared && other.is_some();
            self.jobs[order.set].is_none() && !meets && !shares
        };
        self.is_wrong(order) || order.job.is_some_and(may_have)
    }

    /// The clock edge.
    pub fn clock(&mut self, inputs: &MemoryInputs) -> MemoryEvents {
        let taken = inputs.order.filter(|order| self.order_ready(*order));
        let wrong = inputs.order.is_some_and(|order| self.is_wrong(order));
        let mut events = MemoryEvents::default();
        for set in 0..2 {
            self.write(set, &inputs.words, &mut events);
        }
        for side in 0..2 {
            self.read(side, inputs.ready[side]);
        }
        if let Some((order, job)) = taken
            .filter(|_| !wrong)
            .and_then(|order| Some((order, order.job?)))
        {
            self.jobs[order.set] = Some(job);
            if job.side() < 2 && !order.append {
                self.sets[order.set].clear();
            }
        }
        MemoryEvents { wrong, ..events }
    }

    /// Takes the word that comes to a set.
    fn write(&mut self, set: usize, words: &[Option<StreamWord>; 3], events: &mut MemoryEvents) {
        let source = match self.jobs[set] {
            Some(job @ (Job::Load | Job::Copy | Job::Store)) => job as usize - 1,
            _ => return,
        };
        let Some(word) = words[source] else {
            return;
        };
        if word.last {
            self.jobs[set] = None;
        }
        if word.entry.value == 0 {
            return;
        }
        let entries = &mut self.sets[set];
        if entries.len() == self.entry_max {
            events.full = true;
            return;
        }
        entries.push(word.entry);
        events.exactly_full |= word.last && entries.len() == self.entry_max;
    }

    fn read(&mut self, side: usize, ready: bool) {
        let job = |set: &usize| self.jobs[*set].filter(|job| job.side() == 2 + side);
        let set = (0..2).find(|set| job(set).is_some());
        let done = self.readers[side].done();
        let entries = set.map(|set| {
            let to_memory = self.jobs[set] == Some(Job::Memory);
            (self.sets[set].as_slice(), to_memory)
        });
        self.readers[side].clock(entries, ready);
        if let Some(set) = set.filter(|_| done) {
            self.jobs[set] = None;
        }
    }
}

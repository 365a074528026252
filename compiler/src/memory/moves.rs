//! Weights that do not fit at once: places that several layers share, and what the program loads into them, when.
//!
//! What a layer shares with no other stays in its place. Anything else is loaded again for each image, in the part of a place that a layer
//! before leaves as soon as that layer is done. The clocks here choose places, and where LOADs stand; that these wait as they must is none of
//! their business.

use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;

/// Clocks from the begin of a LOAD that has words to its last word, with one of a job before it: 1,024 words of it may be under way.
const LATENCY: u64 = 64 + 1024;
/// Places that are tried for a layer.
const TRIED: usize = 256;

/// Weights of a layer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    pub layer: usize,
    /// Words in a partition, and partitions.
    pub words: u32,
    pub rows: u32,
    /// Clocks from its begin to that of the next layer with weights.
    pub clocks: u64,
}

/// Where a LOAD stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Slot {
    /// In front of the instructions of a layer.
    Before(usize),
    /// Behind the first instruction of a layer that takes weights: those of the layers before have been read.
    Behind(usize),
}

/// What the program loads at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Moved {
    /// The layer whose weights they are.
    pub layer: usize,
    /// Words of a partition, and partitions from the first one on.
    pub words: Range<u32>,
    pub rows: u32,
    pub slot: Slot,
}

/// Places of the weights, and LOADs in their order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Moves {
    /// First word of the weights of each layer that has some, in the order of the layers.
    pub places: Vec<(usize, u32)>,
    pub loads: Vec<Moved>,
    /// Clocks in which the machine waits for loads, about.
    pub waiting: u64,
}

/// Places in so many words of each partition for which the fewest clocks are lost, and of these the fewest words are loaded again; for a queue of so many
/// commands. None if a layer does not fit.
pub(super) fn moves(items: &[Item], room: u32, queue: u32) -> Option<Moves> {
    let mut places: Vec<Option<u32>> = vec![None; items.len()];
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|&at| (std::cmp::Reverse(items[at].words), at));
    for at in order {
        let last = room.checked_sub(items[at].words)?;
        let placed = || items.iter().zip(&places);
        let taken = placed().filter_map(|(item, place)| Some((*place)?..(*place)? + item.words));
        let taken: Vec<Range<u32>> = taken.collect();
        let ends = taken.iter().map(|other| other.end);
        let begins = taken
            .iter()
            .map(|other| other.start.saturating_sub(items[at].words));
        let tried: BTreeSet<u32> = ends.chain(begins).chain([0, last]).collect();
        let tried = || tried.range(..=last).copied();
        let is_free = |place: &u32| {
            let own = *place..*place + items[at].words;
            taken.iter().all(|other| !meet(&own, other))
        };
        places[at] = tried().find(is_free);
        if places[at].is_none() {
            let lost = |&place: &u32| {
                let mut places = places.clone();
                places[at] = Some(place);
                let (waiting, loads) = loads(items, &places, queue);
                (waiting, loads.iter().map(Moved::words).sum::<u64>())
            };
            places[at] = tried().take(TRIED).min_by_key(lost);
        }
    }
    let (waiting, loads) = loads(items, &places, queue);
    Some(Moves {
        places: (items.iter().zip(&places))
            .filter_map(|(item, place)| Some((item.layer, (*place)?)))
            .collect(),
        loads,
        waiting,
    })
}

impl Moves {
    /// Words that are loaded for an image.
    pub fn words(&self) -> u64 {
        self.loads.iter().map(Moved::words).sum()
    }
}

impl Moved {
    /// The same behind so many words.
    pub fn from(&self, base: u32) -> Self {
        let Range { start, end } = self.words;
        Self {
            words: base + start..base + end,
            ..self.clone()
        }
    }

    /// Words of memory.
    pub fn words(&self) -> u64 {
        self.words.len() as u64 * u64::from(self.rows)
    }
}

fn meet(a: &Range<u32>, b: &Range<u32>) -> bool {
    a.start < b.end && b.start < a.end
}

/// Part of what an item shares with others: which item had the place before, if not in the image before.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Shared {
    item: usize,
    words: Range<u32>,
    behind: Option<usize>,
}

/// What items with places share with others, in the order in which they need it.
fn shared(items: &[Item], places: &[Option<u32>]) -> Vec<Shared> {
    let place = |item: usize| places[item].map(|first| first..first + items[item].words);
    let mut all = Vec::new();
    for item in 0..items.len() {
        let Some(own) = place(item) else { continue };
        let others = (0..items.len()).filter_map(|other| Some((other, place(other)?)));
        let others = others.filter(|(other, words)| *other != item && meet(words, &own));
        let others: Vec<(usize, Range<u32>)> = others.collect();
        let ends = others
            .iter()
            .flat_map(|(_, words)| [words.start, words.end]);
        let ends = ends.chain([own.start, own.end]);
        let ends: BTreeSet<u32> = ends
            .filter(|end| (own.start..=own.end).contains(end))
            .collect();
        let ends: Vec<u32> = ends.into_iter().collect();
        let from = all.len();
        for words in ends.windows(2).map(|ends| ends[0]..ends[1]) {
            let there = others.iter().filter(|(_, other)| meet(other, &words));
            let there = there.map(|&(other, _)| other);
            if there.clone().next().is_none() {
                continue;
            }
            let behind = there.filter(|&other| other < item).max();
            match all[from..].last_mut() {
                Some(Shared {
                    words: before,
                    behind: same,
                    ..
                }) if *same == behind && before.end == words.start => before.end = words.end,
                _ => all.push(Shared {
                    item,
                    words,
                    behind,
                }),
            }
        }
    }
    all
}

/// The clocks that are lost, and the LOADs in their order. A LOAD stands where its place is free and the queue has room for it, as far as clocks
/// tell, but at last in front of the layer that needs it.
fn loads(items: &[Item], places: &[Option<u32>], queue: u32) -> (u64, Vec<Moved>) {
    let mut line = Line {
        queue: queue as usize,
        ..Line::default()
    };
    let mut rest = shared(items, places);
    let mut made = Vec::new();
    let Some(first) = items.first() else {
        return (0, made);
    };
    let issue = |line: &mut Line,
                 rest: &mut Vec<Shared>,
                 slot,
                 number: usize,
                 free: &dyn Fn(&Shared) -> bool| {
        let Shared {
            item, mut words, ..
        } = rest.remove(number);
        // What lies behind it comes with it.
        while rest
            .get(number)
            .is_some_and(|next| next.item == item && next.words.start == words.end && free(next))
        {
            words.end = rest.remove(number).words.end;
        }
        let Item { layer, rows, .. } = items[item];
        let load = Moved {
            layer,
            words,
            rows,
            slot,
        };
        line.issue(item, load.words());
        load
    };
    let early = |line: &mut Line,
                 rest: &mut Vec<Shared>,
                 made: &mut Vec<Moved>,
                 slot,
                 free: &dyn Fn(&Shared) -> bool| {
        while line.has_room() {
            let Some(number) = rest.iter().position(free) else {
                break;
            };
            made.push(issue(line, rest, slot, number, free));
        }
    };
    early(
        &mut line,
        &mut rest,
        &mut made,
        Slot::Before(first.layer),
        &|shared| shared.behind.is_none(),
    );
    for (at, item) in items.iter().enumerate() {
        while let Some(number) = rest.iter().position(|shared| shared.item == at) {
            made.push(issue(
                &mut line,
                &mut rest,
                Slot::Before(item.layer),
                number,
                &|_| true,
            ));
        }
        line.wait(at);
        early(
            &mut line,
            &mut rest,
            &mut made,
            Slot::Behind(item.layer),
            &|shared| shared.behind.is_none_or(|before| before < at),
        );
        line.clock += item.clocks;
    }
    (line.waiting, made)
}

/// Clocks as they pass.
#[derive(Debug, Default)]
struct Line {
    queue: usize,
    clock: u64,
    /// When the words of all loads are through.
    idle: u64,
    /// Ends of loads, and whose they are.
    open: VecDeque<(u64, usize)>,
    waiting: u64,
}

impl Line {
    fn until(&mut self, clock: u64) {
        self.waiting += clock.saturating_sub(self.clock);
        self.clock = self.clock.max(clock);
        while self.open.front().is_some_and(|(end, _)| *end <= self.clock) {
            self.open.pop_front();
        }
    }

    fn has_room(&mut self) -> bool {
        self.until(self.clock);
        self.open.len() < self.queue
    }

    fn issue(&mut self, item: usize, words: u64) {
        if !self.has_room() {
            let (end, _) = self.open[self.open.len() - self.queue];
            self.until(end);
        }
        self.idle = self.idle.max(self.clock) + words;
        self.open.push_back((self.idle + LATENCY, item));
    }

    /// The loads of an item are done.
    fn wait(&mut self, item: usize) {
        let own = self.open.iter().filter(|(_, other)| *other == item);
        if let Some(end) = own.map(|(end, _)| *end).max() {
            self.until(end);
        }
    }
}

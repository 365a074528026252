//! Weights that do not fit at once: places that several layers share, and what the program loads into them, when.
//!
//! What a layer shares with no other stays in its place. Anything else is loaded again for each image, in the part of a place that a layer
//! before leaves as soon as that layer is done. The clocks here choose places, and where LOADs stand; that these wait as they must is none of
//! their business.

use std::cmp::Reverse;
use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;

/// Clocks from the begin of a LOAD that has words to its last word, with one of a job before it: 1,024 words of it may be under way.
const LATENCY: u64 = 64 + 1024;
/// Places that are tried for a layer, and rings.
const TRIED: usize = 64;

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

/// Places in so many words of each partition for which the fewest clocks are lost, and of these the fewest words are loaded again; for so many
/// commands that may be open. None if a layer does not fit.
pub(super) fn moves(items: &[Item], room: u32, open: usize) -> Option<Moves> {
    if items.iter().any(|item| item.words > room) {
        return None;
    }
    let rings = (0..items.len().min(TRIED)).map(|first| ring(items, room, first));
    let made = rings.chain([apart(items, room, open)]).map(|places| {
        let (waiting, loads) = loads(items, &places, open);
        Moves {
            places: (items.iter().zip(&places))
                .filter_map(|(item, place)| Some((item.layer, (*place)?)))
                .collect(),
            loads,
            waiting,
        }
    });
    made.min_by_key(|moves| (moves.waiting, moves.words()))
}

/// First words of items that have a place.
type Places = Vec<Option<u32>>;

/// Places one behind the other from an item on, and from the begin again where there is no room: good where there is room for a few items only.
fn ring(items: &[Item], room: u32, first: usize) -> Places {
    let mut places = vec![None; items.len()];
    let mut next = 0;
    for at in (first..items.len()).chain(0..first) {
        if next + items[at].words > room {
            next = 0;
        }
        places[at] = Some(next);
        next += items[at].words;
    }
    places
}

/// Places by themselves as long as there are such, and then those that cost least: good where there is room for most items.
fn apart(items: &[Item], room: u32, open: usize) -> Places {
    let mut places: Places = vec![None; items.len()];
    let mut order: Vec<usize> = (0..items.len()).collect();
    // Nothing hides a load of what comes first. Then the longest.
    order.sort_by_key(|&at| (at > 0, Reverse(items[at].words), at));
    for at in order {
        let words = items[at].words;
        let taken = items.iter().zip(&places);
        let taken = taken.filter_map(|(item, place)| Some((*place)?..(*place)? + item.words));
        let taken: Vec<Range<u32>> = taken.collect();
        let ends = taken.iter().map(|other| other.end);
        let begins = taken.iter().map(|other| other.start.saturating_sub(words));
        let tried: BTreeSet<u32> = ends.chain(begins).chain([0, room - words]).collect();
        let tried = || tried.range(..=room - words).copied();
        let is_free = |place: &u32| {
            !taken
                .iter()
                .any(|other| meet(&(*place..place + words), other))
        };
        let lost = |&place: &u32| {
            let mut places = places.clone();
            places[at] = Some(place);
            let (waiting, loads) = loads(items, &places, open);
            (waiting, loads.iter().map(Moved::words).sum::<u64>())
        };
        let free = tried().find(is_free);
        places[at] = free.or_else(|| tried().take(TRIED).min_by_key(lost));
    }
    places
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
fn shared(items: &[Item], places: &Places) -> Vec<Shared> {
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

/// The clocks that are lost, and the LOADs in their order. A LOAD stands where its place is free and a command more may be open, as far as clocks
/// tell, but at last in front of the layer that needs it.
fn loads(items: &[Item], places: &Places, open: usize) -> (u64, Vec<Moved>) {
    let mut line = Line {
        most: open,
        ..Line::default()
    };
    let mut program = Program {
        items,
        rest: shared(items, places),
        made: Vec::new(),
    };
    if let Some(first) = items.first() {
        let is_free = |shared: &Shared| shared.behind.is_none();
        program.early(&mut line, Slot::Before(first.layer), is_free);
    }
    for (at, item) in items.iter().enumerate() {
        while let Some(number) = program.rest.iter().position(|shared| shared.item == at) {
            program.issue(&mut line, Slot::Before(item.layer), number, |_| true);
        }
        line.wait(at);
        let is_free = |shared: &Shared| shared.behind.is_none_or(|before| before < at);
        program.early(&mut line, Slot::Behind(item.layer), is_free);
        line.clock += item.clocks;
    }
    (line.waiting, program.made)
}

/// LOADs, and what is still to be loaded.
struct Program<'a> {
    items: &'a [Item],
    rest: Vec<Shared>,
    made: Vec<Moved>,
}

impl Program<'_> {
    /// All that is free, as long as a command more may be open.
    fn early(&mut self, line: &mut Line, slot: Slot, is_free: impl Fn(&Shared) -> bool) {
        while line.has_room() {
            let Some(number) = self.rest.iter().position(&is_free) else {
                break;
            };
            self.issue(line, slot, number, &is_free);
        }
    }

    /// A part of the rest, with what lies behind it and is free.
    fn issue(
        &mut self,
        line: &mut Line,
        slot: Slot,
        number: usize,
        is_free: impl Fn(&Shared) -> bool,
    ) {
        let Shared {
            item, mut words, ..
        } = self.rest.remove(number);
        let follows = |next: &Shared, end: u32| next.item == item && next.words.start == end;
        while let Some(next) = self.rest.get(number)
            && follows(next, words.end)
            && is_free(next)
        {
            words.end = self.rest.remove(number).words.end;
        }
        let Item { layer, rows, .. } = self.items[item];
        let load = Moved {
            layer,
            words,
            rows,
            slot,
        };
        line.issue(item, load.words());
        self.made.push(load);
    }
}

/// Clocks as they pass.
#[derive(Debug, Default)]
struct Line {
    /// Commands that may be open.
    most: usize,
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
        self.open.len() < self.most
    }

    fn issue(&mut self, item: usize, words: u64) {
        if !self.has_room() {
            let (end, _) = self.open[self.open.len() - self.most];
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

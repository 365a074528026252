//! LOADs of layers that share places, as clocks tell where they stand.

use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;

use super::items::{Item, Moved, Places, Slot, meet};

/// Clocks from the begin of a LOAD that has words to its last word, with one of a job before it: 1,024 words of it may be under way.
const LATENCY: u64 = 64 + 1024;
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
pub(super) fn loads(items: &[Item], places: &Places, open: usize) -> (u64, Vec<Moved>) {
    let mut line = Line {
        most: open,
        ..Line::default()
    };
    let mut program = Program {
        items,
        rest: shared(items, places),
        made: Vec::new(),
    };
    let mut there = 0;
    if let Some(first) = items.first() {
        there = line.tensors(first.tensors[0]);
        let is_free = |shared: &Shared| shared.behind.is_none();
        program.early((&mut line, 0), Slot::Before(first.layer), is_free);
    }
    for (at, item) in items.iter().enumerate() {
        while let Some(number) = program.rest.iter().position(|shared| shared.item == at) {
            program.issue(&mut line, Slot::Before(item.layer), number, |_| true);
        }
        line.wait(at);
        line.until(there);
        let stored = at
            .checked_sub(1)
            .map_or(0, |before| items[before].tensors[1]);
        let loaded = items.get(at + 1).map_or(0, |next| next.tensors[0]);
        there = line.tensors(stored + loaded);
        let is_free = |shared: &Shared| shared.behind.is_none_or(|before| before < at);
        program.early((&mut line, item.clocks), Slot::Behind(item.layer), is_free);
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
    /// All that is free, as long as a command more may be open and the bus has time in these clocks; the next to be needed has no time to lose.
    fn early(
        &mut self,
        (line, clocks): (&mut Line, u64),
        slot: Slot,
        is_free: impl Fn(&Shared) -> bool,
    ) {
        let next = self.rest.first().map(|shared| shared.item);
        while line.has_room() {
            let has_time = line.tensors == 0 || line.idle <= line.clock + clocks;
            let is_due = |shared: &Shared| has_time || Some(shared.item) == next;
            let found = { self.rest.iter() }.position(|shared| is_free(shared) && is_due(shared));
            let Some(number) = found else {
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
    /// Words of tensors so far.
    tensors: u64,
}

impl Line {
    /// Words of tensors; gives the clock in which they are through.
    fn tensors(&mut self, words: u64) -> u64 {
        if words == 0 {
            return 0;
        }
        self.tensors += words;
        self.idle = self.idle.max(self.clock) + words;
        self.idle + LATENCY
    }

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

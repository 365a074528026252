//! Weights that do not fit at once: places that several layers share, and what the program loads into them, when.
//!
//! What a layer shares with no other stays in its place. Anything else is loaded again for each image, in the part of a place that a layer
//! before leaves as soon as that layer is done. The clocks here choose places, and where LOADs stand; that these wait as they must is none of
//! their business.

mod items;
mod loads;

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Range;

use items::{Places, meet};
use loads::loads;

pub(super) use items::Item;
pub(crate) use items::{Moved, Slot};

/// Items of which all places are tried: of more it takes too long.
const FEW: usize = 128;
/// Places that are tried for a layer, and rings.
const TRIED: usize = 64;

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
    let few = items.len() <= FEW;
    let rings = if few { TRIED } else { 1 };
    let rings = (0..items.len().min(rings)).map(|first| ring(items, room, first));
    let apart = few.then(|| apart(items, room, open));
    let made = rings.chain(apart).map(|places| {
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

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    fn items(sizes: &[u32], clocks: u64) -> Vec<Item> {
        let item = |(layer, &words)| Item {
            layer,
            words,
            rows: 2,
            clocks,
            tensors: [0; 2],
        };
        sizes.iter().enumerate().map(item).collect()
    }

    #[test]
    fn only_what_others_overwrite_is_loaded_again() {
        for (sizes, room, words) in [
            (&[10, 10, 10][..], 30, 0),
            (&[10, 10, 10], 24, 12),
            (&[10, 10, 10, 4], 30, 8),
            // Three that share a place save two.
            (&[4, 8, 8, 8], 12, 24),
            (&[10, 10], 10, 20),
        ] {
            let found = moves(&items(sizes, 1 << 20), room, 5).expect("each has room");
            assert_eq!(found.words(), 2 * words, "{sizes:?} in {room}: {found:?}");
            assert!(found.loads.iter().all(|load| load.rows == 2));
        }
        assert_eq!(moves(&items(&[10, 11], 1), 10, 5), None);
    }

    /// Each word holds what a layer reads, whatever was there before the image.
    #[test]
    fn whatever_the_places_are_each_layer_finds_its_words() {
        let mut rng = ChaCha8Rng::seed_from_u64(21);
        let (mut early, mut late) = (0, 0);
        for _ in 0..300 {
            let room = rng.random_range(20..60);
            let count = rng.random_range(1..12);
            let sizes: Vec<u32> = (0..count).map(|_| rng.random_range(1..=20)).collect();
            let items = items(&sizes, rng.random_range(1..6000));
            let open = rng.random_range(1..6);
            let found = moves(&items, room, open).expect("each has room");
            let place = |layer: usize| {
                let (_, first) = found.places[layer];
                first..first + sizes[layer]
            };
            let is_loaded = |layer: usize, word: u32| {
                let mut loads = found.loads.iter();
                loads.any(|load| load.layer == layer && load.words.contains(&word))
            };
            // What is written once, for words that no load writes.
            let mut memory = vec![None; room as usize];
            for layer in 0..sizes.len() {
                for word in place(layer).filter(|&word| !is_loaded(layer, word)) {
                    assert_eq!(memory[word as usize].replace(layer), None);
                }
            }
            let mut loads = found.loads.iter().peekable();
            for _ in 0..2 {
                for layer in 0..sizes.len() {
                    let mut take = |slot| {
                        while let Some(load) = loads.next_if(|load| load.slot == slot) {
                            let words = load.words.clone();
                            words.for_each(|word| memory[word as usize] = Some(load.layer));
                            late += usize::from(load.slot == Slot::Before(load.layer));
                            early += usize::from(load.slot != Slot::Before(load.layer));
                        }
                    };
                    take(Slot::Before(layer));
                    take(Slot::Behind(layer));
                    for word in place(layer) {
                        assert_eq!(memory[word as usize], Some(layer), "{found:?}");
                    }
                }
                assert_eq!(loads.next(), None);
                loads = found.loads.iter().peekable();
            }
        }
        assert!(early > 300 && late > 100, "{early} early, {late} late");
    }
}

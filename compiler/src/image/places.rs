//! Which places transfers and runs meet in, and transfers in parts.

use std::collections::BTreeMap;
use std::ops::Range;

use heddle_arch::transfer::{Space, Transfer, Walk};
use heddle_arch::word::WORD_BYTES;

/// Places of the memories, in whatever partition, row or column.
#[derive(Debug, Clone, Default)]
pub(super) struct Places(BTreeMap<Space, Vec<bool>>);

impl Places {
    /// Those of some transfers.
    pub fn of<'a>(transfers: impl IntoIterator<Item = &'a Transfer>) -> Self {
        let mut all = Self::default();
        for transfer in transfers {
            places(transfer).for_each(|place| all.add(transfer.space, place));
        }
        all
    }

    fn add(&mut self, space: Space, place: u32) {
        let found = self.0.entry(space).or_default();
        let place = place as usize;
        found.resize(found.len().max(place + 1), false);
        found[place] = true;
    }

    /// Words of the state buffer in which these bytes lie, too.
    pub fn add_bytes(&mut self, bytes: &Range<u32>) {
        let words = bytes.start / WORD_BYTES..bytes.end.div_ceil(WORD_BYTES);
        words.for_each(|word| self.add(Space::Buffer, word));
    }

    /// Whether a transfer meets one of them.
    pub fn meet(&self, transfer: &Transfer) -> bool {
        let own = self.0.get(&transfer.space);
        own.is_some_and(|own| {
            let mut places = places(transfer);
            places.any(|place| own.get(place as usize) == Some(&true))
        })
    }
}

/// The places of a transfer.
fn places(transfer: &Transfer) -> impl Iterator<Item = u32> + use<> {
    let (space, first) = (transfer.space, transfer.place[0]);
    let [x, y, z] = transfer.loops;
    // Columns are walked inside, and tiles outside.
    let x = if space == Space::Columns {
        Walk::ONCE
    } else {
        x
    };
    // The same again in other partitions.
    let once = |walk: Walk| match walk.step {
        0 => Walk::ONCE,
        _ => walk,
    };
    let [x, y, z] = [x, y, z].map(once);
    let turns = (0..z.count).flat_map(move |k| {
        (0..y.count)
            .flat_map(move |j| (0..x.count).map(move |i| [i * x.step, j * y.step, k * z.step]))
    });
    turns.map(move |steps| first + steps.iter().sum::<u32>())
}

/// The same words as transfers of at most so many places, cut at the outermost loops.
pub(super) fn parts(transfer: Transfer, most: u32) -> Vec<Transfer> {
    let turns = |number: usize| u64::from(transfer.loops[number].count);
    let all = transfer.places();
    let Some(outer) = (0..3).rev().find(|&number| turns(number) > 1) else {
        return vec![transfer];
    };
    if all <= u64::from(most) {
        return vec![transfer];
    }
    let inner = all / turns(outer);
    let step = (u64::from(most) / inner).max(1) as u32;
    let whole = transfer.loops[outer].count;
    let cut = (0..whole).step_by(step as usize).map(|first| {
        let mut part = transfer;
        part.loops[outer].count = step.min(whole - first);
        if part.loops[outer].count == 1 && outer > 0 {
            part.loops[outer] = Walk::ONCE;
        }
        let walk = transfer.loops[outer];
        part.offset += first * walk.pitch;
        let columns = transfer.space == Space::Columns && outer == 0;
        part.place[usize::from(columns)] += first * walk.step;
        if transfer.partitions == outer as u32 + 1 {
            part.place[1] += first;
            if part.loops[outer].count == 1 {
                part.partitions = 0;
            }
        }
        part
    });
    cut.flat_map(|part| parts(part, most)).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Space, place, partition or column, and byte of memory of each word.
    fn words(transfers: &[Transfer]) -> BTreeSet<[u32; 4]> {
        let mut found = BTreeSet::new();
        for transfer in transfers {
            let [x, y, z] = transfer.loops;
            for turn in 0..x.count * y.count * z.count {
                let turns = [
                    turn % x.count,
                    turn / x.count % y.count,
                    turn / x.count / y.count,
                ];
                let sum = |of: fn(&Walk) -> u32| -> u32 {
                    (0..3).map(|at| turns[at] * of(&transfer.loops[at])).sum()
                };
                let walked = match transfer.partitions {
                    0 => 0,
                    number => turns[number as usize - 1],
                };
                let column = match transfer.space {
                    Space::Columns => turns[0],
                    _ => 0,
                };
                found.insert([
                    transfer.space as u32,
                    transfer.place[0] + sum(|walk| walk.step) - column,
                    transfer.place[1] + walked + column,
                    transfer.offset + sum(|walk| walk.pitch),
                ]);
            }
        }
        found
    }

    #[test]
    fn parts_have_the_words_of_the_whole() {
        let walk = |count, step, pitch| Walk { count, step, pitch };
        let buffer = |partitions, loops| Transfer {
            space: Space::Buffer,
            region: 0,
            fill: false,
            partitions,
            zero: 0,
            offset: 64,
            place: [100, 2],
            loops,
        };
        let columns = Transfer {
            space: Space::Columns,
            place: [3, 1],
            ..buffer(0, [walk(15, 1, 16), walk(9, 1, 240), Walk::ONCE])
        };
        let mut cut = 0;
        for transfer in [
            buffer(2, [walk(7, 1, 8), walk(8, 0, 56), walk(5, 7, 448)]),
            buffer(3, [walk(7, 1, 8), walk(4, 7, 56), walk(6, 0, 224)]),
            buffer(1, [walk(13, 0, 8), Walk::ONCE, Walk::ONCE]),
            buffer(0, [walk(500, 1, 8), Walk::ONCE, Walk::ONCE]),
            columns,
        ] {
            for most in [1, 4, 10, 30, 64, 200, 1024] {
                let found = parts(transfer, most);
                for part in &found {
                    let count: u32 = part.loops.iter().map(|walk| walk.count).product();
                    assert!(count <= most, "{part:?}");
                    part.encode().expect("it fits its fields");
                }
                assert_eq!(words(&found), words(&[transfer]));
                let all: u32 = transfer.loops.iter().map(|walk| walk.count).product();
                assert_eq!(found.len() == 1, all <= most);
                cut += usize::from(found.len() > 1);
                let places = Places::of([&transfer]);
                assert!(found.iter().all(|part| places.meet(part)));
            }
        }
        assert!(cut > 20, "{cut}");
    }
}

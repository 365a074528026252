//! Zeros as LOADs that read no memory: two loops over places, and one over partitions.

use std::collections::BTreeSet;

use heddle_arch::transfer::{Space, Transfer, Walk};

/// Distances that an inner loop is tried with: those to so many next places.
const DISTANCES: usize = 16;
/// Turns of the inner loop.
const TURNS_MAX: u32 = 1 << 13;
/// Largest distance of places.
const STEP_MAX: u32 = (1 << 13) - 1;

/// Places at equal distances, and those at equal distances from all of them.
#[derive(Debug, Clone, Copy)]
struct Grid {
    first: u32,
    /// Turns and distance of the inner loop, then of the outer one.
    loops: [(u32, u32); 2],
}

/// Few transfers that fill these places of the state buffer in some partitions.
pub(crate) fn fills(places: &BTreeSet<u32>, partitions: &[u32]) -> Vec<Transfer> {
    let follows = |a: &u32, b: &u32| *b == *a + 1;
    let ranges: Vec<&[u32]> = partitions.chunk_by(follows).collect();
    let mut transfers = Vec::new();
    for grid in grids(places) {
        transfers.extend(ranges.iter().map(|range| grid.transfer(range)));
    }
    transfers
}

/// Grids in these places that have all of them; some may be in several.
fn grids(places: &BTreeSet<u32>) -> Vec<Grid> {
    let mut rest = places.clone();
    let mut grids = Vec::new();
    while let Some(&first) = rest.first() {
        let new = |grid: &Grid| grid.places().filter(|place| rest.contains(place)).count();
        let grid = found(places, first).into_iter().max_by_key(new);
        let grid = grid.expect("there is one of a single place");
        grid.places().for_each(|place| {
            rest.remove(&place);
        });
        grids.push(grid);
    }
    grids
}

/// Grids that begin at a place.
fn found(places: &BTreeSet<u32>, first: u32) -> Vec<Grid> {
    let next = places.range(first + 1..).take(DISTANCES);
    let inner = next.map(|&place| place - first);
    let inner = inner.filter(|step| *step <= STEP_MAX).chain([1]);
    let mut grids = Vec::new();
    for step in inner {
        let turns = |from: u32| {
            let all = (0..TURNS_MAX).map(|turn| from + turn * step);
            all.take_while(|place| places.contains(place)).count() as u32
        };
        let count = turns(first);
        grids.push(Grid {
            first,
            loops: [(count, step), (1, 0)],
        });
        // The same again, where it begins another time.
        let begins = |place: &u32| {
            place
                .checked_sub(step)
                .is_none_or(|last| !places.contains(&last))
        };
        let others = places.range(first + 1..).filter(|place| begins(place));
        for &other in others {
            let outer = other - first;
            if outer > STEP_MAX {
                break;
            }
            let rows = (1..).take_while(|row| turns(first + row * outer) >= count);
            grids.push(Grid {
                first,
                loops: [(count, step), (1 + rows.count() as u32, outer)],
            });
        }
    }
    grids
}

impl Grid {
    fn places(&self) -> impl Iterator<Item = u32> + use<> {
        let (first, [inner, outer]) = (self.first, self.loops);
        (0..outer.0).flat_map(move |row| {
            (0..inner.0).map(move |turn| first + row * outer.1 + turn * inner.1)
        })
    }

    /// The fill in a range of partitions.
    fn transfer(&self, partitions: &[u32]) -> Transfer {
        let walk = |(count, step): (u32, u32)| match count {
            1 => Walk::ONCE,
            _ => Walk {
                count,
                step,
                pitch: 0,
            },
        };
        let [inner, outer] = self.loops;
        let several = partitions.len() > 1;
        Transfer {
            space: Space::Buffer,
            region: 0,
            fill: true,
            partitions: if several { 2 } else { 0 },
            zero: 0,
            offset: 0,
            place: [self.first, partitions[0]],
            loops: [
                Walk {
                    step: inner.1,
                    ..walk(inner)
                },
                walk((partitions.len() as u32, 0)),
                walk(outer),
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_of_planes_are_few_fills() {
        // Rows of three words, of which the last is an edge, under a row of edges; planes one behind the other.
        let plane = |first: u32| {
            let row = (0..3).map(move |word| first + word);
            row.chain((1..8).map(move |row| first + 3 * row + 2))
        };
        for (gap, most) in [(0, 2), (5, 4), (100, 4)] {
            let places: BTreeSet<u32> = (0..8).flat_map(|at| plane(40 + at * (24 + gap))).collect();
            let transfers = fills(&places, &[0, 1, 2, 5, 7, 8]);
            let mut filled = BTreeSet::new();
            for transfer in &transfers {
                transfer.encode().expect("it fits its fields");
                let [x, y, z] = transfer.loops;
                for turn in 0..x.count * z.count {
                    let place = turn % x.count * x.step + turn / x.count * z.step;
                    for partition in 0..y.count {
                        filled.insert((transfer.place[1] + partition, transfer.place[0] + place));
                    }
                }
            }
            let expected = [0, 1, 2, 5, 7, 8].into_iter();
            let expected = expected.flat_map(|p| places.iter().map(move |&place| (p, place)));
            assert_eq!(filled, expected.collect());
            // Three ranges of partitions.
            assert!(transfers.len() <= 3 * most, "{gap}: {}", transfers.len());
        }
    }

    #[test]
    fn all_zeros_in_a_row_are_one_fill() {
        let places: BTreeSet<u32> = (7..8192).collect();
        assert_eq!(fills(&places, &[0, 1, 2]).len(), 1);
        assert_eq!(fills(&BTreeSet::from([3]), &[4]).len(), 1);
        assert!(fills(&BTreeSet::new(), &[4]).is_empty());
    }
}

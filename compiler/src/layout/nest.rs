//! Loops found in lists of words: pieces that follow one another become an inner loop, equal pieces at equal distances outer ones.

use heddle_arch::transfer::{Space, Transfer, Walk};
use heddle_arch::word::WORD_BYTES;

/// Places that the inner loop can walk.
const INNER_MAX: u32 = 1 << 13;
/// Turns of an outer loop.
const OUTER_MAX: u32 = 1 << 16;
/// Largest distance of places.
const STEP_MAX: u32 = (1 << 13) - 1;

/// Places that follow one another, and as many words of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece {
    /// Partition, row of a table, or column.
    pub partition: u32,
    /// First place.
    pub place: u32,
    /// Places.
    pub count: u32,
    /// First byte of memory.
    pub memory: u32,
}

/// What transfers of pieces have in common.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kind {
    pub space: Space,
    pub region: u32,
    pub zero: u8,
}

/// Distances of two nests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Distance {
    partition: u32,
    place: u32,
    memory: u32,
}

/// An outer loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Outer {
    count: u32,
    distance: Distance,
}

/// A piece with outer loops around it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Nest {
    first: Piece,
    outer: Vec<Outer>,
}

impl Kind {
    /// As few transfers of these pieces as neighbours allow.
    pub fn transfers(self, pieces: &[Piece]) -> Vec<Transfer> {
        let mut nests: Vec<Nest> = Vec::new();
        for &piece in pieces {
            match nests.last_mut() {
                Some(last) if self.follows(&last.first, &piece) => last.first.count += piece.count,
                _ => nests.push(Nest {
                    first: piece,
                    outer: Vec::new(),
                }),
            }
        }
        let loops = match self.space {
            Space::Columns => 1,
            _ => 2,
        };
        for _ in 0..loops {
            let distance = |a: &Nest, b: &Nest| self.distance(a, b);
            nests = folded(nests, distance, |nest, count, distance| {
                nest.outer.push(Outer { count, distance });
            });
        }
        nests.iter().map(|nest| self.transfer(nest)).collect()
    }

    /// Whether a piece lies right behind another one, here and in memory.
    fn follows(self, last: &Piece, next: &Piece) -> bool {
        let places = matches!(self.space, Space::Buffer | Space::Rows | Space::Tables);
        places
            && next.partition == last.partition
            && next.place == last.place + last.count
            && last.count + next.count <= INNER_MAX
            && next.memory == last.memory + WORD_BYTES * last.count
    }

    /// The distance of two nests, if a loop can have it.
    fn distance(self, a: &Nest, b: &Nest) -> Option<Distance> {
        let distance = Distance {
            partition: b.first.partition.checked_sub(a.first.partition)?,
            place: b.first.place.checked_sub(a.first.place)?,
            memory: b.first.memory.checked_sub(a.first.memory)?,
        };
        let walks = a.outer.iter().any(|outer| outer.distance.partition > 0);
        let may_walk = self.space.has_partitions() && !walks;
        let fits = distance.place <= STEP_MAX
            && distance.partition <= u32::from(may_walk)
            && a.first.count == b.first.count
            && a.outer == b.outer;
        fits.then_some(distance)
    }

    fn transfer(self, nest: &Nest) -> Transfer {
        let Piece {
            partition,
            place,
            count,
            memory,
        } = nest.first;
        let walk = |number: usize| {
            nest.outer.get(number).map_or(Walk::ONCE, |outer| Walk {
                count: outer.count,
                step: outer.distance.place,
                pitch: outer.distance.memory,
            })
        };
        let walks = |outer: &Outer| outer.distance.partition > 0;
        let partitions = nest.outer.iter().position(walks);
        let streams = matches!(self.space, Space::Weights | Space::Commands);
        Transfer {
            space: self.space,
            region: self.region,
            fill: false,
            partitions: partitions.map_or(0, |number| 2 + number as u32),
            zero: self.zero,
            offset: memory,
            place: [place, partition],
            loops: [
                Walk {
                    count,
                    step: u32::from(!streams),
                    pitch: WORD_BYTES * self.space.words(),
                },
                walk(0),
                walk(1),
            ],
        }
    }
}

/// Runs of neighbours at equal distances, each as its first one with a loop more, that `add` gives it.
pub(crate) fn folded<N: Clone, D: PartialEq>(
    nests: Vec<N>,
    distance: impl Fn(&N, &N) -> Option<D>,
    add: impl Fn(&mut N, u32, D),
) -> Vec<N> {
    // How many from the first on have the same distance.
    let run = |nests: &[N]| {
        let distances = nests.windows(2).map(|pair| distance(&pair[0], &pair[1]));
        let mut distances = distances.take(OUTER_MAX as usize - 1);
        match distances.next() {
            Some(Some(first)) => {
                let first = Some(first);
                2 + distances.take_while(|next| *next == first).count()
            }
            _ => nests.len().min(1),
        }
    };
    let mut found = Vec::new();
    let mut rest = &nests[..];
    while let Some(first) = rest.first() {
        let mut count = run(rest);
        // Two that happen to be alike do not break up a longer run.
        if count == 2 && run(&rest[1..]) > 2 {
            count = 1;
        }
        let mut nest = first.clone();
        if let Some(distance) = rest[..count].get(1).and_then(|next| distance(first, next)) {
            add(&mut nest, count as u32, distance);
        }
        found.push(nest);
        rest = &rest[count..];
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIND: Kind = Kind {
        space: Space::Buffer,
        region: 1,
        zero: 0,
    };

    /// All words that transfers of the state buffer move: partition, word, byte of memory.
    fn moved(transfers: &[Transfer]) -> Vec<[u32; 3]> {
        let mut all = Vec::new();
        for transfer in transfers {
            let [x, y, z] = transfer.loops;
            for (k, j, i) in (0..z.count)
                .flat_map(|k| (0..y.count).flat_map(move |j| (0..x.count).map(move |i| (k, j, i))))
            {
                let turn = [0, i, j, k][transfer.partitions as usize];
                all.push([
                    transfer.place[1] + turn,
                    transfer.place[0] + i * x.step + j * y.step + k * z.step,
                    transfer.offset + i * x.pitch + j * y.pitch + k * z.pitch,
                ]);
            }
        }
        all
    }

    fn check(pieces: &[Piece], transfers: usize) {
        let found = KIND.transfers(pieces);
        let expected = pieces.iter().flat_map(|piece| {
            (0..piece.count).map(|i| [piece.partition, piece.place + i, piece.memory + 8 * i])
        });
        let mut expected: Vec<_> = expected.collect();
        let mut words = moved(&found);
        expected.sort_unstable();
        words.sort_unstable();
        assert_eq!(words, expected);
        assert_eq!(found.len(), transfers, "{found:?}");
        for transfer in found {
            transfer.encode().expect("it fits its fields");
        }
    }

    fn piece(partition: u32, place: u32, count: u32, memory: u32) -> Piece {
        Piece {
            partition,
            place,
            count,
            memory,
        }
    }

    #[test]
    fn rows_partitions_and_planes_are_loops() {
        let planes = |gap: u32, copies: bool| -> Vec<Piece> {
            let rows =
                (0..2).flat_map(|g| (0..4).flat_map(move |p| (0..5).map(move |y| (g, p, y))));
            rows.map(|(g, p, y)| {
                let channel = if copies { 0 } else { 4 * g + p };
                piece(p, 100 * g + (2 + gap) * y, 2, 80 * channel + 16 * y)
            })
            .collect()
        };
        check(&planes(0, false), 1);
        check(&planes(1, false), 2);
        check(&planes(0, true), 1);
        check(&[piece(1, 7, 3, 0)], 1);
        check(&[], 0);
    }

    #[test]
    fn one_that_is_apart_does_not_break_up_a_run() {
        let run = (0..4).map(|p| piece(p, 9, 2, 16 * p + 160));
        let pieces: Vec<Piece> = [piece(0, 3, 2, 0)].into_iter().chain(run).collect();
        check(&pieces, 2);
        // Places beyond a step, memory that goes back, other lengths.
        check(&[piece(0, 0, 1, 0), piece(0, 8191, 1, 8)], 1);
        check(&[piece(0, 9, 1, 0), piece(0, 1, 1, 8)], 2);
        check(&[piece(0, 0, 1, 16), piece(0, 2, 1, 8)], 2);
        check(&[piece(0, 0, 1, 0), piece(1, 0, 2, 8)], 2);
        check(&[piece(0, 0, 1, 0), piece(2, 0, 1, 8)], 2);
    }
}

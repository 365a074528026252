//! Random nests: the rows give the addresses that the loops of the text give when they are run.

use std::collections::BTreeMap;

use crate::nest::{addresses, unit};
use heddle_arch::traverse::{EndTest, RowKind, UnitShape};
use heddle_blocks::nest::{Affine, Array, For, Nest, Refusal, Use};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A statement of a program that can be run.
enum Node {
    Loop {
        index: String,
        start: i64,
        bound: i64,
        step: i64,
        body: Vec<Node>,
    },
    Access {
        array: usize,
        subscripts: Vec<(i64, Vec<(String, i64)>)>,
    },
}

/// An array with explicit places of its elements.
struct Memory {
    sizes: Vec<u64>,
    base: u64,
    displacement: u64,
    pitches: Vec<u64>,
}

struct Random {
    rng: ChaCha8Rng,
    memories: Vec<Memory>,
    names: u32,
}

impl Random {
    /// A chain of loops around the use of an array of its own; with `attach` its loops hold further
    /// statements.
    fn chain(&mut self, depth: usize, attach: bool) -> Node {
        let mut loops = Vec::new();
        for _ in 0..depth {
            let start = self.rng.random_range(-3i64..6);
            let size = self.rng.random_range(1i64..=3);
            let step = if self.rng.random_range(0..4) == 0 {
                -size
            } else {
                size
            };
            let trips = self.rng.random_range(1i64..=4);
            let overshoot = self.rng.random_range(0..size) * step.signum();
            let bound = start + step * trips - overshoot;
            self.names += 1;
            loops.push((format!("i{}", self.names), start, bound, step, trips));
        }
        let mut node = self.access(&loops);
        for (position, (index, start, bound, step, _)) in loops.into_iter().enumerate().rev() {
            let mut body = vec![node];
            let innermost = position + 1 == depth;
            while attach && !innermost && self.rng.random_range(0..4) == 0 {
                let depth = self.rng.random_range(0..2);
                let extra = self.chain(depth, false);
                let at = self.rng.random_range(0..=body.len());
                body.insert(at, extra);
            }
            node = Node::Loop {
                index,
                start,
                bound,
                step,
                body,
            };
        }
        node
    }

    fn access(&mut self, loops: &[(String, i64, i64, i64, i64)]) -> Node {
        let dimensions = self.rng.random_range(1..=3);
        let mut subscripts = Vec::new();
        let mut sizes = Vec::new();
        for dimension in 0..dimensions {
            let mut terms = Vec::new();
            let (mut low, mut high) = (0, 0);
            for (position, (index, start, _, step, trips)) in loops.iter().enumerate() {
                // Each loop moves in one dimension, sometimes in two or none.
                let own = position % dimensions == dimension && self.rng.random_range(0..10) != 0;
                if !own && self.rng.random_range(0..12) != 0 {
                    continue;
                }
                let factor = [1, 1, 1, 2, -1][self.rng.random_range(0..5)];
                let (first, last) = (factor * start, factor * (start + step * (trips - 1)));
                low += first.min(last);
                high += first.max(last);
                terms.push((index.clone(), factor));
            }
            let constant = self.rng.random_range(0..3) - low;
            subscripts.push((constant, terms));
            sizes.push((high + constant) as u64 + self.rng.random_range(1..3));
        }
        let mut pitches = vec![0; dimensions];
        let mut pitch = self.rng.random_range(1..5);
        for dimension in (0..dimensions).rev() {
            pitches[dimension] = pitch;
            pitch *= sizes[dimension] + self.rng.random_range(0..2);
        }
        self.memories.push(Memory {
            sizes,
            base: self.rng.random_range(0..1000),
            displacement: self.rng.random_range(0..3) * 50,
            pitches,
        });
        Node::Access {
            array: self.memories.len() - 1,
            subscripts,
        }
    }
}

/// Runs the statements; gives the addresses in order.
fn run(
    nodes: &[Node],
    memories: &[Memory],
    values: &mut BTreeMap<String, i64>,
    found: &mut Vec<u64>,
) {
    for node in nodes {
        match node {
            Node::Access { array, subscripts } => {
                let memory = &memories[*array];
                let mut address = memory.base + memory.displacement;
                for ((constant, terms), pitch) in subscripts.iter().zip(&memory.pitches) {
                    let sum: i64 = terms
                        .iter()
                        .map(|(index, factor)| factor * values[index])
                        .sum();
                    address += (constant + sum) as u64 * pitch;
                }
                found.push(address);
            }
            Node::Loop {
                index,
                start,
                bound,
                step,
                body,
            } => {
                let mut value = *start;
                while (*step > 0 && value < *bound) || (*step < 0 && value > *bound) {
                    values.insert(index.clone(), value);
                    run(body, memories, values, found);
                    value += step;
                }
            }
        }
    }
}

fn statement(node: &Node, nest: Nest) -> Nest {
    match node {
        Node::Access { .. } => nest.then(access(node)),
        Node::Loop { .. } => nest.then(for_loop(node)),
    }
}

fn for_loop(node: &Node) -> For {
    let Node::Loop {
        index,
        start,
        bound,
        step,
        body,
    } = node
    else {
        unreachable!()
    };
    let outer = For::new(index, *start, *bound).step(*step);
    body.iter().fold(outer, |outer, inner| match inner {
        Node::Access { .. } => outer.then(access(inner)),
        Node::Loop { .. } => outer.then(for_loop(inner)),
    })
}

fn access(node: &Node) -> Use {
    let Node::Access { array, subscripts } = node else {
        unreachable!()
    };
    let affine = |(constant, terms): &(i64, Vec<(String, i64)>)| {
        let term = |sum, (index, factor): &(String, i64)| sum + Affine::index(index) * *factor;
        terms.iter().fold(Affine::from(*constant), term)
    };
    Use::new(format!("A{array}"), subscripts.iter().map(affine))
}

#[proves("TTU-021", "TTU-042", "TTU-066")]
#[test]
fn rows_of_random_nests_walk_what_the_loops_walk() {
    let mut events: BTreeMap<String, u32> = BTreeMap::new();
    for seed in 0..3000 {
        let mut random = Random {
            rng: ChaCha8Rng::seed_from_u64(seed),
            memories: Vec::new(),
            names: 0,
        };
        let depth = random.rng.random_range(0..=5);
        let attach = random.rng.random_range(0..2) == 0;
        let mut nodes = vec![random.chain(depth, attach)];
        while depth > 0 && random.rng.random_range(0..3) == 0 {
            let at = random.rng.random_range(0..=nodes.len());
            let depth = random.rng.random_range(0..depth);
            let other = random.chain(depth, false);
            nodes.insert(at, other);
        }
        let narrow = random.rng.random_range(0..4) == 0;
        let unit = UnitShape {
            trips: random.rng.random_range(0..3) != 0,
            equality: random.rng.random_range(0..2) == 0,
            offset_bits: if narrow { 8 } else { 32 },
            ..unit()
        };
        let mut nest = Nest::new();
        for (number, memory) in random.memories.iter().enumerate() {
            let array = Array::new(format!("A{number}"), memory.sizes.iter().copied());
            let array = array.at(memory.base).displaced(memory.displacement);
            nest = nest.array(array.pitches(memory.pitches.iter().copied()));
        }
        nest = nodes.iter().fold(nest, |nest, node| statement(node, nest));
        let text = nest.to_string();
        let read =
            Nest::parse(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        assert_eq!(read.to_string(), text, "seed {seed}");

        let plan = match read.compile(&unit) {
            Ok(plan) => plan,
            Err(error) => {
                let expected = [
                    Refusal::Capacity,
                    Refusal::Width,
                    Refusal::Structure,
                    Refusal::Dependent,
                ];
                let known = expected.contains(&error.refusal);
                assert!(known, "seed {seed}: {error}\n{text}");
                *events.entry(format!("{:?}", error.refusal)).or_default() += 1;
                continue;
            }
        };
        let rows = plan.record();
        let mut expected = Vec::new();
        run(
            &nodes,
            &random.memories,
            &mut BTreeMap::new(),
            &mut expected,
        );
        let found = addresses(&rows, &unit);
        for (row, count) in plan.addresses().into_iter().enumerate() {
            let found = found.iter().filter(|a| usize::from(a.0) == row).count();
            assert_eq!(count, Some(found as u128), "seed {seed}, row {row}\n{text}");
        }
        let found: Vec<u64> = found.iter().map(|a| a.1).collect();
        assert_eq!(found, expected, "seed {seed}\n{text}");

        *events.entry(format!("{} loops", depth)).or_default() += 1;
        for row in &rows {
            let event = match (row.kind, row.attach) {
                (RowKind::Tensor, _) => "tensor",
                (RowKind::Prologue, None) => "prologue",
                (RowKind::Prologue, Some(_)) => "attached prologue",
                (RowKind::Epilogue, None) => "epilogue",
                (RowKind::Epilogue, Some(_)) => "attached epilogue",
            };
            *events.entry(event.to_string()).or_default() += 1;
            let event = match row.test {
                EndTest::AtLeast => "at least",
                EndTest::Equal => "equal",
                EndTest::Trips => "trips",
            };
            *events.entry(event.to_string()).or_default() += 1;
        }
    }
    println!("{events:?}");
    let expected = "tensor, prologue, attached prologue, epilogue, attached epilogue, at least, equal, trips, \
                    0 loops, 5 loops, Capacity, Width";
    for event in expected.split(", ") {
        let count = events.get(event).copied().unwrap_or_default();
        assert!(count >= 20, "{event}: {events:?}");
    }
    let taken: u32 = (0..=5)
        .filter_map(|l| events.get(&format!("{l} loops")))
        .sum();
    assert!(taken > 1500, "{events:?}");
}

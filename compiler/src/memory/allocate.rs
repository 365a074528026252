//! Addresses of tensors: tensors that are not needed at the same time may share memory.
//!
//! A tensor has bytes that are written whenever it is made, and others, halos, that must be zero and
//! that nobody writes. The zeros are written once, with the image; so a byte that is written for one tensor
//! is never the halo of another one, unless the host clears that behind the last step of the one.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::rc::Rc;

/// What a tensor wants of the memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SpaceRequest {
    /// Steps in which the tensor must be there: from the one that writes it to the last one that
    /// reads it, both included.
    pub steps: Range<usize>,
    /// For each word: it is written. The others are halos.
    pub written: Rc<[bool]>,
    /// Step before which the host clears the halos for each image; 0 if they are cleared with the image alone. Never less for a tensor that
    /// is made later.
    pub cleared: usize,
    /// The lowest word address that it may have.
    pub from: usize,
    /// What that must be a multiple of.
    pub align: usize,
}

/// Gives every tensor the word address of its first word. Long tensors are placed first, each at the lowest
/// place where it agrees with those that are there: at an end of one of them, or where the first words that are written meet, because
/// the rows of tensors of one size meet there too.
pub(crate) fn allocate(requests: &[SpaceRequest]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..requests.len()).collect();
    order.sort_by_key(|&i| (std::cmp::Reverse(requests[i].written.len()), i));
    let longest = order.first().map_or(0, |&i| requests[i].written.len());
    let mut placed = Placed::of(requests, longest);
    // Where something begins or ends.
    let mut candidates: BTreeSet<usize> = requests.iter().map(|request| request.from).collect();
    let mut firsts = BTreeSet::new();
    let mut addresses = vec![0; requests.len()];
    let mut before: Option<usize> = None;
    for i in order {
        let request = &requests[i];
        let length = request.written.len();
        let fits = placed.test(i);
        // What had no room for its equal has none for it.
        let equal = before.filter(|&other| requests[other] == requests[i]);
        let first = equal.map_or(request.from, |other| addresses[other]);
        let align = request.align;
        let mut ends = candidates.range(first..).map(|&at| match align {
            1 => at,
            _ => at.next_multiple_of(align),
        });
        let end = ends.find(|&at| fits(at));
        let end = end.expect("behind the last tensor there is room");
        let lead = request.written.iter().position(|&written| written);
        let lead = lead.unwrap_or(0);
        let meeting = firsts.range(first + lead..end + lead);
        let meeting = meeting
            .map(|&word: &usize| word - lead)
            .find(|&at| at % align == 0 && fits(at));
        let at = meeting.unwrap_or(end);
        addresses[i] = at;
        before = Some(i);
        drop(fits);
        placed.add(i, at);
        candidates.extend([at, at + length]);
        firsts.insert(at + lead);
    }
    addresses
}

/// Two tensors at word addresses do not get into each other's way.
pub(crate) fn agree((a, at): (&SpaceRequest, usize), (b, there): (&SpaceRequest, usize)) -> bool {
    let mut common = at.max(there)..(at + a.written.len()).min(there + b.written.len());
    if common.is_empty() {
        return true;
    }
    let (earlier, later) = match a.steps.start <= b.steps.start {
        true => (a, b),
        false => (b, a),
    };
    // What is never cleared must not be written for another one.
    (earlier.cleared > 0 && earlier.steps.end <= later.cleared)
        || earlier.steps.end <= later.steps.start
            && common.all(|word| a.written[word - at] == b.written[word - there])
}

/// What has an address.
enum Placed<'a> {
    /// Halos of everything are cleared when it is made: only what is needed at the same time matters. For each step the places of all that
    /// is there.
    Cleared(&'a [SpaceRequest], Vec<Vec<Range<usize>>>),
    /// Tensors by address and shape, and the longest of them.
    Shaped(
        &'a [SpaceRequest],
        Shapes<'a>,
        BTreeMap<(usize, usize), Occupants>,
        usize,
    ),
}

impl<'a> Placed<'a> {
    fn of(requests: &'a [SpaceRequest], longest: usize) -> Self {
        let steps = requests
            .iter()
            .map(|request| request.steps.end)
            .max()
            .unwrap_or(0);
        match requests
            .iter()
            .all(|request| request.cleared >= request.steps.start.max(1))
        {
            true => Placed::Cleared(requests, vec![Vec::new(); steps]),
            false => Placed::Shaped(requests, Shapes::of(requests), BTreeMap::new(), longest),
        }
    }

    /// Whether a request may lie at an address.
    fn test(&self, i: usize) -> Box<dyn Fn(usize) -> bool + '_> {
        match self {
            Placed::Cleared(requests, steps) => {
                let request = &requests[i];
                let beside = &steps[request.steps.clone()];
                let mut beside: Vec<&Range<usize>> = beside.iter().flatten().collect();
                beside.sort_unstable_by_key(|place| (place.start, place.end));
                beside.dedup();
                let length = request.written.len();
                Box::new(move |at| {
                    let mut beside = beside.iter();
                    beside.all(|there| there.end <= at || at + length <= there.start)
                })
            }
            Placed::Shaped(requests, shapes, placed, longest) => {
                let (request, shape) = (&requests[i], shapes.of[i]);
                let length = request.written.len();
                Box::new(move |at| {
                    let near = (at.saturating_sub(*longest), 0)..(at + length, 0);
                    let mut others = placed.range(near);
                    others.all(|(&(there, other), occupants)| {
                        let (own, theirs) = ((shape, at), (other, there));
                        !shapes.meet(own, theirs)
                            || occupants.are_cleared(request)
                            || (occupants.are_apart(request) && shapes.agree(own, theirs))
                    })
                })
            }
        }
    }

    fn add(&mut self, i: usize, at: usize) {
        match self {
            Placed::Cleared(requests, steps) => {
                let request = &requests[i];
                for step in &mut steps[request.steps.clone()] {
                    step.push(at..at + request.written.len());
                }
            }
            Placed::Shaped(requests, shapes, placed, _) => {
                placed
                    .entry((at, shapes.of[i]))
                    .or_default()
                    .add(&requests[i]);
            }
        }
    }
}

/// Tensors of one shape at one address, which are there one after the other: steps and clearing of each.
#[derive(Debug, Default)]
struct Occupants(Vec<(Range<usize>, usize)>);

impl Occupants {
    fn add(&mut self, request: &SpaceRequest) {
        let place = self
            .0
            .partition_point(|(steps, _)| steps.start < request.steps.start);
        self.0
            .insert(place, (request.steps.clone(), request.cleared));
    }

    /// The end of those before a request, and begin and clearing of those behind it.
    fn around(&self, request: &SpaceRequest) -> (usize, [usize; 2]) {
        let place = self
            .0
            .partition_point(|(steps, _)| steps.start < request.steps.start);
        let (before, behind) = self.0.split_at(place);
        (
            before.last().map_or(0, |(steps, _)| steps.end),
            behind
                .first()
                .map_or([usize::MAX; 2], |(steps, cleared)| [steps.start, *cleared]),
        )
    }

    /// No two are needed at the same time.
    fn are_apart(&self, request: &SpaceRequest) -> bool {
        let (end, [start, _]) = self.around(request);
        end <= request.steps.start && request.steps.end <= start
    }

    /// Whichever is made later is cleared after the other one was needed.
    fn are_cleared(&self, request: &SpaceRequest) -> bool {
        let (end, [_, cleared]) = self.around(request);
        let own = [request.cleared].into_iter();
        let mut all = self.0.iter().map(|(_, cleared)| *cleared).chain(own);
        all.all(|cleared| cleared > 0) && end <= request.cleared && request.steps.end <= cleared
    }
}

/// Which words of the tensors are written: equal ones have one number.
struct Shapes<'a> {
    of: Vec<usize>,
    all: Vec<&'a [bool]>,
    /// Whether the words that two have in common are written in both or in none, by the distance of their addresses.
    agree: RefCell<HashMap<(usize, usize, isize), bool>>,
}

impl<'a> Shapes<'a> {
    fn of(requests: &'a [SpaceRequest]) -> Self {
        let mut numbers = HashMap::new();
        let mut all = Vec::new();
        let of = requests.iter().map(|request| {
            *numbers.entry(&request.written[..]).or_insert_with(|| {
                all.push(&request.written[..]);
                all.len() - 1
            })
        });
        Self {
            of: of.collect(),
            all,
            agree: RefCell::default(),
        }
    }

    /// Words that two tensors at word addresses have in common.
    fn common(&self, (a, at): (usize, usize), (b, there): (usize, usize)) -> Range<usize> {
        at.max(there)..(at + self.all[a].len()).min(there + self.all[b].len())
    }

    fn meet(&self, a: (usize, usize), b: (usize, usize)) -> bool {
        !self.common(a, b).is_empty()
    }

    fn agree(&self, (a, at): (usize, usize), (b, there): (usize, usize)) -> bool {
        let key = (a, b, at as isize - there as isize);
        *self.agree.borrow_mut().entry(key).or_insert_with(|| {
            let mut common = self.common((a, at), (b, there));
            common.all(|word| self.all[a][word - at] == self.all[b][word - there])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(steps: Range<usize>, written: &str) -> SpaceRequest {
        SpaceRequest {
            steps,
            written: written.chars().map(|c| c == 'w').collect(),
            cleared: 0,
            from: 0,
            align: 1,
        }
    }

    #[test]
    fn what_must_be_aligned_is_where_the_rows_of_another_one_meet_too() {
        let mut aligned = request(2..4, "ww");
        aligned.align = 2;
        assert_eq!(allocate(&[request(0..2, "-ww-"), aligned]), [0, 4]);
    }

    #[test]
    fn tensors_of_different_times_share_memory() {
        let requests = [
            request(0..2, "wwww"),
            request(1..3, "www"),
            request(2..4, "wwww"),
            request(3..5, "ww"),
        ];
        assert_eq!(allocate(&requests), [0, 4, 0, 4]);
    }

    #[test]
    fn halos_stay_zero() {
        let requests = [
            request(0..2, "-ww-"),
            request(2..4, "wwww"),
            request(4..6, "-ww-"),
        ];
        assert_eq!(allocate(&requests), [0, 4, 0]);
    }

    #[test]
    fn rows_of_tensors_with_other_halos_meet() {
        let requests = [
            request(0..2, "--www-www-"),
            request(2..4, "-www-www-"),
            request(4..6, "---www-www"),
        ];
        assert_eq!(allocate(&requests), [0, 1, 10]);
    }

    #[test]
    fn halos_that_are_cleared_lie_anywhere_behind_the_last_step_of_another_tensor() {
        let at = |before: usize, cleared: usize| {
            let mut earlier = request(0..2, "-ww-w");
            let mut later = request(2..4, "wwww");
            (earlier.cleared, later.cleared) = (before, cleared);
            allocate(&[earlier, later])
        };
        for (before, cleared, second) in [(0, 0, 5), (1, 1, 5), (1, 2, 0), (0, 2, 5)] {
            assert_eq!(at(before, cleared), [0, second], "{before} {cleared}");
        }
        // What is never cleared is placed last.
        for (before, first) in [(1, 0), (0, 7)] {
            let mut earlier = request(0..2, "-ww-w");
            let mut later = request(2..4, "wwwwwww");
            (earlier.cleared, later.cleared) = (before, 2);
            assert_eq!(allocate(&[earlier, later]), [first, 0], "{before}");
        }
    }

    #[test]
    fn random_tensors_never_get_into_each_others_way() {
        use rand::{Rng, SeedableRng};
        for seed in 0..200 {
            let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
            let requests: Vec<SpaceRequest> = (0..rng.random_range(1..9))
                .map(|_| {
                    let first = rng.random_range(0..8);
                    let steps = first..first + rng.random_range(1..5);
                    let words = rng.random_range(1..12);
                    let written = (0..words).map(|_| rng.random_bool(0.8)).collect();
                    SpaceRequest {
                        steps,
                        written,
                        cleared: 0,
                        from: rng.random_range(0..3),
                        align: rng.random_range(1..4),
                    }
                })
                .collect();
            let addresses = allocate(&requests);
            // Every word: who owns it in each step, and whether somebody ever writes it.
            let mut owners = std::collections::BTreeMap::new();
            let mut kinds = std::collections::BTreeMap::new();
            for (i, (request, &at)) in requests.iter().zip(&addresses).enumerate() {
                assert!(at >= request.from && at % request.align == 0, "seed {seed}");
                for (word, &written) in (at..).zip(request.written.iter()) {
                    assert_eq!(
                        *kinds.entry(word).or_insert(written),
                        written,
                        "seed {seed}"
                    );
                    for step in request.steps.clone() {
                        let owner = *owners.entry((word, step)).or_insert(i);
                        assert_eq!(owner, i, "seed {seed}: word {word} in step {step}");
                    }
                }
            }
        }
    }
}

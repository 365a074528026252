//! Addresses of tensors: tensors that are not needed at the same time may share memory.
//!
//! A tensor has bytes that are written whenever it is made, and others, halos, that must be zero and
//! that nobody writes. The zeros are written once, with the image; so a byte that is written for one tensor
//! is never the halo of another one, unless the host clears that behind the last step of the one.

use std::collections::BTreeSet;
use std::ops::Range;

/// What a tensor wants of the memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SpaceRequest {
    /// Steps in which the tensor must be there: from the one that writes it to the last one that
    /// reads it, both included.
    pub steps: Range<usize>,
    /// For each word: it is written. The others are halos.
    pub written: Vec<bool>,
    /// Step before which the host clears the halos for each image; 0 if they are cleared with the image alone.
    pub cleared: usize,
}

/// Gives every tensor the word address of its first word. Long tensors are placed first, each at the lowest
/// place where it agrees with those that are there: at an end of one of them, or where the first words that are written meet, because
/// the rows of tensors of one size meet there too.
pub(crate) fn allocate(requests: &[SpaceRequest]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..requests.len()).collect();
    order.sort_by_key(|&i| (std::cmp::Reverse(requests[i].written.len()), i));
    let longest = order.first().map_or(0, |&i| requests[i].written.len());
    // What is there by its address, and where something begins or ends.
    let mut placed: BTreeSet<(usize, usize)> = BTreeSet::new();
    let mut candidates = BTreeSet::from([0]);
    let mut firsts = BTreeSet::new();
    let mut addresses = vec![0; requests.len()];
    let mut before: Option<usize> = None;
    for i in order {
        let length = requests[i].written.len();
        let fits = |at: usize| {
            let near = (at.saturating_sub(longest), 0)..(at + length, 0);
            let mut others = placed.range(near);
            others.all(|&(there, other)| agree((&requests[i], at), (&requests[other], there)))
        };
        // What had no room for its equal has none for it.
        let equal = before.filter(|&other| requests[other] == requests[i]);
        let first = equal.map_or(0, |other| addresses[other]);
        let end = candidates.range(first..).copied().find(|&at| fits(at));
        let end = end.expect("behind the last tensor there is room");
        let lead = requests[i].written.iter().position(|&written| written);
        let lead = lead.unwrap_or(0);
        let meeting = firsts.range(first + lead..end + lead);
        let meeting = meeting
            .map(|&word: &usize| word - lead)
            .find(|&at| fits(at));
        let at = meeting.unwrap_or(end);
        addresses[i] = at;
        before = Some(i);
        placed.insert((at, i));
        candidates.extend([at, at + length]);
        firsts.insert(at + lead);
    }
    addresses
}

/// Two tensors at word addresses do not get into each other's way.
fn agree((a, at): (&SpaceRequest, usize), (b, there): (&SpaceRequest, usize)) -> bool {
    let common = at.max(there)..(at + a.written.len()).min(there + b.written.len());
    if common.is_empty() {
        return true;
    }
    let (earlier, later) = match a.steps.start <= b.steps.start {
        true => (a, b),
        false => (b, a),
    };
    let apart = earlier.steps.end <= later.steps.start;
    let cleared = earlier.steps.end <= later.cleared;
    cleared
        || apart
            && common
                .into_iter()
                .all(|word| a.written[word - at] == b.written[word - there])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(steps: Range<usize>, written: &str) -> SpaceRequest {
        SpaceRequest {
            steps,
            written: written.chars().map(|c| c == 'w').collect(),
            cleared: 0,
        }
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
        let at = |cleared: usize| {
            let mut later = request(2..4, "wwww");
            later.cleared = cleared;
            allocate(&[request(0..2, "-ww-w"), later])
        };
        assert_eq!((at(0), at(1), at(2)), (vec![0, 5], vec![0, 5], vec![0, 0]));
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
                    let cleared = 0;
                    SpaceRequest {
                        steps,
                        written,
                        cleared,
                    }
                })
                .collect();
            let addresses = allocate(&requests);
            // Every word: who owns it in each step, and whether somebody ever writes it.
            let mut owners = std::collections::BTreeMap::new();
            let mut kinds = std::collections::BTreeMap::new();
            for (i, (request, &at)) in requests.iter().zip(&addresses).enumerate() {
                for (word, &written) in (at..).zip(&request.written) {
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

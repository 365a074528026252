//! Words that lie next to each other in the same partitions.

use std::collections::BTreeMap;

/// Zeros between other words that are filled, and not read from memory.
const FILL_WORDS: usize = 8;

/// Words by place and partition.
pub(super) type Words = BTreeMap<(u32, u32), Vec<u64>>;

/// Places that follow one another and are written in the same partitions.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    pub first: u32,
    pub count: u32,
    pub partitions: Vec<u32>,
    /// All its words are 0 and it is long enough for a fill.
    pub zeros: bool,
}

/// All words; those that are 0 everywhere apart, if they may be filled.
pub(super) fn stretches(words: &Words, fills: bool) -> Vec<Stretch> {
    let mut places: Vec<Stretch> = Vec::new();
    for (&(place, partition), content) in words {
        let is_zero = fills && content.iter().all(|word| *word == 0);
        match places.last_mut().filter(|last| last.first == place) {
            Some(last) => {
                last.partitions.push(partition);
                last.zeros &= is_zero;
            }
            None => places.push(Stretch {
                first: place,
                count: 1,
                partitions: vec![partition],
                zeros: is_zero,
            }),
        }
    }
    let follows = |a: &Stretch, b: &Stretch| b.first == a.first + 1 && a.partitions == b.partitions;
    let mut stretches: Vec<Stretch> = Vec::new();
    for run in places.chunk_by(follows) {
        let parts: Vec<&[Stretch]> = run.chunk_by(|a, b| a.zeros == b.zeros).collect();
        let mut joins = false;
        for part in &parts {
            let zeros = part[0].zeros && (part.len() >= FILL_WORDS || parts.len() == 1);
            match stretches
                .last_mut()
                .filter(|last| joins && last.zeros == zeros)
            {
                Some(last) => last.count += part.len() as u32,
                None => stretches.push(Stretch {
                    first: part[0].first,
                    count: part.len() as u32,
                    partitions: part[0].partitions.clone(),
                    zeros,
                }),
            }
            joins = true;
        }
    }
    stretches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_that_all_partitions_have_are_filled_if_they_are_many() {
        let mut words = Words::new();
        for (place, value) in (0..40).map(|place| (place, u64::from(place < 3 || place == 30))) {
            for partition in 0..2 {
                words.insert((place, partition), vec![value * u64::from(partition)]);
            }
        }
        words.insert((50, 1), vec![0]);
        let found = stretches(&words, true);
        let found = found
            .iter()
            .map(|s| (s.first, s.count, s.partitions.len(), s.zeros));
        let expected = [
            (0, 3, 2, false),
            (3, 27, 2, true),
            (30, 1, 2, false),
            (31, 9, 2, true),
            (50, 1, 1, true),
        ];
        assert_eq!(found.collect::<Vec<_>>(), expected);
        words.insert((12, 0), vec![7]);
        words.insert((17, 0), vec![7]);
        let found = stretches(&words, true);
        let found = found.iter().map(|s| (s.first, s.count, s.zeros));
        let expected = [
            (0, 3, false),
            (3, 9, true),
            (12, 6, false),
            (18, 12, true),
            (30, 1, false),
            (31, 9, true),
            (50, 1, true),
        ];
        assert_eq!(found.collect::<Vec<_>>(), expected);
        assert_eq!(stretches(&words, false).len(), 2);
    }
}

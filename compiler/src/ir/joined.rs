//! Tensors that the machine makes in parts: each part is written where the whole has it, and nothing joins them.

use std::collections::BTreeMap;

use super::homes::Home;

/// Such tensors, and their parts.
#[derive(Debug, Clone, Default)]
pub(crate) struct Joined {
    pub(super) parts: BTreeMap<usize, Home>,
    /// The first part of each whole.
    pub(super) firsts: BTreeMap<usize, usize>,
}

impl Joined {
    /// Where a tensor lies in another one, if it is a part.
    pub fn part(&self, tensor: usize) -> Option<Home> {
        self.parts.get(&tensor).copied()
    }

    /// The part of a tensor that is made first, if it is made in parts.
    pub fn first(&self, whole: usize) -> Option<usize> {
        self.firsts.get(&whole).copied()
    }

    /// The part that is made last.
    pub fn last(&self, whole: usize) -> Option<usize> {
        let parts = self.parts.iter().filter(|(_, home)| home.whole == whole);
        parts.map(|(part, _)| *part).next_back()
    }

    /// Each whole with its parts.
    pub fn wholes(&self) -> impl Iterator<Item = (usize, Vec<(usize, Home)>)> {
        self.firsts.keys().map(|&whole| {
            let parts = self
                .parts
                .iter()
                .filter(move |(_, home)| home.whole == whole);
            (whole, parts.map(|(&part, &home)| (part, home)).collect())
        })
    }
}

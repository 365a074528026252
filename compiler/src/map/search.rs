//! The ways of the layers, found by the cycles of the whole network, since the neighbours of a layer change with it.

use std::ops::Range;

use heddle_arch::params::Params;
use heddle_network::Network;

use super::candidate::{Candidate, Ways};
use super::orders::{block_layers, tensor_orders};
use crate::ir::Constants;
use crate::product::Mapping;

/// What is looked for.
#[derive(Clone, Copy)]
pub(crate) struct Goal<'a> {
    /// How much of the memories is missing, in millionths of what there is; 0 if all fits.
    pub lack: &'a dyn Fn(&Candidate) -> u64,
    /// Clocks for an image.
    pub clocks: &'a dyn Fn(&Candidate) -> u64,
}

/// The layers of a network that have a choice.
pub(super) struct Search<'a> {
    network: &'a Network,
    constants: &'a Constants,
    params: &'a Params,
    goal: Goal<'a>,
    /// Depthwise layers that can make several pixels at a time; those of a group read the same tensor.
    groups: Vec<(Vec<usize>, Vec<Mapping>)>,
}

impl<'a> Search<'a> {
    pub fn of(
        network: &'a Network,
        constants: &'a Constants,
        params: &'a Params,
        goal: Goal<'a>,
    ) -> Self {
        let groups = block_layers(network, params);
        Self {
            network,
            constants,
            params,
            goal,
            groups,
        }
    }

    /// No layer can make several pixels at a time.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Ways with another mapping of a group; where a neighbour could not read or write so, of those behind it or in front of it as well,
    /// as few as it takes.
    fn with(&self, ways: &Ways, group: usize, mapping: Mapping) -> Vec<Ways> {
        let changed = |groups: Range<usize>| {
            let mut changed = ways.clone();
            let groups = self.groups[groups].iter();
            for (layers, _) in groups.filter(|(_, mappings)| is_one(mapping, mappings)) {
                layers
                    .iter()
                    .for_each(|&layer| changed.mappings[layer] = mapping);
            }
            let mappings = &changed.mappings;
            tensor_orders(self.network, self.constants, mappings, self.params).map(|_| changed)
        };
        let behind = (group + 1..=self.groups.len()).find_map(|end| changed(group..end));
        let in_front = (0..=group)
            .rev()
            .find_map(|begin| changed(begin..group + 1));
        let mut found: Vec<Ways> = behind.into_iter().chain(in_front).collect();
        found.dedup();
        found
    }

    /// As many layers as can have this mapping have it.
    pub fn all(&self, ways: Ways, mapping: Mapping) -> Ways {
        let groups = self.groups.iter().enumerate();
        let groups = groups.filter(|(_, (_, mappings))| mappings.contains(&mapping));
        groups.fold(ways, |ways, (group, _)| {
            self.with(&ways, group, mapping).pop().unwrap_or(ways)
        })
    }

    /// Ways with the fewest clocks, as far as changes of some groups or of one layer lead to them; changes of mappings only if they may.
    pub fn fastest(
        &self,
        begin: Ways,
        maps: bool,
        candidate: &mut dyn FnMut(Ways) -> Candidate,
    ) -> Ways {
        let mut best = candidate(begin);
        loop {
            let mut changes = unstreamed(&best);
            if maps {
                changes.extend(self.mappings(&best.ways, |_, _| true));
            }
            let changed = changes.into_iter().map(&mut *candidate);
            match changed.min_by_key(self.goal.clocks) {
                Some(better) if (self.goal.clocks)(&better) < (self.goal.clocks)(&best) => {
                    best = better;
                }
                _ => return best.ways,
            }
        }
    }

    /// Takes back what saves the fewest clocks for what it needs, until the rest fits or nothing is left; taps laid over the rows only if
    /// they may.
    pub fn reduced(
        &self,
        begin: Candidate,
        unflattens: bool,
        candidate: &mut dyn FnMut(Ways) -> Candidate,
    ) -> Candidate {
        let Goal { lack, clocks } = self.goal;
        let mut best = begin;
        let mut missing = lack(&best);
        while missing > 0 {
            let mut changes = self.mappings(&best.ways, |from, to| to.phases() < from.phases());
            changes.extend(unstreamed(&best));
            if unflattens {
                changes.extend(unflattened(&best.ways));
            }
            let changed = changes.into_iter().map(&mut *candidate);
            let changed = changed.map(|changed| (lack(&changed), changed));
            let helps = changed.filter(|(left, _)| *left < missing);
            // Clocks for each part that is no longer missing; of those that fit, the fewest.
            let cost = |(left, changed): &(u64, Candidate)| {
                let more = u128::from(clocks(changed).saturating_sub(clocks(&best)));
                let each = more * 1_000_000 / u128::from(missing - left);
                (*left > 0, each, clocks(changed))
            };
            let Some((left, next)) = helps.min_by_key(cost) else {
                break;
            };
            (missing, best) = (left, next);
        }
        best
    }

    /// Ways that differ in the mappings of a group, and of those that have to change with it.
    fn mappings(&self, ways: &Ways, allowed: impl Fn(Mapping, Mapping) -> bool) -> Vec<Ways> {
        let mut found = Vec::new();
        for (group, (layers, mappings)) in self.groups.iter().enumerate() {
            let now = ways.mappings[layers[0]];
            let others = [Mapping::Channel].iter().chain(mappings);
            for &other in others.filter(|&&other| other != now && allowed(now, other)) {
                found.extend(self.with(ways, group, other));
            }
        }
        found
    }
}

/// Layers with these further mappings can have the mapping.
fn is_one(mapping: Mapping, further: &[Mapping]) -> bool {
    mapping == Mapping::Channel || further.contains(&mapping)
}

/// Ways in which one layer less has its taps laid over the rows.
fn unflattened(ways: &Ways) -> impl Iterator<Item = Ways> {
    let layers = ways.mappings.iter().enumerate();
    let flattened = layers.filter(|(_, mapping)| **mapping == Mapping::Flattened);
    flattened.map(|(layer, _)| {
        let mut ways = ways.clone();
        ways.mappings[layer] = Mapping::Channel;
        ways
    })
}

/// Ways in which the weights of one layer less are streamed.
fn unstreamed(candidate: &Candidate) -> Vec<Ways> {
    let plans = candidate.weights.iter().enumerate();
    let streamed =
        plans.filter(|(_, plan)| plan.as_ref().is_some_and(|plan| plan.streaming.is_some()));
    let without = streamed.map(|(layer, _)| {
        let mut ways = candidate.ways.clone();
        ways.streams[layer] = false;
        ways
    });
    without.collect()
}

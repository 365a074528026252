//! Which depthwise layers make several pixels at a time: found by the cycles of the whole network, since their neighbours change with them.

use heddle_arch::network::Network;
use heddle_arch::params::Params;

use super::Candidate;
use super::orders::{block_layers, tensor_orders};
use crate::product::Mapping;

/// The layers of a network that have a choice.
pub(super) struct PixelChoice<'a> {
    network: &'a Network,
    params: &'a Params,
    groups: Vec<(Vec<usize>, Vec<Mapping>)>,
}

impl<'a> PixelChoice<'a> {
    pub fn of(network: &'a Network, params: &'a Params) -> Self {
        let groups = block_layers(network, params);
        Self {
            network,
            params,
            groups,
        }
    }

    /// There is nothing to choose.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// The mappings with another one of a group; none if a neighbour could not read or write so.
    fn with(&self, mappings: &[Mapping], group: usize, mapping: Mapping) -> Option<Vec<Mapping>> {
        let mut changed = mappings.to_vec();
        for &layer in &self.groups[group].0 {
            changed[layer] = mapping;
        }
        tensor_orders(self.network, &changed, self.params)?;
        Some(changed)
    }

    /// As many layers as can have this mapping have it.
    pub fn all(&self, base: &[Mapping], mapping: Mapping) -> Vec<Mapping> {
        let groups = self.groups.iter().enumerate();
        let groups = groups.filter(|(_, (_, mappings))| mappings.contains(&mapping));
        groups.fold(base.to_vec(), |mappings, (group, _)| {
            self.with(&mappings, group, mapping).unwrap_or(mappings)
        })
    }

    /// Mappings with fewer cycles than those that are given, as far as changes of one group lead to them; then those of them that fit.
    pub fn best(
        &self,
        begin: Vec<Mapping>,
        candidate: &mut dyn FnMut(Vec<Mapping>) -> Candidate,
        fits: &dyn Fn(&Candidate) -> bool,
    ) -> Vec<Mapping> {
        let mut best = candidate(begin);
        while let Some(better) = self.better(&best, candidate) {
            best = better;
        }
        while !fits(&best) {
            match self.smaller(&best, candidate) {
                Some(smaller) => best = smaller,
                None => break,
            }
        }
        best.mappings
    }

    /// The best change of a group that saves cycles.
    fn better(
        &self,
        best: &Candidate,
        candidate: &mut dyn FnMut(Vec<Mapping>) -> Candidate,
    ) -> Option<Candidate> {
        let changes = self.changes(best, |_, _| true);
        let changed = changes.into_iter().map(candidate);
        let changed = changed.filter(|changed| changed.cycles() < best.cycles());
        changed.min_by_key(Candidate::cycles)
    }

    /// The change of a group to fewer pixels at a time that costs least.
    fn smaller(
        &self,
        best: &Candidate,
        candidate: &mut dyn FnMut(Vec<Mapping>) -> Candidate,
    ) -> Option<Candidate> {
        let changes = self.changes(best, |from, to| to.phases() < from.phases());
        let changed = changes.into_iter().map(candidate);
        changed.min_by_key(Candidate::cycles)
    }

    /// Mappings that differ in those of one group.
    fn changes(
        &self,
        best: &Candidate,
        allowed: impl Fn(Mapping, Mapping) -> bool,
    ) -> Vec<Vec<Mapping>> {
        let mut found = Vec::new();
        for (group, (layers, mappings)) in self.groups.iter().enumerate() {
            let now = best.mappings[layers[0]];
            let others = [Mapping::Channel].iter().chain(mappings);
            for &other in others.filter(|&&other| other != now && allowed(now, other)) {
                found.extend(self.with(&best.mappings, group, other));
            }
        }
        found
    }
}

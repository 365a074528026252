//! The mapping of a layer and what speaks for it.

use super::Candidates;
use crate::product::Mapping;
use crate::ways::{Candidate, MappingCost};

/// The mapping of a layer and what speaks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MappingChoice {
    /// The mapping of the layer.
    pub mapping: Mapping,
    /// What the layer takes.
    pub cost: MappingCost,
    /// What it takes with another mapping, if there is one.
    pub other: Option<(Mapping, MappingCost)>,
    /// Why it has this mapping.
    pub reason: String,
}

impl MappingChoice {
    /// What the layer takes with a mapping, if it is known.
    #[must_use]
    pub fn cost_of(&self, mapping: Mapping) -> Option<MappingCost> {
        let all = [Some((self.mapping, self.cost)), self.other];
        let found = all.into_iter().flatten().find(|&(of, _)| of == mapping);
        found.map(|(_, cost)| cost)
    }
}

/// Why each layer of planes has the mapping of a candidate; those before it do not fit.
pub(crate) fn choices(candidates: &Candidates, chosen: usize) -> Vec<Option<MappingChoice>> {
    let candidate = &candidates.all[chosen];
    let layers = 0..candidate.weights.len();
    let of_layer = |layer: usize| {
        let cost = candidate.cost(layer)?;
        let mapping = candidate.ways.mappings[layer];
        let others = candidates.all.iter().enumerate().filter(|(_, other)| {
            other.ways.mappings[layer] != mapping
                && other.switches.keeps == candidate.switches.keeps
        });
        // The one that is most like it.
        let differs = |other: &Candidate| {
            let pairs = other.ways.mappings.iter().zip(&candidate.ways.mappings);
            pairs.filter(|(one, other)| one != other).count()
        };
        let other = others.min_by_key(|(_, other)| differs(other));
        let other_cost = other.and_then(|(_, other)| other.cost(layer));
        let reason = match other {
            None => "its input has no copies".to_string(),
            Some((index, _)) if index >= candidates.asked => "as asked for".to_string(),
            Some((index, other)) if index < chosen || other.costs.is_none() => {
                format!("{} does not fit", other.ways.mappings[layer])
            }
            Some(_) if mapping == Mapping::Channel => "not more cycles".to_string(),
            Some(_) => "fewer cycles".to_string(),
        };
        Some(MappingChoice {
            mapping,
            cost,
            other: other.and_then(|(_, other)| Some((other.ways.mappings[layer], other_cost?))),
            reason,
        })
    };
    layers.map(of_layer).collect()
}

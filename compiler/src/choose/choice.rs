//! The mapping of a layer and what speaks for it.

use crate::engine::Engines;
use crate::error::CompileError;
use crate::memory::Fit;
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

/// All combinations: those that are asked for, in the order in which they were tried, and then the others.
#[derive(Debug)]
pub(crate) struct Candidates {
    pub all: Vec<Candidate>,
    /// How many are asked for.
    pub asked: usize,
}

/// Combinations of mappings, and what became of them.
#[derive(Debug)]
pub(crate) struct Choice {
    pub candidates: Candidates,
    /// Why the first of them do not fit.
    pub errors: Vec<CompileError>,
    /// Segments and addresses of the next one, and the engines of its layers; none if none fits.
    pub taken: Option<(Fit, Engines)>,
    /// Why not all layers fit at once, if the network is cut.
    pub cut: Option<CompileError>,
}

impl Choice {
    /// The combination that was taken.
    pub fn candidate(&self) -> &Candidate {
        &self.candidates.all[self.errors.len()]
    }

    /// Clocks for an image, if something was taken.
    pub fn clocks(&self) -> u64 {
        self.taken.as_ref().map_or(u64::MAX, |(fit, _)| fit.clocks)
    }

    /// What the fastest combination lacks, if it does not fit and would be faster than the one that was taken.
    pub fn faster(&self) -> Option<&CompileError> {
        let own = self.candidate().cycles();
        let refused = self.candidates.all.iter().zip(&self.errors);
        let refused = refused.map(|(refused, error)| (refused.cycles(), error));
        let faster = refused.filter(|(cycles, _)| *cycles < own);
        faster
            .min_by_key(|(cycles, _)| *cycles)
            .map(|(_, error)| error)
    }

    /// What the combination without anything special lacks.
    pub fn least_special(mut self) -> CompileError {
        let tried = self
            .candidates
            .all
            .iter()
            .map(|tried| tried.switches.count());
        let tried = tried.zip(0..self.errors.len());
        let (_, least) = tried.min().expect("at least one is asked for");
        self.errors.swap_remove(least)
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

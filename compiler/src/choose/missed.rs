//! Faster ways that a network does not have, because something is too small for them.

use heddle_network::Network;

use super::choice::Candidates;
use crate::error::CompileError;
use crate::ways::Candidate;

/// A faster way that does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missed {
    /// Cycles that it would save for each image.
    pub cycles: u64,
    /// The layers that would take another way, and which.
    pub layers: Vec<(String, &'static str)>,
    /// What is missing, and which fields of the configuration set it.
    pub lacks: String,
}

/// What was tried before the combination that was taken, each with less missing than the one before.
pub(crate) fn missed(
    network: &Network,
    candidates: &Candidates,
    taken: usize,
    errors: &[CompileError],
) -> Vec<Missed> {
    let own = &candidates.all[taken];
    let mut found: Vec<Missed> = Vec::new();
    let mut least = u64::MAX;
    for (candidate, error) in candidates.all.iter().zip(errors) {
        let cycles = own.cycles().saturating_sub(candidate.cycles());
        let CompileError::DoesNotFit { shortages, .. } = error else {
            continue;
        };
        let missing = shortages.iter().map(|shortage| shortage.share()).sum();
        let layers = others(network, candidate, own);
        if cycles > 0 && missing < least && !layers.is_empty() {
            least = missing;
            let lacks: Vec<String> = shortages.iter().map(ToString::to_string).collect();
            found.push(Missed {
                cycles,
                layers,
                lacks: lacks.join("; "),
            });
        }
    }
    found
}

/// Layers that take another way, and which.
fn others(network: &Network, other: &Candidate, own: &Candidate) -> Vec<(String, &'static str)> {
    let layers = network.layers.iter().enumerate();
    let layers = layers.filter_map(|(index, layer)| {
        let mapping = other.ways.mappings[index];
        let way = match mapping != own.ways.mappings[index] {
            true => mapping.name(),
            false if other.streams(index) && !own.streams(index) => "streamed weights",
            false => return None,
        };
        Some((layer.name.clone(), way))
    });
    layers.collect()
}

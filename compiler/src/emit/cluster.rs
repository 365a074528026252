//! What the host sends to the sparse cluster before the first run.

use heddle_arch::host::ClusterStream;
use heddle_arch::params::Params;

use crate::engine::Engines;
use crate::sparse::clear;

/// Commands that clear all sums, then the weights of all layers that run there.
pub(super) fn fills(engines: &Engines, params: &Params) -> Vec<(ClusterStream, u64)> {
    let layers: Vec<_> = engines.sparse.iter().flatten().collect();
    if layers.is_empty() {
        return Vec::new();
    }
    let mut sent = Vec::new();
    let of =
        |stream: ClusterStream, words: Vec<u64>| words.into_iter().map(move |word| (stream, word));
    let words = |words: Vec<u32>| words.into_iter().map(u64::from).collect();
    for command in clear(params) {
        sent.extend(of(ClusterStream::Commands, words(command.words())));
    }
    for (command, weights) in layers.into_iter().flat_map(|layer| layer.fills()) {
        sent.extend(of(ClusterStream::Commands, words(command.words())));
        sent.extend(of(ClusterStream::Weights, weights.clone()));
    }
    sent
}

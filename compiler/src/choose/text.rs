//! Combinations of mappings as tables.

use heddle_network::Network;

use super::choice::{Candidates, Choice};
use crate::table::Table;
use crate::ways::{Candidate, MappingCost};

/// All combinations, and what each layer takes in them. Those before the one that was taken have these errors.
pub(crate) fn tables(
    network: &Network,
    Choice {
        candidates,
        errors,
        taken,
        ..
    }: &Choice,
) -> Vec<Table> {
    let taken = taken.as_ref().map(|_| errors.len());
    let heading = [
        "",
        "flattened",
        "several pixels",
        "streamed weights",
        "kept copies",
        "cycles",
        "bytes",
        "result",
    ];
    let title = "ways through the array, in the order in which they are tried; bytes: inputs and weights of all layers";
    let mut ways = Table::new(title, &heading);
    for (index, candidate) in candidates.all.iter().enumerate() {
        let result = match errors.get(index) {
            Some(error) => error.to_string(),
            None if taken == Some(index) => "taken".to_string(),
            None if index >= candidates.asked => "not asked for by --mapping".to_string(),
            None if candidate.costs.is_none() => {
                "no partition holds one of its tensors or its weights".to_string()
            }
            None => "not fewer cycles".to_string(),
        };
        ways.rows.push(way(index, candidate, result));
    }
    vec![ways, layers(network, candidates)]
}

fn way(index: usize, candidate: &Candidate, result: String) -> Vec<String> {
    let switches = candidate.switches;
    let used = [
        switches.flattened,
        candidate
            .ways
            .mappings
            .iter()
            .any(|mapping| mapping.phases().is_some()),
        switches.streamed,
        switches.keeps,
    ];
    let used = used.map(|used| if used { "yes" } else { "no" }.to_string());
    let costs = candidate.costs.as_ref();
    let sum = |value: fn(&MappingCost) -> u64| {
        let sum = costs.map(|costs| {
            costs
                .iter()
                .flatten()
                .map(|cost| value(&cost.mapping))
                .sum::<u64>()
        });
        sum.map_or("-".to_string(), |sum| sum.to_string())
    };
    let sums = [sum(|cost| cost.cycles), sum(|cost| cost.buffer_bytes)];
    [&[name(index)], &used[..], &sums[..], &[result]].concat()
}

fn name(index: usize) -> String {
    format!("way {}", index + 1)
}

fn layers(network: &Network, candidates: &Candidates) -> Table {
    let ways = candidates.all.iter().enumerate();
    let cells = ways.clone().flat_map(|(index, _)| {
        let name = name(index);
        [name, "cycles".to_string(), "bytes".to_string()]
    });
    let heading: Vec<String> = std::iter::once("layer".to_string()).chain(cells).collect();
    let title = "each layer; a layer of the host or of matrices takes no cycles of its own here";
    let mut table = Table {
        title: title.to_string(),
        rows: vec![heading],
    };
    for (layer, found) in network.layers.iter().enumerate() {
        let cells = ways.clone().flat_map(|(_, candidate)| {
            let cost = candidate.cost(layer);
            match (cost, &candidate.weights[layer]) {
                (Some(cost), _) => [
                    candidate.ways.mappings[layer].name().to_string(),
                    cost.cycles.to_string(),
                    cost.buffer_bytes.to_string(),
                ],
                (None, Some(_)) => {
                    [candidate.ways.mappings[layer].name(), "-", "-"].map(str::to_string)
                }
                (None, None) => ["-"; 3].map(str::to_string),
            }
        });
        let row = std::iter::once(found.name.clone()).chain(cells);
        table.rows.push(row.collect());
    }
    table
}

//! Places as tables.

use std::ops::Range;

use heddle_arch::params::Params;
use heddle_network::Network;

use super::placement::Placement;
use crate::ir::Lowered;
use crate::layout::{MatrixPlace, TensorPlan};
use crate::table::Table;
use crate::ways::Candidate;

/// Where everything lies, and what is left of each partition.
pub(crate) fn tables(
    graph: &Lowered,
    candidate: &Candidate,
    placement: &Placement,
    params: &Params,
) -> Vec<Table> {
    let mut tables = vec![
        tensors(placement),
        weights(&graph.network, candidate, placement),
        matrices(placement),
        free(candidate, placement, params),
    ];
    tables.retain(|table| table.rows.len() > 1);
    tables
}

fn tensors(placement: &Placement) -> Table {
    let heading = [
        "tensor",
        "address",
        "bytes",
        "row pitch",
        "plane pitch",
        "planes",
        "partitions",
        "rows",
    ];
    let mut table = Table::new(
        "tensors: bytes in each partition, halos included; those of different times share memory",
        &heading,
    );
    for tensor in &placement.tensors {
        let place = [tensor.base, tensor.bytes].map(|bytes| bytes.to_string());
        let planes = match &tensor.matrices {
            Some(found) => [
                "-",
                "-",
                "-",
                "-",
                &format!("{} matrices", found.places.len()),
            ]
            .map(str::to_string),
            None => [
                tensor.pitch.to_string(),
                tensor.plane_stride.to_string(),
                planes(tensor).max().unwrap_or(0).to_string(),
                planes(tensor)
                    .filter(|&planes| planes > 0)
                    .count()
                    .to_string(),
                tensor.order.name().to_string(),
            ],
        };
        table
            .rows
            .push([std::slice::from_ref(&tensor.name), &place[..], &planes[..]].concat());
    }
    table
}

/// Planes of each partition.
fn planes(tensor: &TensorPlan) -> impl Iterator<Item = usize> {
    tensor.planes.iter().map(Vec::len)
}

fn weights(network: &Network, candidate: &Candidate, placement: &Placement) -> Table {
    let heading = ["layer", "address", "bytes", "column tiles", "table entries"];
    let mut table = Table::new("weights: bytes in each partition", &heading);
    for (index, layer) in network.layers.iter().enumerate() {
        let Some(plan) = &candidate.weights[index] else {
            continue;
        };
        let first = placement.column_tiles[index];
        let entries = placement.first_entries(index).iter().flatten().flatten();
        let entries: Vec<String> = entries.map(u32::to_string).collect();
        table.rows.push(vec![
            layer.name.clone(),
            placement.weights[index].to_string(),
            plan.bytes().to_string(),
            shown(first..first + plan.column_tiles),
            match entries.is_empty() {
                true => "-".to_string(),
                false => format!("from {}", entries.join(", ")),
            },
        ]);
    }
    table
}

fn shown(range: Range<u32>) -> String {
    match range.len() {
        0 => "-".to_string(),
        1 => range.start.to_string(),
        _ => format!("{}..{}", range.start, range.end - 1),
    }
}

fn matrices(placement: &Placement) -> Table {
    let heading = ["matrix", "rows", "columns", "address", "bytes"];
    let mut table = Table::new(
        "matrices, and the constants of transposes behind them: bytes in each partition",
        &heading,
    );
    for (index, place) in matrix_places(placement).enumerate() {
        let numbers = [
            place.shape.rows,
            place.shape.cols,
            place.base,
            place.bytes(),
        ];
        let numbers = numbers.map(|number| number.to_string());
        table
            .rows
            .push([&[index.to_string()], &numbers[..]].concat());
    }
    table
}

fn matrix_places(placement: &Placement) -> impl Iterator<Item = &MatrixPlace> {
    let matrices = &placement.matrices;
    matrices.items.iter().chain(matrices.constants())
}

/// Neighbours with equally much room are one line.
fn free(candidate: &Candidate, placement: &Placement, params: &Params) -> Table {
    let mut table = Table::new(
        format!("room: {} bytes in each partition", params.operand_bytes()),
        &["partitions", "used", "free", "longest free piece"],
    );
    let mut before: Option<(u32, [u32; 2])> = None;
    for partition in 0..=params.array.rows {
        let found = (partition < params.array.rows).then(|| {
            let used = used(candidate, placement, partition);
            room(used, params.operand_bytes())
        });
        if let Some((first, [free, longest])) = before.filter(|&(_, room)| Some(room) != found) {
            let cells = [params.operand_bytes() - free, free, longest];
            let cells = cells.map(|bytes| bytes.to_string());
            table
                .rows
                .push([&[shown(first..partition)], &cells[..]].concat());
            before = None;
        }
        before = before.or(found.map(|room| (partition, room)));
    }
    table
}

/// What takes room in a partition.
fn used(candidate: &Candidate, placement: &Placement, partition: u32) -> Vec<Range<u32>> {
    let here = |tensor: &&TensorPlan| {
        let planes = tensor.planes.get(partition as usize);
        planes.is_some_and(|planes| !planes.is_empty())
    };
    let tensors = placement.tensors.iter().filter(here);
    let tensors = tensors.map(|tensor| tensor.base..tensor.base + tensor.bytes);
    let weights = candidate.weights.iter().zip(&placement.weights);
    let weights = weights.filter_map(|(plan, &base)| {
        let bytes = u32::try_from(plan.as_ref()?.bytes()).ok()?;
        Some(base..base + bytes)
    });
    let matrices = matrix_places(placement).filter(|place| place.shape.rows > partition);
    let matrices = matrices.map(|place| place.base..place.end());
    tensors.chain(weights).chain(matrices).collect()
}

/// Bytes outside of all ranges, and the most of them in one piece.
fn room(mut used: Vec<Range<u32>>, bytes: u32) -> [u32; 2] {
    used.push(bytes..bytes);
    used.sort_by_key(|range| range.start);
    let (mut end, mut free, mut longest) = (0, 0, 0);
    for range in used {
        let gap = range.start.saturating_sub(end);
        free += gap;
        longest = longest.max(gap);
        end = end.max(range.end);
    }
    [free, longest]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_what_no_range_covers() {
        assert_eq!(room(vec![], 64), [64, 64]);
        assert_eq!(room(vec![8..16, 0..24, 40..48, 44..56], 64), [24, 16]);
        assert_eq!(room(vec![0..64, 8..16], 64), [0, 0]);
    }
}

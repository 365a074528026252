//! What the host writes: column parameters and words of the state buffer.

use std::collections::BTreeMap;
use std::ops::Range;

use heddle_arch::params::Params;
use heddle_arch::requantise::Scale;
use heddle_arch::word::{WORD_BYTES, WordBytes};

use super::ColumnParam;
use crate::ir::Lowered;
use crate::layout::MatrixPlace;
use crate::memory::{Moved, Placement};
use crate::ways::Candidate;

/// Words by partition and word.
type Words = BTreeMap<(u32, u32), WordBytes>;

/// Zeros in these words of each partition, weights of some layers, and the constants of transposes if it is written once.
pub(super) fn image(
    graph: &Lowered,
    candidate: &Candidate,
    placement: &Placement,
    (zeros, layers, once): (Vec<u32>, Range<usize>, bool),
    params: &Params,
) -> Vec<(u32, u32, WordBytes)> {
    let planes = placement.tensors.iter().map(|tensor| tensor.planes.len());
    let partitions = match graph.has_matrices() {
        false => planes.max().unwrap_or(0) as u32,
        true => params.array.rows,
    };
    let work = candidate.matrices(graph);
    let stored = work.items.iter().zip(&placement.matrices.items);
    let stored = stored.filter(|(item, _)| layers.contains(&item.steps.start.saturating_sub(1)));
    let stored = stored.filter_map(|(item, place)| Some((place, item.content.as_ref()?)));
    let written = placement.matrices.written.iter().filter(|_| once);
    let mut matrices = Words::new();
    for (place, elements) in stored.chain(written.map(|(place, elements)| (place, elements))) {
        write(&mut matrices, place, elements);
    }
    let of_partition = |partition: u32| {
        let zeros = zeros.iter();
        let mut words: Vec<_> = zeros
            .map(|&word| (partition, word, WordBytes::default()))
            .collect();
        for index in layers.clone() {
            let layer = &graph.network.layers[index];
            let weights = candidate.weights[index].as_ref();
            if let Some(weights) = weights.filter(|weights| partition < weights.rows) {
                let content = weights.words(layer, partition);
                let content = (placement.weights[index] / WORD_BYTES..).zip(content);
                let moved = placement.moved.iter().filter(|load| load.layer == index);
                let is_moved = |word: &u32| moved.clone().any(|load| load.words.contains(word));
                let content = content.filter(|(word, _)| !is_moved(word));
                words.extend(content.map(|(word, data)| (partition, word, data)));
            }
        }
        let content = matrices.range((partition, 0)..(partition + 1, 0));
        words.extend(content.map(|(&(partition, word), &data)| (partition, word, data)));
        // What comes last counts.
        words.reverse();
        words.sort_by_key(|&(_, word, _)| word);
        words.dedup_by_key(|&mut (_, word, _)| word);
        words
    };
    (0..partitions).flat_map(of_partition).collect()
}

/// Words that the program loads, in its order.
pub(super) fn moved(
    graph: &Lowered,
    candidate: &Candidate,
    placement: &Placement,
) -> Vec<WordBytes> {
    let mut all = Vec::new();
    for Moved {
        layer, words, rows, ..
    } in &placement.moved
    {
        let weights = candidate.weights[*layer].as_ref();
        let weights = weights.expect("a layer with weights");
        let first = placement.weights[*layer] / WORD_BYTES;
        let words = (words.start - first) as usize..(words.end - first) as usize;
        for partition in 0..*rows {
            let content = weights.words(&graph.network.layers[*layer], partition);
            all.extend_from_slice(&content[words.clone()]);
        }
    }
    all
}

/// Elements of a matrix, row by row, into the words of an image.
fn write(words: &mut Words, place: &MatrixPlace, content: &[i8]) {
    let cols = place.shape.cols;
    for (at, &value) in (0..).zip(content) {
        let (partition, address) = place.element(at / cols, at % cols);
        let word = words.entry((partition, address / WORD_BYTES)).or_default();
        word[(address % WORD_BYTES) as usize] = value as u8;
    }
}

/// Biases and scales of the columns of some layers, and those of matrices.
pub(super) fn columns(
    graph: &Lowered,
    candidate: &Candidate,
    placement: &Placement,
    layers: Range<usize>,
    params: &Params,
) -> Vec<ColumnParam> {
    let mut columns = Vec::new();
    for index in layers.clone() {
        let layer = &graph.network.layers[index];
        let Some(plan) = &candidate.weights[index] else {
            continue;
        };
        let elements = plan.window() as i32;
        for tile in 0..plan.column_tiles {
            for column in 0..plan.columns(tile) {
                let (channel, _) = plan.output(tile, column);
                let bias = layer.bias.get(channel as usize).copied().unwrap_or(0);
                columns.push(ColumnParam {
                    column,
                    tile: placement.column_tiles[index] + tile,
                    bias: bias / elements,
                    scale: match plan.constants.dual {
                        Some(dual) => dual.scale.into(),
                        // A column of no channel may have any.
                        None => match layer.scales.get(channel as usize) {
                            Some(&scale) => scale.into(),
                            None => Scale::reciprocal(1).into(),
                        },
                    },
                });
            }
        }
    }
    let parts = placement.parts.column_tiles.iter();
    let mut parts = parts.zip(&placement.matrix_tiles);
    let Some((_, own)) = parts.find(|(part, _)| **part == layers) else {
        return columns;
    };
    let all = &candidate.matrices(graph).tiles;
    let tiles = (own.first..).zip(own.tiles.iter().map(|&tile| all[tile].clone()));
    let unit = own
        .unit
        .map(|tile| (tile.into(), vec![(0, Scale::reciprocal(1))]));
    columns.extend(tiles.chain(unit).flat_map(|(tile, scales)| {
        let columns = 0..params.array.cols;
        // One for all, or one for each column; columns that are not used may have any.
        let scales = scales.into_iter().cycle().zip(columns);
        scales.map(move |((bias, scale), column)| ColumnParam {
            column,
            tile,
            bias,
            scale: scale.into(),
        })
    }));
    columns
}

//! Addresses in a network of planes: activations from bank 0 on, weights in the banks
//! behind them. Tensors that are not needed at the same time may share memory. Input banks, if there are any, hold the
//! input of the network and nothing else.
//!
//! A tensor has one address for all segments. The weights of a segment begin after the tensors that must be there while it
//! runs, so they may lie where other segments have tensors. Where two segments lie beside each other, the weights of each second one end at the
//! end of the partition, and no segment has tensors where one beside it has weights.

use std::iter;
use std::ops::Range;

use heddle_arch::params::Params;
use heddle_arch::word::WORD_BYTES;

use super::needs::Needs;
use super::parts::{Cut, Parts};
use super::regions::{Matrices, Regions};
use crate::error::Memory;
use crate::ways::Candidate;

/// Addresses of tensors and weights of segments that fit.
pub(super) fn place(
    needs: &Needs,
    candidate: &Candidate,
    cut: &Cut,
    params: &Params,
) -> (Regions, Parts) {
    let parts = parts(needs, cut);
    let weights: Vec<u32> = (0..parts.weights.len())
        .map(|part| weight_base(needs, cut, &parts, part, params))
        .collect();
    let halos = halos(needs, cut, &weights);
    let bases = needs.bases().to_vec();
    let regions = Regions {
        zeros: zeros(candidate, &bases, params),
        tensors: bases,
        weights,
        halos,
        matrices: Matrices::default(),
    };
    (regions, parts)
}

/// Where the weights of a part of the layers begin.
pub(super) fn weight_base(
    needs: &Needs,
    cut: &Cut,
    parts: &Parts,
    part: usize,
    params: &Params,
) -> u32 {
    let bytes = |bytes: u64| u32::try_from(bytes).expect("everything fits a partition");
    let layers = &parts.weights[part];
    match cut.beside && part % 2 == 1 {
        true => params.work_bytes() - bytes(needs.weight_bytes(layers)),
        false => bytes(needs.activation_room(&cut.around(layers))),
    }
}

/// For each segment words of its halos where other tensors or weights lie; none if there is a single one, or if the program clears them.
pub(super) fn halos(needs: &Needs, cut: &Cut, weights: &[u32]) -> Vec<Vec<u32>> {
    let [first, rest @ ..] = &cut.segments[..] else {
        return Vec::new();
    };
    if rest.is_empty() {
        return Vec::new();
    }
    if cut.moves {
        return vec![Vec::new(); cut.segments.len()];
    }
    // Weights that are written once lie behind all tensors.
    let lowest = weights
        .iter()
        .min()
        .map_or(0, |&weights| weights / WORD_BYTES);
    let written = needs.written();
    let segments = iter::once(first).chain(rest);
    segments
        .map(|layers| needs.halos(layers, lowest, &written))
        .collect()
}

/// What fits for all layers is written once.
pub(super) fn parts(
    needs: &Needs,
    Cut {
        segments, beside, ..
    }: &Cut,
) -> Parts {
    let lacks = needs.shortages(&needs.all());
    let of = |memory: Memory| match lacks.iter().any(|lack| lack.memory == memory) {
        true => segments.clone(),
        false => iter::once(needs.all()).collect(),
    };
    Parts {
        segments: segments.clone(),
        weights: of(Memory::Weights),
        column_tiles: of(Memory::ColumnTiles),
        row_offsets: of(Memory::RowOffsets),
        beside: *beside,
    }
}

/// The words from the first one of all tensors to the last one, and those of input banks.
fn zeros(candidate: &Candidate, bases: &[u32], params: &Params) -> Vec<Range<u32>> {
    let apart = usize::from(params.state_buffer.input_banks > 0);
    let layouts = candidate.layout.tensors.iter().flatten();
    let ends = bases.iter().zip(layouts).map(|(&base, layout)| {
        let bytes = u32::try_from(layout.footprint.bytes).expect("every tensor fits a partition");
        (base + bytes) / WORD_BYTES
    });
    let ends: Vec<u32> = ends.collect();
    let input = params.work_bytes() / WORD_BYTES;
    vec![
        0..ends[apart..].iter().copied().max().unwrap_or(0),
        input..ends[..apart].first().copied().unwrap_or(input),
    ]
}

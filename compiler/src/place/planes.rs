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
use heddle_network::Network;

use super::needs::Needs;
use super::{Cut, Matrices, Parts, Regions};
use crate::error::{Memory, Shortage};
use crate::map::Candidate;

/// Addresses of tensors and weights, or the layers that do not fit and the memories that are too small for them.
pub(super) fn place(
    network: &Network,
    candidate: &Candidate,
    cut: &Cut,
    params: &Params,
) -> Result<(Regions, Parts), (Range<usize>, Vec<Shortage>)> {
    let needs = Needs::of(network, candidate, params, cut);
    for layers in &cut.segments {
        let shortages = needs.shortages(layers);
        if !shortages.is_empty() {
            return Err((layers.clone(), shortages));
        }
    }
    let parts = parts(&needs, cut);
    let words = |bytes: u64| u32::try_from(bytes / 8).expect("everything fits a partition");
    let weights = parts.weights.iter();
    let weights: Vec<u32> = weights
        .enumerate()
        .map(|(part, layers)| match cut.beside && part % 2 == 1 {
            true => params.work_bytes() - 8 * words(needs.weight_bytes(layers)),
            false => 8 * words(needs.activation_room(&cut.around(layers))),
        })
        .collect();
    // Weights that are written once lie behind all tensors.
    let lowest = weights.iter().min().map_or(0, |&weights| weights / 8);
    let halos = match &cut.segments[..] {
        [_] => Vec::new(),
        segments => (segments.iter())
            .map(|layers| needs.halos(layers, lowest))
            .collect(),
    };
    let bases = needs.bases().to_vec();
    let regions = Regions {
        zeros: zeros(candidate, &bases, params),
        tensors: bases,
        weights,
        halos,
        matrices: Matrices::default(),
    };
    Ok((regions, parts))
}

/// What fits for all layers is written once.
fn parts(
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
    let layouts = candidate.layouts.iter().flatten();
    let ends = bases.iter().zip(layouts).map(|(&base, layout)| {
        let bytes = u32::try_from(layout.footprint.bytes).expect("every tensor fits a partition");
        (base + bytes) / 8
    });
    let ends: Vec<u32> = ends.collect();
    let input = params.work_bytes() / 8;
    vec![
        0..ends[apart..].iter().copied().max().unwrap_or(0),
        input..ends[..apart].first().copied().unwrap_or(input),
    ]
}

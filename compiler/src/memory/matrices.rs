//! Addresses in a network of matrices: each group has whole banks, and within it what is not needed at the same time
//! shares memory. Planes are in the first group, the weights of their layers in the second one.
//!
//! Everything has one address for all segments. A group begins behind the banks that the groups before it need in a segment, so it may lie
//! where those have something in other segments.

use std::collections::BTreeMap;
use std::iter;
use std::ops::Range;
use std::rc::Rc;

use heddle_arch::word::WORD_BYTES;

use super::memories::{Lacks, Memories};
use super::needs::Needs;
use super::parts::{Cut, Parts};
use super::placer::Placer;
use super::regions::Regions;
use crate::error::{CompileError, Shortage};
use crate::ways::{Addresses, Candidate, Helper, helpers};

/// Gives everything its address. What the host has room for at the same time it writes once.
///
/// # Errors
/// The memories that are too small, or matrices that cannot be parted.
pub(super) fn place(
    memories: &Memories,
    candidate: &Candidate,
    cut: &Cut,
) -> Result<(Regions, Parts), CompileError> {
    let placer = Placer::of(memories, candidate)?;
    let all = || iter::once(memories.graph.layers()).collect::<Vec<_>>();
    let lacking = placer.numbers(&memories.graph.layers(), 1);
    let of = |lacks: bool| match lacks {
        true => cut.segments.clone(),
        false => all(),
    };
    let [column_tiles, row_offsets] = lacking.map(|lack| of(lack.is_some()));
    let placed = |weights: Vec<Range<usize>>| {
        let regions = placer.place(cut, &weights)?;
        Ok((regions, weights))
    };
    let (mut regions, weights) = placed(all())
        .or_else(|_| placed(cut.segments.clone()))
        .map_err(|lacks: Lacks| {
            let (segment, lacks) = lacks.into_iter().next().expect("something is missing");
            memories.does_not_fit(&cut.segments[segment], lacks)
        })?;
    if cut.segments.len() > 1 {
        regions.halos = halos(memories, candidate, cut, &regions, &weights);
    }
    let parts = Parts {
        segments: cut.segments.clone(),
        weights,
        column_tiles,
        row_offsets,
        beside: cut.beside,
    };
    Ok((regions, parts))
}

/// For each segment words of halos where something else lies in others.
fn halos(
    memories: &Memories,
    candidate: &Candidate,
    cut: &Cut,
    regions: &Regions,
    weights: &[Range<usize>],
) -> Vec<Vec<u32>> {
    let addresses = Addresses {
        bases: Some(regions.tensors.clone()),
        ends: Vec::new(),
    };
    let needs = Needs::with(memories, candidate, cut, Rc::new(addresses));
    let mut written = needs.written();
    let matrices = regions
        .matrices
        .items
        .iter()
        .chain(regions.matrices.constants());
    let matrices = matrices.map(|place| (place.base, u64::from(place.bytes())));
    let weights = weights.iter().map(|part| candidate.weight_bytes(part));
    let weights = regions.weights.iter().copied().zip(weights);
    for (base, bytes) in matrices.chain(weights) {
        let [first, words] =
            [u64::from(base), bytes].map(|of| (of / u64::from(WORD_BYTES)) as usize);
        written[first..first + words].fill(true);
    }
    let segments = cut.segments.iter();
    segments
        .map(|layers| needs.halos(layers, u32::MAX, &written))
        .collect()
}

impl Memories<'_> {
    /// How many groups of banks have an identity of their own.
    ///
    /// # Errors
    /// Matrices cannot be parted.
    pub fn identities(&self, candidate: &Candidate) -> Result<u64, CompileError> {
        let placer = Placer::of(self, candidate)?;
        let helpers = helpers(placer.work, &placer.colours.of, false).into_iter();
        let identities = helpers.filter(|(helper, _)| *helper == Helper::Identity);
        Ok(identities.count() as u64)
    }

    /// The segments of a network of matrices for which a memory is too small, and what they lack.
    pub(super) fn lacks_of_matrices(
        &self,
        candidate: &Candidate,
        cut: &Cut,
    ) -> Result<Lacks, CompileError> {
        let placer = Placer::of(self, candidate)?;
        let placed = placer.place(cut, &cut.segments);
        let mut lacks: BTreeMap<_, _> = placed.err().unwrap_or_default().into_iter().collect();
        for (segment, layers) in cut.segments.iter().enumerate() {
            let numbers = placer.numbers(layers, cut.copies()).into_iter().flatten();
            let numbers: Vec<Shortage> = numbers.collect();
            if !numbers.is_empty() {
                lacks
                    .entry(segment)
                    .or_insert_with(Vec::new)
                    .extend(numbers);
            }
        }
        Ok(lacks.into_iter().collect())
    }
}

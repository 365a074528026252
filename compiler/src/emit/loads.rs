//! What the host writes once, and what it writes for each segment.

use std::ops::Range;

use heddle_arch::params::Params;

use super::image;
use super::load::{Load, Segment};
use super::program::RunPlan;
use crate::ir::Lowered;
use crate::memory::Placement;
use crate::ways::Candidate;

/// What the stages before have made of a network.
pub(super) struct Parts<'a> {
    pub graph: &'a Lowered<'a>,
    pub candidate: &'a Candidate,
    pub placement: &'a Placement,
    pub params: &'a Params,
}

impl Parts<'_> {
    /// What is written once, with the words of the runs if there is a single list of them, and the segments if there are several.
    pub fn loads(&self, runs: &[RunPlan], words: Vec<Vec<u32>>) -> (Load, Vec<Segment>) {
        let zeros = self.placement.zeros.iter().cloned().flatten().collect();
        let mut words = words.into_iter();
        let mut once = self.load(0..self.graph.network.layers.len(), true, zeros);
        let shared = words.len() == 1;
        if shared {
            once.words = words.next().unwrap_or_default();
        }
        let segments = match &self.placement.parts.segments[..] {
            [_] => &[],
            several => several,
        };
        let mut halos = self.placement.halos.iter();
        let segments = segments.iter().enumerate().map(|(number, layers)| {
            let halos = halos.next().cloned().unwrap_or_default();
            let mut load = self.load(layers.clone(), false, halos);
            if let Some(words) = words.next() {
                load.first_word = self
                    .placement
                    .parts
                    .first(number, self.params.program.words);
                load.words = words;
            }
            let of_segment = |run: &&RunPlan| layers.contains(&run.layers.start);
            let first = runs.iter().take_while(|run| !of_segment(run)).count();
            let count = runs.iter().filter(of_segment).count();
            Segment {
                runs: first..first + count,
                load,
            }
        });
        (once, segments.collect())
    }

    /// What some layers need of the memories, of those that hold the data of all layers or of the others, and zeros of the state buffer.
    fn load(&self, layers: Range<usize>, whole: bool, zeros: Vec<u32>) -> Load {
        let parts = &self.placement.parts;
        let of = |parts: &[Range<usize>]| match (parts.len() == 1) == whole {
            true => layers.clone(),
            false => 0..0,
        };
        let rows = &self.placement.tables;
        let rows = parts.row_offsets.iter().zip(rows);
        let rows = rows.filter(|(part, _)| **part == of(&parts.row_offsets));
        let tables = &self.graph.constants.tables;
        let tables = tables
            .iter()
            .filter(|part| (tables.len() == 1) == whole && layers.contains(&part.first));
        let weights = of(&parts.weights);
        let columns = of(&parts.column_tiles);
        let Self {
            graph,
            candidate,
            placement,
            params,
            ..
        } = *self;
        Load {
            words: Vec::new(),
            first_word: 0,
            columns: image::columns(graph, candidate, placement, columns, params),
            image: image::image(graph, candidate, placement, (zeros, weights, whole), params),
            row_offsets: rows.flat_map(|(_, tables)| tables.offsets()).collect(),
            tables: tables.flat_map(|part| part.tables.clone()).collect(),
        }
    }
}

//! Segments of a network, and what lies in the memories at the same time.

use std::iter;
use std::ops::Range;

use crate::ir::TablePart;

/// How a network is cut into segments.
#[derive(Debug, Clone)]
pub(crate) struct Cut {
    /// Runs of consecutive layers.
    pub segments: Vec<Range<usize>>,
    /// The halos of what a segment makes are cleared, so that other tensors may have lain there: by the host in front of a segment; where the
    /// program moves weights by the program, while the maker of a tensor runs.
    pub clears: bool,
    /// What the host loads for a segment is in the machine beside what it loads for the next one. It may load them while the segment runs.
    pub beside: bool,
    /// Weights take each other's places, and the program loads them.
    pub moves: bool,
}

impl Cut {
    /// All layers at once.
    pub fn none(layers: Range<usize>) -> Self {
        Self {
            segments: vec![layers],
            clears: false,
            beside: false,
            moves: false,
        }
    }

    /// All layers at once, but for weights, of which those of each layer fit.
    pub fn moving(layers: Range<usize>, clears: bool) -> Self {
        Self {
            clears,
            moves: true,
            ..Self::none(layers)
        }
    }

    /// Each layer is a segment.
    pub fn alone(layers: Range<usize>, clears: bool, beside: bool) -> Self {
        Self {
            segments: layers.map(|layer| layer..layer + 1).collect(),
            clears,
            beside,
            moves: false,
        }
    }

    /// The same with a segment and the one behind it as one; none if functions of one byte have other numbers from there on.
    pub fn with_next(&self, number: usize, tables: &[TablePart]) -> Option<Self> {
        let next = &self.segments[number + 1];
        if tables.iter().any(|part| part.first == next.start) {
            return None;
        }
        let mut joined = self.clone();
        joined.segments[number].end = next.end;
        joined.segments.remove(number + 1);
        Some(joined)
    }

    /// Segments whose data are in the machine at the same time.
    pub fn copies(&self) -> u64 {
        1 + u64::from(self.beside && self.segments.len() > 1)
    }

    /// All segments that may be loaded or run while one does; only itself where they take each other's places.
    pub fn around(&self, layers: &Range<usize>) -> Range<usize> {
        match self.neighbours(layers) {
            [] => layers.clone(),
            [first, .., last] | [first @ last] => first.start..last.end,
        }
    }

    /// A segment with those before and behind it; nothing where they take each other's places.
    pub fn neighbours(&self, layers: &Range<usize>) -> &[Range<usize>] {
        if !self.beside || self.segments.len() < 2 {
            return &[];
        }
        let found = self
            .segments
            .binary_search_by_key(&layers.start, |segment| segment.start);
        let number = found
            .ok()
            .filter(|&number| self.segments[number] == *layers);
        number.map_or(&[], |number| {
            let end = self.segments.len().min(number + 2);
            &self.segments[number.saturating_sub(1)..end]
        })
    }

    /// The step before which the halos of a tensor are cleared for each image, at the earliest; 0 if they are cleared with the image alone.
    pub fn cleared(&self, tensor: usize) -> usize {
        let layer = tensor.saturating_sub(1);
        if !self.clears {
            return 0;
        }
        let behind = self
            .segments
            .partition_point(|layers| layers.start <= layer);
        let own = &self.segments[behind - 1];
        match self.neighbours(own) {
            [] => own.start + 1,
            [first, ..] => first.start + 1,
        }
    }
}

/// The segments of a network, and for each memory the layers whose data lie there at the same time: all of them, or those of each segment.
#[derive(Debug)]
pub(crate) struct Parts {
    pub segments: Vec<Range<usize>>,
    pub weights: Vec<Range<usize>>,
    pub column_tiles: Vec<Range<usize>>,
    pub row_offsets: Vec<Range<usize>>,
    /// Each second segment has the upper half of a memory, the others the lower one.
    pub beside: bool,
}

impl Parts {
    /// Everything is there at the same time.
    pub fn whole(layers: usize) -> Self {
        let all = || iter::once(0..layers).collect();
        Self {
            segments: all(),
            weights: all(),
            column_tiles: all(),
            row_offsets: all(),
            beside: false,
        }
    }

    /// Where a part begins in a memory of so many places: entries, column tiles or words.
    pub fn first(&self, part: usize, places: u32) -> u32 {
        match self.beside && part % 2 == 1 {
            true => places / 2,
            false => 0,
        }
    }
}

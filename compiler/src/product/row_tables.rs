//! The offset tables of the rows, shared by all layers.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

/// What each row adds to the addresses of a K tile.
type RowOffsets = Vec<Option<u16>>;

/// The offsets of a layer.
#[derive(Debug, Default)]
pub(crate) struct RowEntries {
    /// For each input and part, for each K tile; none if the rows add nothing.
    pub parts: Vec<Vec<Option<Vec<RowOffsets>>>>,
    /// Entries of the layer by itself.
    pub count: usize,
}

impl RowEntries {
    pub fn new(parts: Vec<Vec<Option<Vec<RowOffsets>>>>) -> Self {
        let mut tables = RowTables::default();
        let entries = parts.iter().flatten().flatten();
        entries.for_each(|entries| {
            tables.place(entries);
        });
        let count = tables.entries.len();
        Self { parts, count }
    }
}

/// Entries of the offset tables, and which of them the layers use.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct RowTables {
    /// Number of the first of them.
    start: u32,
    /// The layers.
    layers: Range<usize>,
    /// Offset of each row, none if it takes no part.
    pub entries: Vec<RowOffsets>,
    /// The places of each entry.
    places: HashMap<RowOffsets, Vec<usize>>,
    /// The first entry for each layer, input and part; none without a table, nothing for layers that are not of planes.
    first: Vec<Vec<Vec<Option<u32>>>>,
}

impl RowTables {
    /// The tables of some layers; all of them have these offsets.
    pub fn of(rows: &[Rc<RowEntries>], layers: &Range<usize>) -> Self {
        let mut tables = Self {
            layers: layers.clone(),
            ..Self::default()
        };
        for layer in &rows[layers.clone()] {
            let mut place = |entries: &Option<Vec<RowOffsets>>| {
                entries.as_ref().map(|entries| tables.place(entries))
            };
            let inputs = layer
                .parts
                .iter()
                .map(|parts| parts.iter().map(&mut place).collect());
            let first = inputs.collect();
            tables.first.push(first);
        }
        tables
    }

    /// First entry for each input and part of a layer.
    pub fn first(&self, layer: usize) -> &[Vec<Option<u32>>] {
        &self.first[layer - self.layers.start]
    }

    /// First of some entries that follow each other; those that are there already are used again.
    fn place(&mut self, entries: &[RowOffsets]) -> u32 {
        let places = self.places.get(&entries[0]);
        let mut places = places.into_iter().flatten();
        let there = places.find(|&&first| self.entries[first..].starts_with(entries));
        if let Some(&there) = there {
            return there as u32;
        }
        let first = self.entries.len();
        for entry in entries {
            let places = self.places.entry(entry.clone()).or_default();
            places.push(self.entries.len());
            self.entries.push(entry.clone());
        }
        first as u32
    }

    /// The same with another number of the first entry.
    pub fn from(mut self, start: u32) -> Self {
        let first = self.first.iter_mut().flatten().flatten().flatten();
        first.for_each(|entry| *entry += start);
        self.start += start;
        self
    }

    /// Row, entry and offset of all of them.
    pub fn offsets(&self) -> Vec<(u32, u32, Option<u16>)> {
        let rows = self.entries.iter().map(Vec::len).max().unwrap_or(0) as u32;
        let places =
            (0..rows).flat_map(|row| (self.start..).zip(&self.entries).map(move |e| (row, e)));
        let offset = |(row, (entry, offsets)): (u32, (u32, &RowOffsets))| {
            let offset = offsets.get(row as usize)?;
            Some((row, entry, *offset))
        };
        places.filter_map(offset).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_entries_are_shared() {
        let entry = |offset: u16| vec![Some(offset), None];
        let mut tables = RowTables::default();
        assert_eq!(tables.place(&[entry(1), entry(2)]), 0);
        assert_eq!(tables.place(&[entry(2)]), 1);
        assert_eq!(tables.place(&[entry(2), entry(1)]), 2);
        assert_eq!(tables.place(&[entry(1), entry(2)]), 0);
        assert_eq!(tables.entries.len(), 4);
        assert_eq!(tables.offsets()[0], (0, 0, Some(1)));
        assert_eq!(tables.offsets()[7], (1, 3, None));
    }
}

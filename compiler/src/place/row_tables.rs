//! The offset tables of the rows, shared by all layers.

use std::ops::Range;

use heddle_network::Network;

use crate::layout::Distances;
use crate::product::WeightPlan;

/// What each row adds to the addresses of a K tile.
type RowOffsets = Vec<Option<u16>>;

/// Entries of the offset tables, and which of them the layers use.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct RowTables {
    /// Number of the first of them.
    start: u32,
    /// Offset of each row, none if it takes no part.
    pub entries: Vec<RowOffsets>,
    /// The first entry for each layer, input and part; none without a table, nothing for layers that are not of them.
    pub first: Vec<Vec<Vec<Option<u32>>>>,
}

impl RowTables {
    /// The tables of some layers; inputs have these distances of rows and planes.
    pub fn of(
        network: &Network,
        plans: &[Option<WeightPlan>],
        layers: &Range<usize>,
        distances: impl Fn(usize) -> Distances,
    ) -> Self {
        let mut tables = Self::default();
        for (number, (layer, plan)) in network.layers.iter().zip(plans).enumerate() {
            let plan = plan.iter().filter(|_| layers.contains(&number));
            let mut of_layer = Vec::new();
            let inputs = layer.inputs.iter().enumerate();
            for (plan, (index, input)) in
                plan.flat_map(|plan| inputs.clone().map(move |input| (plan, input)))
            {
                let parts = 0..plan.orders.parts();
                let of_part = |part| {
                    let entries = plan.row_offsets(index, part, distances(input.tensor))?;
                    Some(tables.place(entries))
                };
                of_layer.push(parts.map(of_part).collect());
            }
            tables.first.push(of_layer);
        }
        tables
    }

    /// First of some entries that follow each other; those that are there already are used again.
    fn place(&mut self, entries: Vec<RowOffsets>) -> u32 {
        let mut found = self.entries.windows(entries.len());
        let found = found.position(|there| there == entries);
        let first = found.unwrap_or(self.entries.len());
        if found.is_none() {
            self.entries.extend(entries);
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
        assert_eq!(tables.place(vec![entry(1), entry(2)]), 0);
        assert_eq!(tables.place(vec![entry(2)]), 1);
        assert_eq!(tables.place(vec![entry(2), entry(1)]), 2);
        assert_eq!(tables.place(vec![entry(1), entry(2)]), 0);
        assert_eq!(tables.entries.len(), 4);
        assert_eq!(tables.offsets()[0], (0, 0, Some(1)));
        assert_eq!(tables.offsets()[7], (1, 3, None));
    }
}

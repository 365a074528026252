//! A part of the results of a layer that is made at a time.

use super::axis::{Cell, Stretch};
use super::layer::Shape;

/// A part of the map that is computed at once: its rows and its columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fold {
    /// Rows, columns.
    pub sides: [Stretch; 2],
    /// Rows and columns of its cells, row by row: what the units do of it.
    pub cells: Vec<[Cell; 2]>,
}

impl Fold {
    /// It is made of padding alone.
    pub(super) fn is_padding(&self) -> bool {
        self.sides.iter().any(|side| side.loads.is_empty())
    }

    /// Positions of the input that a cell takes at most.
    pub(crate) fn most_taken(&self, shape: &Shape) -> u32 {
        let taken = |cell: &[Cell; 2], side: usize| {
            let loads = &self.sides[side].loads;
            shape.axis(side).taken(loads, &cell[side])
        };
        let cells = self.cells.iter();
        cells
            .map(|cell| taken(cell, 0) * taken(cell, 1))
            .max()
            .unwrap_or(0)
    }
}

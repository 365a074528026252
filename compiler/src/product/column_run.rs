//! Column tiles that one product makes one after the other.

use std::ops::Range;

/// Most column tiles of a product.
const MOST: u32 = 256;

/// Consecutive column tiles with equal columns and K tiles whose operands lie at equal distances.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ColumnRun {
    /// The column tiles.
    pub tiles: Range<u32>,
    /// K tiles of each of them.
    pub k_tiles: u64,
    /// Planes between the operands of a column tile and those of the next one.
    pub plane_step: u32,
}

impl ColumnRun {
    /// K tiles of all its column tiles.
    pub fn all_k_tiles(&self) -> u64 {
        self.k_tiles * u64::from(self.tiles.end - self.tiles.start)
    }
}

/// What a column tile needs, for joining it to the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ColumnTile {
    /// Part of the layer.
    pub part: u32,
    pub columns: u32,
    pub k_tiles: u64,
    /// First plane of its operands.
    pub plane: u32,
}

/// Joins what can be one product; without `join` every column tile is one of its own.
pub(crate) fn column_runs(tiles: &[ColumnTile], join: bool) -> Vec<ColumnRun> {
    let mut runs: Vec<ColumnRun> = Vec::new();
    for (at, tile) in (0u32..).zip(tiles) {
        if let Some(run) = runs.last_mut().filter(|_| join) {
            let before = tiles[at as usize - 1];
            let step = tile.plane.checked_sub(before.plane);
            let length = run.tiles.end - run.tiles.start;
            let fits = length == 1 || step == Some(run.plane_step);
            let alike = |tile: &ColumnTile| (tile.part, tile.columns, tile.k_tiles);
            let alike = alike(tile) == alike(&before);
            if let Some(step) = step.filter(|_| fits && alike && length < MOST) {
                run.plane_step = step;
                run.tiles.end += 1;
                continue;
            }
        }
        runs.push(ColumnRun {
            tiles: at..at + 1,
            k_tiles: tile.k_tiles,
            plane_step: 0,
        });
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tile(columns: u32, k_tiles: u64, plane: u32) -> ColumnTile {
        ColumnTile {
            part: 0,
            columns,
            k_tiles,
            plane,
        }
    }

    #[test]
    fn equal_tiles_at_equal_distances_are_one_run() {
        let run = |tiles, k_tiles, plane_step| ColumnRun {
            tiles,
            k_tiles,
            plane_step,
        };
        let dense = [tile(8, 3, 0), tile(8, 3, 0), tile(4, 3, 0)];
        assert_eq!(
            column_runs(&dense, true),
            [run(0..2, 3, 0), run(2..3, 3, 0)]
        );
        let deep = [tile(8, 9, 0), tile(8, 9, 1), tile(8, 9, 2), tile(8, 9, 4)];
        assert_eq!(column_runs(&deep, true), [run(0..3, 9, 1), run(3..4, 9, 0)]);
        assert_eq!(column_runs(&deep, false).len(), 4);
        assert_eq!(column_runs(&vec![tile(8, 1, 0); 300], true).len(), 2);
        let mut parts = [tile(8, 9, 0); 4];
        parts[2..].iter_mut().for_each(|tile| tile.part = 1);
        assert_eq!(
            column_runs(&parts, true),
            [run(0..2, 9, 0), run(2..4, 9, 0)]
        );
    }
}

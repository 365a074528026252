//! A map cut into bands, and each band into cells.

use super::axis::{Span, cut};
use super::table::Table;

/// Borders of bands, and of the cells of each band.
#[derive(Debug, Clone)]
pub(super) struct Cuts {
    pub(super) rows: Vec<u32>,
    pub(super) cols: Vec<Vec<u32>>,
}

impl Cuts {
    /// Cells of equal size.
    pub(super) fn equal([rows, cols]: [u32; 2], grid: [u32; 2]) -> Self {
        Self {
            rows: borders(cut(0..rows, grid[0])),
            cols: vec![borders(cut(0..cols, grid[1])); grid[0] as usize],
        }
    }

    /// Where the sums of rows, and of the columns of each band, reach their shares.
    pub(super) fn of_sums(table: &Table, grid: [u32; 2]) -> Self {
        let [height, width] = table.size;
        let rows = of_shares(height, grid[0], |row| {
            table.number([row..row + 1, 0..width])
        });
        let bands = rows.windows(2).map(|band| {
            let of_col = |col| table.number([band[0]..band[1], col..col + 1]);
            of_shares(width, grid[1], of_col)
        });
        let cols = bands.collect();
        Self { rows, cols }
    }

    /// All cells, band by band.
    pub(super) fn cells(&self) -> impl Iterator<Item = [Span; 2]> {
        let cells = move |band: usize| {
            let cells = 0..self.cols[band].len() - 1;
            cells.map(move |cell| self.cell(band, cell))
        };
        (0..self.cols.len()).flat_map(cells)
    }

    pub(super) fn cell(&self, band: usize, cell: usize) -> [Span; 2] {
        let span = |borders: &[u32], at: usize| borders[at]..borders[at + 1];
        [span(&self.rows, band), span(&self.cols[band], cell)]
    }
}

/// The borders of spans that follow each other.
fn borders(spans: impl Iterator<Item = Span>) -> Vec<u32> {
    std::iter::once(0)
        .chain(spans.map(|span| span.end))
        .collect()
}

/// Borders where the sum of what lies before reaches a share of the whole, or one before if that is nearer.
fn of_shares(length: u32, parts: u32, number: impl Fn(u32) -> u64) -> Vec<u32> {
    let total: u64 = (0..length).map(&number).sum();
    let (mut at, mut sum) = (0, 0);
    let border = |part: u32| {
        let share = u64::from(part) * total;
        while at < length {
            let more = sum + u64::from(parts) * number(at);
            if more > share && more - share > share.abs_diff(sum) {
                break;
            }
            (at, sum) = (at + 1, more);
        }
        at
    };
    let inner: Vec<u32> = (1..parts).map(border).collect();
    std::iter::once(0)
        .chain(inner)
        .chain(std::iter::once(length))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borders_lie_where_sums_are_nearest_to_their_shares() {
        let cut = |lines: [u64; 3]| of_shares(3, 2, |at| lines[at as usize]);
        // 1 or 6 of 8, 3 or 8 of 10, 2 or 6 of 8: of two that are equally near the later one.
        assert_eq!(cut([1, 5, 2]), [0, 2, 3]);
        assert_eq!(cut([3, 5, 2]), [0, 1, 3]);
        assert_eq!(cut([2, 4, 2]), [0, 2, 3]);
    }
}
